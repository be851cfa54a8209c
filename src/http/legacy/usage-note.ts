import type { Request, Response } from 'express';
import type { Context } from '../../domain/context.ts';
import { type Brownout, rehearsalId } from '../../domain/lifecycle.ts';
import type { AnsweredBy } from '../../domain/live/live-feed.ts';
import type { Resolved } from '../../domain/resolve-token.ts';
import type { FoundToken } from './bearer-token.ts';

const ENDPOINT_MAX = 100;

/** The path as it is served; what stands for an id in it is left out here, or where usage is kept. */
function endpointOf({ path, params }: Request): string {
  if (params['id'] === undefined) return path.slice(0, ENDPOINT_MAX);
  const suffix = path.endsWith('.json') ? '.json' : '';
  return `${path.slice(0, path.lastIndexOf('/'))}/:id${suffix}`;
}

type KnownToken = NonNullable<Resolved['mapping']>;

interface Used extends Pick<FoundToken, 'carrier'> {
  mapping: KnownToken | undefined;
  /** The brownout that makes the call fail. */
  brownout?: Brownout | undefined;
}

/** The token, and the brownout where an owner rehearses with the own app and wants to see what fails. */
function measuredAs({ mapping, brownout }: Used): string[] {
  const isOwners = brownout?.clientId !== undefined;
  return [...(mapping ? [mapping.id] : []), ...(isOwners ? [rehearsalId(brownout.id)] : [])];
}

/** Measures a call with a known token, or of an app that rehearses, once it is answered, whoever answers it and however. */
export function noteUsage(context: Context, used: Used, req: Request): void {
  const { res } = req;
  const names = measuredAs(used);
  if (names.length === 0 || res === undefined) return;
  const call = { endpoint: endpointOf(req), carrier: used.carrier, userAgent: req.get('user-agent') };
  res.once('finish', () => {
    for (const mappingId of names) context.usage.note({ ...call, mappingId, status: res.statusCode });
  });
  const { mapping, carrier } = used;
  if (mapping) showLive(context, { clientId: mapping.client_id, mapping, carrier }, req);
}

const passed = new WeakSet<Response>();

/** From here on the answer is the old backend's own. */
export function markPassed(res: Response): void {
  passed.add(res);
}

/** Whose answer it was or, where nobody could give one, whose it would have been. */
function answeredBy(res: Response, mapping: KnownToken | undefined): AnsweredBy {
  if (passed.has(res)) return 'old';
  if (res.statusCode < 400) return 'new';
  if (res.statusCode < 500) return 'refused';
  return mapping?.state === 'unmapped' ? 'old' : 'new';
}

function hintOf({ hint_first: first, hint_last: last }: KnownToken): string | null {
  return first === null || last === null ? null : `1/${first}…${last}`;
}

interface Shown {
  clientId: string;
  mapping?: KnownToken;
  /** Where the token came, or the credentials of the app. */
  carrier: string;
}

/** Shows a call, once it is answered, to those who look on at its app; costs nothing while nobody does. */
export function showLive({ live }: Context, { clientId, mapping, carrier }: Shown, req: Request): void {
  const { res } = req;
  if (res === undefined || !live.isWatched(clientId)) return;
  const call = {
    clientId,
    carrier,
    accountId: mapping?.account_id ?? null,
    hint: mapping ? hintOf(mapping) : null,
    method: req.method,
    endpoint: endpointOf(req),
    userAgent: req.get('user-agent'),
    // A caller that goes away at once leaves no address behind.
    address: req.ip,
  };
  res.once('finish', () =>
    live.note({ ...call, status: res.statusCode, answeredBy: answeredBy(res, mapping) }),
  );
}
