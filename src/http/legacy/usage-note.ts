import type { Request, Response } from 'express';
import type { LegacyDeps } from './deps.ts';
import { type Brownout, rehearsalId } from '../../domain/lifecycle/lifecycle.ts';
import type { AnsweringApi } from '../../domain/live/live-feed.ts';
import type { KnownToken } from '../../domain/usage/deferred-token-lookup.ts';
import type { TokenRefused } from '../../domain/failures.ts';
import { loggedReason } from '../../domain/tokens/standing/ends.ts';
import { nameCaller, nameMore, nameProvenApp } from '../request-log.ts';
import { whenAnswered } from '../wire/when-answered.ts';
import type { CarriedToken } from '../wire/bearer-token.ts';
import { Note } from '../../shared/memory/note.ts';

const ENDPOINT_MAX = 100;

/** The segment after `profiles` or `updates`, without the suffix `.json`. */
const ID_SEGMENT = /^(\/1\/(?:profiles|updates)\/)[^/]*?(\.json)?(?=\/|$)/;

/** The path as it is served. An id in the path is replaced here, or later where usage is kept. */
function endpointOf({ path, params }: Request): string {
  return (params['id'] === undefined ? path : path.replace(ID_SEGMENT, '$1:id$2')).slice(0, ENDPOINT_MAX);
}

/** The facts of a request that usage keeps. */
export interface RequestSummary {
  method: string;
  endpoint: string;
  userAgent: string | undefined;
  address: string | undefined;
}

/** Call this while the request is being answered: a connection that has closed has no address any more. */
export function seenOf(req: Request): RequestSummary {
  return { method: req.method, endpoint: endpointOf(req), userAgent: req.get('user-agent'), address: req.ip };
}

/** Why and when a token had stopped before its call is known where the call has looked at its row. */
type UsedToken = Omit<KnownToken, 'token_digest'> & { reason?: string | null; updated_at?: number };

interface TokenUse extends Pick<CarriedToken, 'carrier'> {
  mapping: UsedToken | undefined;
  /** The brownout that makes the call fail. */
  brownout?: Brownout | undefined;
}

/** The token, and the brownout where an owner rehearses with the own app and wants to see which calls fail. */
function measuredAs({ mapping, brownout }: TokenUse): string[] {
  const isOwners = brownout?.clientId !== undefined;
  return [...(mapping ? [mapping.id] : []), ...(isOwners ? [rehearsalId(brownout.id)] : [])];
}

/** Why and since when a token is not served; nothing for one that is. */
function stopOf({
  state,
  reason = null,
  updated_at: since,
}: Pick<UsedToken, 'state' | 'reason' | 'updated_at'>): { reason?: string; since?: string } {
  const why = state === 'active' || state === 'unmapped' ? undefined : loggedReason(reason);
  return why === undefined || since === undefined
    ? {}
    : { reason: why, since: new Date(since).toISOString() };
}

/** Measures a call with a known token, or of an app that rehearses, after its answer, whichever API gave the answer. */
export function noteUsage(context: LegacyDeps, used: TokenUse, req: Request): void {
  const { res } = req;
  if (res === undefined || measuredAs(used).length === 0) return;
  const seen = seenOf(req);
  const { mapping, carrier, brownout } = used;
  if (mapping) {
    const clientId = mapping.client_id;
    const by = () => answeredBy(answeredAs(seen, res), { clientId, mapping, carrier, brownout });
    nameCaller(res, () => ({
      mappingId: mapping.id,
      clientId,
      carrier,
      answeredBy: by(),
      ...stopOf(mapping),
    }));
  }
  whenAnswered(res, context.logger, () => noteAnswered(context, used, answeredAs(seen, res)));
}

/** Tells the line of a call why its token is refused: the token may have stopped during the call. */
export function noteStop(res: Response, { mapping }: TokenRefused): void {
  if (mapping) nameMore(res, stopOf(mapping));
}

/** The facts of a call and its answer. The request, the response and their bodies are freed. */
interface AnsweredCall extends RequestSummary {
  status: number;
  /** Whether the old API gave the answer, or was to give it and could not. */
  isPassed: boolean;
}

/** A call with its answer. */
export function answeredAs(seen: RequestSummary, res: Response): AnsweredCall {
  const { method, endpoint, userAgent, address } = seen;
  return { method, endpoint, userAgent, address, status: res.statusCode, isPassed: isOfOldApi(res) };
}

/** Measures an answered call, and shows the call on live pages. */
export function noteAnswered(context: LegacyDeps, used: TokenUse, answered: AnsweredCall): void {
  const { mapping, carrier } = used;
  const { endpoint, userAgent, status } = answered;
  for (const mappingId of measuredAs(used))
    context.usage.note({ endpoint, userAgent, carrier, status, mappingId });
  if (mapping && context.live.isWatched(mapping.client_id))
    show(context, { ...used, clientId: mapping.client_id }, answered);
}

const passed = new Note<Response, true>();

/** Marks a call that the old API has to answer, before it is asked. */
export function markPassed(res: Response): void {
  passed.set(res, true);
}

/** Takes the mark away: the bridge itself, or the new API, has to answer after all. */
export function unmarkPassed(res: Response): void {
  passed.set(res, undefined);
}

/** Whether the old API gave the answer, or was to give it: it could not, or its caller left before. */
export const isOfOldApi = (res: Response): boolean => passed.get(res) === true;

/** Why a call was refused, where the bridge knows more than the status says. */
function refusedFor(status: number, { mapping, brownout }: LiveCaller): AnsweringApi {
  if (brownout) return brownout.clientId === undefined ? 'brownout' : 'rehearsal';
  return status === 401 && mapping && mapping.state !== 'active' ? mapping.state : 'refused';
}

/** Which API answered; for a failure, which API was to answer. */
function answeredBy({ status, isPassed }: AnsweredCall, shown: LiveCaller): AnsweringApi {
  if (isPassed) return 'old';
  if (status < 400) return 'new';
  if (status < 500) return refusedFor(status, shown);
  return shown.mapping?.state === 'unmapped' ? 'old' : 'new';
}

function hintOf({ hint_first: first, hint_last: last }: UsedToken): string | null {
  return first === null || last === null ? null : `1/${first}…${last}`;
}

interface LiveCaller {
  clientId: string;
  mapping?: UsedToken | undefined;
  /** Where the token stood in the call, or `credentials` for a call with the credentials of the app. */
  carrier: string;
  brownout?: Brownout | undefined;
}

/** Shows an answered call on the live pages of its app. */
function show({ live }: LegacyDeps, shown: LiveCaller, answered: AnsweredCall): void {
  const { clientId, carrier, mapping } = shown;
  const { isPassed: _, ...call } = answered;
  live.note({
    ...call,
    clientId,
    carrier,
    accountId: mapping?.account_id ?? null,
    hint: mapping ? hintOf(mapping) : null,
    answeredBy: answeredBy(answered, shown),
  });
}

/** Names the app that has shown its secret in a call, for the line of the call, and shows the call after its answer. */
export function noteProvenApp(context: LegacyDeps, clientId: string, req: Request): void {
  const { res } = req;
  if (res === undefined) return;
  nameProvenApp(res, clientId);
  const [seen, shown] = [seenOf(req), { clientId, carrier: 'credentials' }];
  whenAnswered(res, context.logger, () => show(context, shown, answeredAs(seen, res)));
}
