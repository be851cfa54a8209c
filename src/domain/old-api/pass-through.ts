import { networkKey } from '../../shared/net/addresses.ts';
import { SECOND } from '../../shared/lifetimes.ts';
import type { MappingWithApp } from '../../store/tokens/mappings.ts';
import { hasToken } from '../../store/tokens/observed.ts';
import type { OldBackend, PassedAnswer, PassedCall } from '../../upstream/old-backend.ts';
import { Unavailable } from '../../upstream/outcomes.ts';
import type { OldApiDeps } from './deps.ts';
import { observeToken, type ObservedCall } from './observe-token.ts';
import type { Call } from '../usage/usage.ts';
import { leaveOldApi } from './leave-old-api.ts';
import { noteClaim } from './note-claim.ts';
import { saysInvalid } from './recorded-refusal.ts';
import { endWaiting } from './old-backend-ends.ts';
import { oldBackendFor } from '../lifecycle/old-backend-for.ts';
import { learnUpdates } from '../ids/updates/learn-updates.ts';
import { createRefusedTokens, type RefusedTokens } from './refused-tokens.ts';
import { retryUntilStored } from '../work/retry-until-stored.ts';
import { withTimeout } from '../work/with-timeout.ts';
import {
  findByToken,
  refusalWithout,
  resolveToken,
  type ServedMapping,
  TokenRefused,
} from '../tokens/resolve-token.ts';
import { actorOf, provenApp, takersOf } from '../tokens/proven-app.ts';

export type { PassedAnswer, PassedCall } from '../../upstream/old-backend.ts';

/**
 * Pass-through: while the old API runs, calls go there as they came, and its answers go back as they were
 * (docs/decisions/0014).
 */

/** A call with a token. */
export interface LegacyCall extends PassedCall, ObservedCall {
  /** The address that the call came from. */
  address: string;
  /** Where in the call the token was. */
  carrier: Call['carrier'];
}

/** The old addresses that end a token, in every accepted spelling. */
const DEAUTHORIZE = /^(?:\/1)?\/user\/deauthorize(?:\.json)?(?:\?|$)/;

/** Whether a path, with or without its query, ends the token of the call. */
export function isDeauthorize(target: string): boolean {
  return DEAUTHORIZE.test(target);
}

/** No secret of the old API has another form, and a header can hold no other characters. */
const PLAUSIBLE = /^[\x21-\x7e]{1,512}$/;

function isGood({ status }: PassedAnswer): boolean {
  return status >= 200 && status < 300;
}

/** Background work: no caller waits. After a failure, the next call of the same token does the work again. */
function inBackground(context: OldApiDeps, name: string, work: () => Promise<void>): void {
  if (context.shutdown.signal.aborted) return;
  context.flights.run(name, work).catch((error: unknown) => {
    context.logger.warn('the facts that a passed call showed could not be stored', { error });
  });
}

/**
 * Passes a call with a token that is not connected. A refusal goes back as it was too: the token is the old API's own.
 * @throws {TokenRefused | Unavailable} the first where the old API was retired a moment ago
 */
export async function passUnconnected(
  context: OldApiDeps,
  mapping: MappingWithApp,
  call: LegacyCall,
): Promise<PassedAnswer> {
  const { oldBackend, ending } = oldBackendFor(context, provenApp(mapping));
  if (!oldBackend) throw refusalWithout(context, mapping, ending);
  const answer = await oldBackend.pass({ ...call, takers: takersOf(mapping) });
  if (isGood(answer) && isDeauthorize(call.target)) {
    await endWaiting(context, mapping, { actor: actorOf(mapping), requestId: call.requestId });
  } else inBackground(context, `claim ${mapping.id}`, () => noteClaim(context, mapping, call));
  return answer;
}

/**
 * The confirmation of a refusal adds to the time of the answer before. Old clients wait twenty seconds for both
 * together.
 */
const CONFIRMED_WITHIN = 4 * SECOND;

/** Whether the old API refuses a token at the user object, which any good token reads. No answer is no refusal. */
function isUserRefused(
  oldBackend: OldBackend,
  { token, trace }: Pick<LegacyCall, 'token' | 'trace'>,
): Promise<boolean> {
  return withTimeout(oldBackend.read('/1/user.json', token, trace), CONFIRMED_WITHIN).then(
    (user) => user === undefined,
    (error: unknown) => {
      if (error instanceof Unavailable) return false;
      throw error;
    },
  );
}

/** An answer to HEAD has no body, so its 401 may mean the token. */
const mayMeanToken = ({ method }: PassedCall, answer: PassedAnswer) =>
  method === 'HEAD' || saysInvalid(answer);

/**
 * Passes a call with a token that a grant serves. The caller has decided that the old API answers. Undefined where the
 * old API refuses the token and the user object confirms the refusal. A token never returns to the old API after that:
 * the bridge has stored the refusal before this function returns. Any other answer goes to the caller.
 * @throws {Unavailable}
 */
export async function passServed(
  context: OldApiDeps,
  mapping: ServedMapping,
  call: LegacyCall,
): Promise<PassedAnswer | undefined> {
  const { oldBackend } = context;
  if (!oldBackend) throw new Error('a call was to be passed on, and there is no old API');
  const answer = await oldBackend.pass({ ...call, takers: takersOf(mapping) });
  if (answer.status !== 401 || !mayMeanToken(call, answer)) {
    learnUpdates(context, mapping, { target: call.target, answer });
    return answer;
  }
  const reading = () => isUserRefused(oldBackend, call);
  if (!(await context.flights.run(`confirm ${mapping.id}`, reading))) return answer;
  await leaveOldApi(context, mapping, call.requestId);
  return undefined;
}

interface PassThroughDeps {
  context: OldApiDeps;
  refused: RefusedTokens;
}

/** Stores the token of a call, and counts the call as its first call. */
async function observe(
  { context, refused }: PassThroughDeps,
  call: LegacyCall,
  status: number,
): Promise<void> {
  const { carrier, userAgent } = call;
  const endpoint = call.target.split('?')[0] ?? '';
  const onKept = (mappingId: string) =>
    context.usage.note({ mappingId, endpoint, carrier, userAgent, status });
  if (!(await observeToken(context, { ...call, onKept }))) refused.remember(call.token, call.address);
}

/**
 * Whether the refusal is known without asking: the text is no token, or the old API refused the token a moment ago.
 */
function isHopeless({ refused }: PassThroughDeps, { token }: Pick<LegacyCall, 'token'>): boolean {
  return !PLAUSIBLE.test(token) || refused.isRefused(token);
}

/**
 * The mapping of a token that was unknown when its call came, and that another call has stored since. Undefined where
 * the bridge still does not know the token.
 * @throws {TokenRefused | Unavailable} the first also for a token of a retired app
 */
async function storedMeanwhile(context: OldApiDeps, token: string): Promise<MappingWithApp | undefined> {
  if (!(await hasToken(context.store, context.vault.digests(token)))) return undefined;
  const resolved = await resolveToken(context, token);
  if (resolved.kind === 'passed') return resolved.mapping;
  if (resolved.kind === 'served') throw new Unavailable('the token was connected while its call waited');
  throw resolved.kind === 'refused' ? resolved.refusal : new TokenRefused();
}

/**
 * Whether a 401 means the token. Where the body does not say so, the user object decides, which any good token reads.
 */
async function isTokenRefused(
  oldBackend: OldBackend,
  answer: PassedAnswer,
  call: LegacyCall,
): Promise<boolean> {
  return answer.status === 401 && (saysInvalid(answer) || isUserRefused(oldBackend, call));
}

/**
 * A call whose token the bridge has never seen. `readCall` reads its parameters once the limits have let the call
 * through.
 */
interface UnknownTokenCall extends Pick<LegacyCall, 'token' | 'address'> {
  readCall: () => Promise<LegacyCall>;
}

export type UnknownTokenPassThrough = (call: UnknownTokenCall) => Promise<PassedAnswer>;

/**
 * Ends a token that the old API has just ended, where a call that came a moment before has stored it: such a token must not
 * wait for a consent. `observing` is the work that may be storing it. Another process that stores it after this look is not seen.
 */
async function endObserved(context: OldApiDeps, call: LegacyCall, observing: string): Promise<void> {
  // Whoever runs that work tells of its failure.
  await context.flights.run(observing, async () => undefined).catch(() => undefined);
  // No later call would end the token again: the old API refuses it from now on.
  await retryUntilStored(context, 'the end of a token', async () => {
    const mapping = await findByToken(context, call.token);
    if (mapping) await endWaiting(context, mapping, { actor: actorOf(mapping), requestId: call.requestId });
  });
}

/** What the answer to a call with an unknown token shows: the token is good, or this call has ended it. */
function learnFromStranger(strangers: PassThroughDeps, call: LegacyCall, { status }: PassedAnswer): void {
  const { context } = strangers;
  const digest = context.vault.digest(call.token);
  const observing = `observe ${digest}`;
  if (isDeauthorize(call.target))
    inBackground(context, `end ${digest}`, () => endObserved(context, call, observing));
  else inBackground(context, observing, () => observe(strangers, call, status));
}

/**
 * Passes calls whose token the bridge has never seen. The old API decides. An accepted token is stored in the
 * background, and the caller does not wait.
 * @throws {TokenRefused | LimitReached | Unavailable}
 */
export function createStrangers(context: OldApiDeps): UnknownTokenPassThrough {
  const strangers = { context, refused: createRefusedTokens(context) };
  const { refused } = strangers;
  const ask = async (call: LegacyCall) => {
    // While this call waited, another call may have learned that the old API refuses the token.
    if (refused.isRefused(call.token)) throw new TokenRefused();
    const { oldBackend, ending } = oldBackendFor(context, undefined);
    if (!oldBackend) throw refusalWithout(context, undefined, ending);
    const answer = await oldBackend.pass({ ...call, sender: 'stranger', takers: [networkKey(call.address)] });
    if (await isTokenRefused(oldBackend, answer, call)) refused.remember(call.token, call.address);
    return answer;
  };
  return async ({ token, address, readCall }) => {
    if (isHopeless(strangers, { token })) throw new TokenRefused();
    const mapping = await storedMeanwhile(context, token);
    if (mapping) return passUnconnected(context, mapping, await readCall());
    const { call, answer } = await refused.ask(address, async () => {
      const asked = await readCall();
      return { call: asked, answer: await ask(asked) };
    });
    if (isGood(answer)) learnFromStranger(strangers, call, answer);
    return answer;
  };
}
