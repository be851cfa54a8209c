import type { Request, RequestHandler, Response } from 'express';
import type { Logger } from '../shared/log/logger.ts';
import { createRefusalLog } from '../shared/log/refusal-log.ts';
import { redactText } from '../shared/log/redaction.ts';
import { idsOf } from './request-trace.ts';
import { arrivedAt } from './arrived-at.ts';
import { whenAnswered } from './wire/when-answered.ts';
import { Note } from '../shared/memory/note.ts';

/**
 * One line for a request, once it is answered. The query is left out, because it may hold a token; the path is redacted.
 * By default only refusals and failures of known tokens have a line: what strangers send is counted by network.
 */

/** Which requests get a line at level `info` (LOG_REQUESTS). At level `debug` every request has one. */
export type RequestLogMode = 'off' | 'errors' | 'all';

/** The facts of a known token's call. */
interface CallerFacts {
  mappingId: string;
  clientId: string;
  carrier: string;
  answeredBy: string;
  /** Why a token is not served, in one word, and since when. */
  reason?: string;
  since?: string;
}

/**
 * No holder of tokens may fill the log, however many tokens an app has: of each app this many refusals, and as many
 * failures, are written in a minute. The others are counted.
 */
const LINES_OF_APP = 20;

const callers = new Note<Response, () => CallerFacts>();

/** Names the token of a request for its line. `facts` are asked for when the request is answered. */
export function nameCaller(res: Response, facts: () => CallerFacts): void {
  callers.set(res, facts);
}

/** Adds what became known of the token during the call. A request that names no token keeps nothing. */
export function nameMore(res: Response, more: Partial<CallerFacts>): void {
  const facts = callers.get(res);
  if (facts) callers.set(res, () => ({ ...facts(), ...more }));
}

/** What is known of the caller of an answered request; undefined without a known token. */
export const callerOf = (res: Response): CallerFacts | undefined => callers.get(res)?.();

function pathOf({ originalUrl }: Request): string {
  return redactText(originalUrl.split('?')[0] ?? '').slice(0, 200);
}

function fieldsOf(req: Request, res: Response, startedAt: number) {
  return {
    method: req.method,
    path: pathOf(req),
    status: res.statusCode,
    ms: Math.round(performance.now() - startedAt),
    ...idsOf(res),
    ...callerOf(res),
  };
}

/** Logs answered requests as `mode` says. */
export function logRequests(logger: Logger, mode: RequestLogMode): RequestHandler {
  const note = createRefusalLog({ logger, lines: LINES_OF_APP });
  const message = 'request';
  return (req, res, next) => {
    const startedAt = arrivedAt(req);
    whenAnswered(res, logger, () => {
      const fields = () => fieldsOf(req, res, startedAt);
      if (mode === 'all') logger.info(message, fields());
      else if (mode === 'errors' && res.statusCode >= 400 && callers.get(res)) {
        const known = fields();
        const kind = `${known.clientId} ${known.status < 500 ? 'refused' : 'failed'}`;
        note({
          level: 'info',
          message,
          address: '',
          kind,
          common: { clientId: known.clientId },
          fields: known,
        });
      } else if (logger.isLevelEnabled('debug')) logger.debug(message, fields());
    });
    next();
  };
}
