import type { Request, RequestHandler, Response } from 'express';
import type { LegacyDeps } from './deps.ts';
import type { Caller } from '../../domain/ids/match-ids.ts';
import { withTimeout } from '../../domain/work/with-timeout.ts';
import { type AnswerDecision, decideAnswerer } from '../../domain/posts/decide.ts';
import { type Answerer, type CallKind, whoAnswers } from '../../domain/old-calls/who-answers.ts';
import { LimitReached } from '../../domain/limits/limit-reached.ts';
import { accountReadBy } from '../../domain/posts/scope-missing.ts';
import { type AccountWithAge, readAccount } from '../../domain/reads/read-account.ts';
import { brownoutFor, type ResolvedToken, type ServedMapping } from '../../domain/tokens/resolve-token.ts';
import { provenApp } from '../../domain/tokens/proven-app.ts';
import { CALLER_WAIT, SECOND } from '../../shared/lifetimes.ts';
import { hasRoom, learnApp, overloaded } from '../overload/room-for-call.ts';
import { tellDates } from '../wire/added-headers.ts';
import { findCarriedToken, type CarriedToken } from '../wire/bearer-token.ts';
import { inBrownout } from './brownout-text.ts';
import { LegacyError, REFUSALS } from '../wire/legacy-error.ts';
import { noteCarrier } from './metrics/measure-call.ts';
import { nameCarrier } from '../request-log.ts';
import { callingOf, checkTrace } from '../request-trace.ts';
import { type PassThroughDeps, passToOldApi } from './pass-through/pass-through.ts';
import { noteUsage } from './usage-note.ts';

/**
 * The steps of every old call: find the token, decide who answers (`who-answers.ts`), count the call against the limit,
 * answer. A handler gets the mapping of the call.
 */

type CallHandler = (caller: Caller, req: Request, res: Response) => Promise<void>;

/** Work that a call with a known token still does before its refusal, when the token serves nothing. */
type RefusedHandler = (mapping: NonNullable<ResolvedToken['mapping']>, res: Response) => Promise<void>;

/** How an address treats its calls. */
interface AddressRules {
  kind: CallKind;
  /** @throws {LegacyError} */
  tokenOf: (req: Request) => Promise<CarriedToken | undefined>;
  /** The refusal of a call that neither API answers. */
  refuse: () => LegacyError;
  /** Answers from the new API. */
  answer: CallHandler;
  beforeRefusal?: RefusedHandler | undefined;
  /** Answers a known call without a token, once the old API is gone. */
  withoutToken: (req: Request, res: Response) => void;
  /** Whether `withoutToken` also answers calls without a token above the limit of their address. Else they get 429. */
  isChallenged?: boolean;
}

interface Call {
  req: Request;
  res: Response;
  found: CarriedToken | undefined;
}

/**
 * Tells the dates of the caller's app, and measures the call for the owner. A call without a token belongs to no app.
 */
function noteCall(context: LegacyDeps, { req, res, found }: Call, { resolved }: AnswerDecision): void {
  if (!found || !resolved) return;
  const { mapping } = resolved;
  if (mapping) {
    learnApp(context, found.token, mapping);
    tellDates(context, res, { clientId: provenApp(mapping) });
  }
  noteUsage(context, { carrier: found.carrier, mapping, brownout: brownoutFor(resolved) }, req);
}

/**
 * The refusal of a call that neither API answers. Where a brownout alone keeps the call from the old API, the refusal
 * has the text of that brownout.
 */
function refusalOf(
  context: LegacyDeps,
  refusal: LegacyError,
  { resolved, ending }: AnswerDecision,
): LegacyError {
  const isMissed = context.oldBackend !== undefined && resolved?.mapping === undefined;
  if (!isMissed || ending?.because !== 'brownout') return refusal;
  const { status, code, message, headers } = refusal;
  return new LegacyError(inBrownout(context, [status, code, message], ending.brownout), { headers });
}

/** The mapping for the new API. If the old API was to answer, then it has just refused the token: see `leaveOldApi`. */
function servedMapping({ clock }: LegacyDeps, { by, resolved }: AnswerDecision): ServedMapping {
  if (resolved?.kind !== 'served') throw new Error('the new API was to answer a call without a grant');
  const { mapping } = resolved;
  return by === 'old' ? { ...mapping, refused_there_at: clock.now() } : mapping;
}

/** @throws {TokenRefused | LegacyError} neither API answers */
async function refuseUnanswered(
  context: LegacyDeps,
  { refuse, beforeRefusal, res }: Pick<AddressRules, 'refuse' | 'beforeRefusal'> & Pick<Call, 'res'>,
  decision: AnswerDecision,
): Promise<void> {
  const { by, resolved } = decision;
  if (by === 'refused call') throw refusalOf(context, refuse(), decision);
  if (by !== 'refused token' || resolved?.kind !== 'refused') return;
  if (resolved.mapping) await beforeRefusal?.(resolved.mapping, res);
  throw resolved.refusal;
}

/**
 * Asks the old API where it is to answer. Returns undefined once the old API has answered. It may refuse the token of a
 * call that a grant serves; then the result says who answers in its place.
 */
async function whoIsLeft(
  passing: PassThroughDeps,
  { req, res, found, kind }: Call & Pick<AddressRules, 'kind'>,
  { by, resolved }: AnswerDecision,
): Promise<Answerer | undefined> {
  if (by !== 'old' || resolved?.kind === 'refused') return by;
  if (await passToOldApi(passing, { req, res, token: found?.token }, resolved)) return undefined;
  return whoAnswers({ call: kind, token: 'left', oldApi: 'runs', isCutOver: false });
}

/** Answers a call without a token whose address may send the old API no more calls in this minute. */
function answerTooMany(
  { withoutToken, isChallenged = false }: AddressRules,
  { req, res, found }: Call,
  error: unknown,
): undefined {
  if (!(error instanceof LimitReached) || found || !isChallenged) throw error;
  withoutToken(req, res);
}

/**
 * Whether a call is begun in an overload. Who ends a token is refused only with the people.
 * @throws {Overloaded}
 */
function requireRoom(
  context: LegacyDeps,
  { req, found, kind }: Omit<Call, 'res'> & Pick<AddressRules, 'kind'>,
): void {
  const isAdmitted =
    kind === 'deauthorize' ? context.overload.admitsLast() : hasRoom(context, req, found?.token);
  if (!isAdmitted) throw overloaded(context);
}

/** Tells the metrics and the line of the call where its token stands. */
function tellCarrier(res: Response, carrier: CarriedToken['carrier']): void {
  noteCarrier(res, carrier);
  nameCarrier(res, carrier);
}

/** Makes the handlers of addresses. */
export function createAddressHandlers(passing: PassThroughDeps) {
  const { context, limit } = passing;
  return (address: AddressRules): RequestHandler => {
    const { kind, tokenOf, refuse, answer, beforeRefusal, withoutToken } = address;
    return async (req, res) => {
      const found = await tokenOf(req);
      if (found) tellCarrier(res, found.carrier);
      checkTrace(res, () => [found?.token]);
      requireRoom(context, { req, found, kind });
      const decision = await decideAnswerer(context, kind, found?.token);
      noteCall(context, { req, res, found }, decision);
      await refuseUnanswered(context, { refuse, beforeRefusal, res }, decision);
      if (decision.by === 'no token') return withoutToken(req, res);
      if (decision.resolved?.mapping) limit(decision.resolved.mapping);
      const left = whoIsLeft(passing, { req, res, found, kind }, decision);
      const by = await left.catch((error: unknown) => answerTooMany(address, { req, res, found }, error));
      if (by === undefined) return;
      if (by !== 'new' || !found) throw refuse();
      const mapping = { calling: callingOf(res), ...servedMapping(context, decision) };
      await answer({ mapping, token: found.token }, req, res);
    };
  };
}

const unknownPath = () => new LegacyError(REFUSALS.unknownPath);

/** Makes handlers of known calls of this kind. */
export function createCalls(
  passing: PassThroughDeps,
  {
    kind,
    withoutToken,
    isChallenged,
  }: Pick<AddressRules, 'kind' | 'withoutToken'> & { isChallenged: boolean },
) {
  const answers = createAddressHandlers(passing);
  return (answer: CallHandler, beforeRefusal?: RefusedHandler): RequestHandler =>
    answers({
      kind,
      tokenOf: findCarriedToken,
      refuse: unknownPath,
      answer,
      beforeRefusal,
      withoutToken,
      isChallenged,
    });
}

/** The account and channels for a call. A stale answer gets an `Age` header. */
export async function readFor(
  context: LegacyDeps,
  mapping: ServedMapping,
  res: Response,
): Promise<AccountWithAge> {
  const work = accountReadBy(context, mapping, (grant) => readAccount(context, grant));
  const reading = await withTimeout(work, CALLER_WAIT + SECOND);
  if (reading.isStale) {
    res.setHeader('Age', String(Math.floor((context.clock.now() - reading.fetchedAt) / 1000)));
  }
  return reading;
}
