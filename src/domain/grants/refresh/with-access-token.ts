import { REST_MAX } from '../../../shared/lifetimes.ts';
import { clearSuspicion, expireAccessToken, markSuspect } from '../../../store/grants/grants.ts';
import { Unauthorized } from '../../../upstream/main-api.ts';
import { Unavailable } from '../../../upstream/outcomes.ts';
import { accessTokenFor, type CurrentAccessToken, type WantedGrant } from './access-token.ts';
import type { GrantsDeps } from '../deps.ts';
import { backOff } from './refresh-policy.ts';

/** How many access tokens in a row may expire during a call before a person is called. */
const MAY_END_ON_THE_WAY = 2;

type AuthorizedCall<Answer> = (accessToken: string, grant: CurrentAccessToken) => Promise<Answer>;

function isRefused(error: unknown): error is Unauthorized {
  return error instanceof Unauthorized;
}

/**
 * A grant whose fresh access token is refused rests for longer each time, and a person is called (docs/decisions/0004).
 */
async function suspect(context: GrantsDeps, token: CurrentAccessToken, cause: unknown): Promise<never> {
  const rest = backOff(5 + token.suspectCount, context.chance());
  await markSuspect(context.store.durable, token.grantId, context.clock.now() + rest);
  context.logger.error('ALARM: the main API refuses a fresh access token', { grantId: token.grantId });
  throw new Unavailable('the main API refuses a fresh access token', { retryAfter: rest, cause });
}

interface RefusedCall<Answer> {
  grant: WantedGrant;
  ask: AuthorizedCall<Answer>;
  mayEndOnTheWay: number;
}

/**
 * Refreshes and calls again. If a fresh access token is refused but has expired during the call, the grant is not
 * suspect.
 */
async function askAgain<Answer>(
  context: GrantsDeps,
  refused: CurrentAccessToken,
  { grant, ask, mayEndOnTheWay }: RefusedCall<Answer>,
): Promise<Answer> {
  const version = { id: refused.grantId, version: refused.version };
  await expireAccessToken(context.store.durable, version, context.clock.now());
  const fresh = await accessTokenFor(context, grant);
  try {
    return await ask(fresh.accessToken, fresh);
  } catch (error) {
    if (!isRefused(error)) throw error;
    const hasEnded = fresh.expiresAt <= context.clock.now();
    if (!hasEnded || mayEndOnTheWay === 0) return suspect(context, fresh, error);
    return askAgain(context, fresh, { grant, ask, mayEndOnTheWay: mayEndOnTheWay - 1 });
  }
}

/**
 * Clears the suspicion. A failure here must not fail the call: a write that was done must not look like a failed write.
 */
async function trust(context: GrantsDeps, { grantId, suspectCount }: CurrentAccessToken): Promise<void> {
  if (suspectCount === 0) return;
  try {
    await clearSuspicion(context.store.durable, grantId);
  } catch (error) {
    context.logger.warn('the mark of a suspect grant could not be removed', { grantId, error });
  }
}

/**
 * Calls the main API with a live access token. A 401 causes one refresh. A 401 for a live token after a good refresh is
 * the fault of neither the caller nor the grant, so it counts as unavailable. `ask` runs again only after a 401, which
 * the main API gives before it reads the request.
 * @throws {GrantDead | Unavailable}, and the errors of `ask`
 */
export async function withAccessToken<Answer>(
  context: GrantsDeps,
  grant: WantedGrant,
  ask: AuthorizedCall<Answer>,
): Promise<Answer> {
  const token = await accessTokenFor(context, grant);
  const rest = token.suspectUntil - context.clock.now();
  if (rest > 0 && rest <= REST_MAX)
    throw new Unavailable('the main API refused the last access tokens', { retryAfter: rest });
  const answer = await ask(token.accessToken, token).catch((error: unknown) => {
    if (isRefused(error)) return askAgain(context, token, { grant, ask, mayEndOnTheWay: MAY_END_ON_THE_WAY });
    throw error;
  });
  await trust(context, token);
  return answer;
}
