import { networkKey } from '../../shared/net/addresses.ts';
import { SECOND } from '../../shared/lifetimes.ts';
import type { FoundMapping } from '../../store/tokens/mappings.ts';
import { hasToken } from '../../store/tokens/observed.ts';
import type { OldBackend, PassedAnswer, PassedCall } from '../../upstream/old-backend.ts';
import { Unavailable } from '../../upstream/outcomes.ts';
import type { Context } from '../context.ts';
import { observeToken, type Sighting } from './observe-token.ts';
import type { Call } from '../usage/usage.ts';
import { leaveOldApi } from './leave-old-api.ts';
import { noteClaim } from './note-claim.ts';
import { saysInvalid } from './recorded-refusal.ts';
import { endWaiting } from './old-backend-ends.ts';
import { oldBackendFor } from '../lifecycle/old-backend-for.ts';
import { learnUpdates } from '../ids/updates/learn-updates.ts';
import { createRefusedTokens, type RefusedTokens } from './refused-tokens.ts';
import { withTimeout } from '../work/with-timeout.ts';
import { refusalWithout, type ServedMapping, TokenRefused } from '../tokens/resolve-token.ts';
import { actorOf, provenApp, takersOf } from '../tokens/proven-app.ts';

export type { PassedAnswer, PassedCall } from '../../upstream/old-backend.ts';

/**
 * Calls that the old backend answers, while there is one: as they came, and with its answer as it was
 * (docs/decisions/0014).
 */

/** A call with a legacy token. */
export interface LegacyCall extends PassedCall, Sighting {
  /** Where it came from. */
  address: string;
  /** Where in the call the token came. */
  carrier: Call['carrier'];
}

/** The old addresses that end a token, in every spelling that is served. */
const DEAUTHORIZE = /^(?:\/1)?\/user\/deauthorize(?:\.json)?(?:\?|$)/;

/** Whether a path, with or without its query, is one that ends the token of the call. */
export function isDeauthorize(target: string): boolean {
  return DEAUTHORIZE.test(target);
}

/** No secret of the old service has another form, and nothing else may stand in a header. */
const PLAUSIBLE = /^[\x21-\x7e]{1,512}$/;

function isGood({ status }: PassedAnswer): boolean {
  return status >= 200 && status < 300;
}

/** Work that no caller waits for; it is done again at the next call of the same token. */
function inBackground(context: Context, name: string, work: () => Promise<void>): void {
  if (context.shutdown.signal.aborted) return;
  context.flights.run(name, work).catch((error: unknown) => {
    context.logger.warn('what a passed call showed could not be kept', { error });
  });
}

/**
 * A call with a token that waits for its owner. A refusal goes back as it was too: it is the old backend's own token.
 * @throws {TokenRefused | Unavailable} the first where the old backend was retired a moment ago
 */
export async function passWaiting(
  context: Context,
  mapping: FoundMapping,
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

/** The confirmation of a refusal comes behind an answer that took its own time; old clients wait twenty seconds for both. */
const CONFIRMED_WITHIN = 4 * SECOND;

/** Whether the old API refuses a token at the user object, which any good token reads. No answer is no refusal. */
function isUserRefused(oldBackend: OldBackend, token: string): Promise<boolean> {
  return withTimeout(oldBackend.read('/1/user.json', token), CONFIRMED_WITHIN).then(
    (user) => user === undefined,
    (error: unknown) => {
      if (error instanceof Unavailable) return false;
      throw error;
    },
  );
}

/** An answer to HEAD has no body that could say what it is about. */
const mayMeanToken = ({ method }: PassedCall, answer: PassedAnswer) =>
  method === 'HEAD' || saysInvalid(answer);

/**
 * A call that the old API answers, with a token that a grant serves, for a caller that has decided so. Undefined where the
 * old API refuses the token, and the user object confirms it, for a token never comes back from there: the bridge has kept
 * that before this function returns. Any other answer is the caller's.
 * @throws {Unavailable}
 */
export async function passServed(
  context: Context,
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
  const reading = () => isUserRefused(oldBackend, call.token);
  if (!(await context.flights.run(`confirm ${mapping.id}`, reading))) return answer;
  await leaveOldApi(context, mapping, call.requestId);
  return undefined;
}

interface Strangers {
  context: Context;
  refused: RefusedTokens;
}

/** Keeps the token of a call, and measures the call as its first one. */
async function observe({ context, refused }: Strangers, call: LegacyCall, status: number): Promise<void> {
  const { carrier, userAgent } = call;
  const endpoint = call.target.split('?')[0] ?? '';
  const onKept = (mappingId: string) =>
    context.usage.note({ mappingId, endpoint, carrier, userAgent, status });
  if (!(await observeToken(context, { ...call, onKept }))) refused.remember(call.token, call.address);
}

/** What is known without asking: not a token, one that was refused a moment ago, or one of an app that is retired. */
async function isHopeless(
  { context, refused }: Strangers,
  { token }: Pick<LegacyCall, 'token'>,
): Promise<boolean> {
  if (!PLAUSIBLE.test(token) || refused.isRefused(token)) return true;
  return hasToken(context.store, context.vault.digests(token));
}

/** Whether the token is meant by a 401: where that does not say so, the user object decides, which any good token reads. */
async function isTokenRefused(oldBackend: OldBackend, answer: PassedAnswer, token: string): Promise<boolean> {
  return answer.status === 401 && (saysInvalid(answer) || isUserRefused(oldBackend, token));
}

/** A call whose token the bridge has never seen. Its parameters are looked at behind the brakes, by `readCall`. */
interface StrangersCall extends Pick<LegacyCall, 'token' | 'address'> {
  readCall: () => Promise<LegacyCall>;
}

export type PassStranger = (call: StrangersCall) => Promise<PassedAnswer>;

/**
 * Passes calls whose token the bridge has never seen. The old backend decides; a token that it accepts is known from then
 * on, without the caller waiting for that.
 * @throws {TokenRefused | TooManyGuesses | Unavailable}
 */
export function createStrangers(context: Context): PassStranger {
  const strangers = { context, refused: createRefusedTokens(context) };
  const { refused } = strangers;
  const ask = async (call: LegacyCall) => {
    // It may have waited while another call learned that.
    if (refused.isRefused(call.token)) throw new TokenRefused();
    const { oldBackend, ending } = oldBackendFor(context, undefined);
    if (!oldBackend) throw refusalWithout(context, undefined, ending);
    const answer = await oldBackend.pass({ ...call, sender: 'stranger', takers: [networkKey(call.address)] });
    if (await isTokenRefused(oldBackend, answer, call.token)) refused.remember(call.token, call.address);
    return answer;
  };
  return async ({ token, address, readCall }) => {
    if (await isHopeless(strangers, { token })) throw new TokenRefused();
    const { call, answer } = await refused.ask(address, async () => {
      const asked = await readCall();
      return { call: asked, answer: await ask(asked) };
    });
    // What a call has just ended is nothing to remember.
    if (isGood(answer) && !isDeauthorize(call.target)) {
      const name = `observe ${context.vault.digest(call.token)}`;
      inBackground(context, name, () => observe(strangers, call, answer.status));
    }
    return answer;
  };
}
