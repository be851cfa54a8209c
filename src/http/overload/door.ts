import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { containErrors } from '../../shared/net/contain-errors.ts';
import { type CarriedToken, tokensAt } from '../wire/bearer-token.ts';
import { plainArrival, type TrustProxy } from '../wire/https.ts';
import { parametersIn } from '../wire/request-parameters.ts';
import type { OverloadDeps } from './deps.ts';
import type { HeadLog } from '../request-log.ts';
import { createCallRefusal } from './refuse-call.ts';
import { hasRoom } from './room-for-call.ts';
import type { Turns } from './turns.ts';

/**
 * The first step of every request that no kept answer satisfies. While this process has more to do than it can, reads are refused here
 * by their head alone, before anything else is done for them. Every other call is judged where its token is found (`room-for-call.ts`).
 */

/** What is read below these addresses belongs to no app, or ends a token. */
const NOT_HERE = ['/1/oauth2', '/1/user/deauthorize'];

/** The path of a read without a body; undefined for every other request. */
function readPathOf({ method, url = '', headers }: IncomingMessage): string | undefined {
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
  if (method !== 'GET' || hasBody || !url.startsWith('/1/')) return undefined;
  return NOT_HERE.some((start) => url.startsWith(start)) ? undefined : url.split(/[?#]/, 1)[0];
}

/** The first token of a read. A query that cannot be read holds none. */
function tokenOf({ rawHeaders, url = '' }: IncomingMessage): CarriedToken | undefined {
  try {
    return tokensAt({ rawHeaders, query: parametersIn(url) })[0];
  } catch {
    return undefined;
  }
}

interface DoorInput {
  context: OverloadDeps;
  trusts: TrustProxy;
  /** Writes the lines of refusals, where every request has one. */
  log: HeadLog | undefined;
  /** Answers what is not refused here. */
  otherwise: RequestListener;
}

/** The refusal of a read by its head alone; undefined for every other request. */
function createReadRefusal({ context, trusts, log }: Omit<DoorInput, 'otherwise'>) {
  const refuse = createCallRefusal(context, log);
  return (req: IncomingMessage, res: ServerResponse) => {
    const path = readPathOf(req);
    const arrival = path === undefined ? undefined : plainArrival(req, trusts);
    if (path === undefined || !arrival) return undefined;
    const found = tokenOf(req);
    return {
      token: found?.token,
      refuse() {
        containErrors(req, res, () => undefined);
        refuse({ req, res, path, isSecure: arrival.isSecure, carrier: found?.carrier });
      },
    };
  };
}

/** Refuses reads in an overload; passes every other request on. */
export function refuseInOverload({ otherwise, ...input }: DoorInput): RequestListener {
  const { context } = input;
  const { overload } = context;
  const refusalOf = createReadRefusal(input);
  return (req, res) => {
    const refusal = overload.arrives() ? refusalOf(req, res) : undefined;
    if (!refusal || hasRoom(context, req, refusal.token)) return otherwise(req, res);
    refusal.refuse();
  };
}

interface TurnsInput extends DoorInput {
  turns: Pick<Turns, 'begin'>;
}

/** Who watches this process is answered at once, however many wait: a process that seems dead would be restarted. */
const WATCHED = /^\/(health|ready|metrics)(\?|$)/;

/**
 * Begins each request in its turn: those that cost more than the answer that is kept ready. In an overload reads are refused
 * whose turn comes too late, all but a few. Every other request is begun, however long it waited.
 */
export function answerInTurns({ turns, otherwise, ...input }: TurnsInput): RequestListener {
  const { context } = input;
  const refusalOf = createReadRefusal(input);
  const begin = (req: IncomingMessage, res: ServerResponse, waited: number): void => {
    const refusal = context.overload.isTooLate(waited) ? refusalOf(req, res) : undefined;
    if (!refusal || context.overload.admitsLate()) return otherwise(req, res);
    refusal.refuse();
  };
  return (req, res) => {
    if (WATCHED.test(req.url ?? '')) return otherwise(req, res);
    turns.begin(req, (waited) => {
      try {
        begin(req, res, waited);
      } catch (error) {
        // Nobody else would catch it in a later turn, and it would end the process.
        context.logger.error('a request could not be begun', { error });
        res.destroy();
      }
    });
  };
}
