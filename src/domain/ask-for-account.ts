import { REST_MAX } from '../shared/lifetimes.ts';
import { clearSuspicion, expireAccessToken, markSuspect } from '../store/grants.ts';
import { type AccountReading, OrganizationGone, Unauthorized } from '../upstream/main-api.ts';
import { Unavailable } from '../upstream/outcomes.ts';
import { accessTokenFor, type CurrentAccessToken } from './access-token.ts';
import type { Context } from './context.ts';
import { backOff } from './refresh-policy.ts';

/** At most this many organizations in one request; the main API takes thirty aliases (modern-api 1.7). */
const ORGANIZATIONS_PER_REQUEST = 20;

/** How many access tokens in a row may end while a call with them is under way, before a person is called. */
const MAY_END_ON_THE_WAY = 2;

/** A grant and the client at the modern side that it was obtained with. */
export interface GrantClient {
  id: string;
  modernClientId: string;
}

type Ask = (accessToken: string) => Promise<AccountReading>;

function isRefused(error: unknown): error is Unauthorized {
  return error instanceof Unauthorized;
}

/** A grant whose fresh access token is refused rests for longer each time; a person is called (design 4). */
async function suspect(context: Context, token: CurrentAccessToken, cause: unknown): Promise<never> {
  const rest = backOff(5 + token.suspectCount, context.chance());
  await markSuspect(context.store.durable, token.grantId, context.clock.now() + rest);
  context.logger.error('ALARM: the main API refuses a fresh access token', { grantId: token.grantId });
  throw new Unavailable('the main API refuses a fresh access token', { retryAfter: rest, cause });
}

/** A fresh access token that is refused says nothing against its grant when it ended while the call was under way. */
async function askAgain(
  context: Context,
  refused: CurrentAccessToken,
  { ask, mayEndOnTheWay }: { ask: Ask; mayEndOnTheWay: number },
): Promise<AccountReading> {
  const version = { id: refused.grantId, version: refused.version };
  await expireAccessToken(context.store.durable, version, context.clock.now());
  const fresh = await accessTokenFor(context, refused.grantId);
  try {
    return await ask(fresh.accessToken);
  } catch (error) {
    if (!isRefused(error)) throw error;
    const hasEnded = fresh.expiresAt <= context.clock.now();
    if (!hasEnded || mayEndOnTheWay === 0) return suspect(context, fresh, error);
    return askAgain(context, fresh, { ask, mayEndOnTheWay: mayEndOnTheWay - 1 });
  }
}

/**
 * Calls the main API with a live access token. A 401 causes one refresh; a 401 for a token that still lives after a good
 * refresh is not the caller's fault and not the grant's, so it counts as unavailable.
 */
async function withAccessToken(context: Context, grantId: string, ask: Ask): Promise<AccountReading> {
  const token = await accessTokenFor(context, grantId);
  const rest = token.suspectUntil - context.clock.now();
  if (rest > 0 && rest <= REST_MAX)
    throw new Unavailable('the main API refused the last access tokens', { retryAfter: rest });
  const reading = await ask(token.accessToken).catch((error: unknown) => {
    if (isRefused(error)) return askAgain(context, token, { ask, mayEndOnTheWay: MAY_END_ON_THE_WAY });
    throw error;
  });
  if (token.suspectCount > 0) await clearSuspicion(context.store.durable, grantId);
  return reading;
}

type Read = (organizationIds: readonly string[]) => Promise<AccountReading>;

/** One request for the account and the organizations that are known; what has gone since is asked for anew. */
async function readKnown(
  read: Read,
  known: readonly string[],
): Promise<AccountReading & { answered: readonly string[] }> {
  try {
    return { ...(await read(known)), answered: known };
  } catch (error) {
    if (!(error instanceof OrganizationGone)) throw error;
    return { ...(await read([])), answered: [] };
  }
}

/** The account and the channels of all its organizations; one request once the organizations are known. */
async function readOrganizations(read: Read, known: readonly string[]): Promise<AccountReading> {
  const first = await readKnown(read, known.slice(0, ORGANIZATIONS_PER_REQUEST));
  const ids = first.account.organizations.map((organization) => organization.id);
  const missing = ids.filter((id) => !first.answered.includes(id));
  const channels = first.channels.filter((channel) => ids.includes(channel.organizationId));
  for (let start = 0; start < missing.length; start += ORGANIZATIONS_PER_REQUEST) {
    channels.push(...(await read(missing.slice(start, start + ORGANIZATIONS_PER_REQUEST))).channels);
  }
  const place = new Map(ids.map((id, index) => [id, index]));
  channels.sort((a, b) => (place.get(a.organizationId) ?? 0) - (place.get(b.organizationId) ?? 0));
  return { account: first.account, channels };
}

/** An account whose organizations change while they are read is read again later; the last known answer serves. */
async function readWhole(read: Read, known: readonly string[]): Promise<AccountReading> {
  try {
    return await readOrganizations(read, known);
  } catch (cause) {
    if (!(cause instanceof OrganizationGone)) throw cause;
    throw new Unavailable('the organizations changed while they were read', { cause });
  }
}

/**
 * Asks the main API for the account and channels behind a grant; `known` are the organizations it had last time.
 * @throws {GrantDead | Forbidden | Unavailable}
 */
export function askForAccount(
  context: Context,
  { id, modernClientId }: GrantClient,
  known: readonly string[],
): Promise<AccountReading> {
  const mainApi = context.sides.mainApiFor(modernClientId);
  return withAccessToken(context, id, (token) => readWhole((ids) => mainApi.read(token, ids), known));
}
