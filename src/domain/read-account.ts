import { DAY, RETRY_BASE } from '../shared/lifetimes.ts';
import { findAnswer, storeAnswer } from '../store/answers.ts';
import { expireAccessToken, postponeRefresh } from '../store/grants.ts';
import { type AccountReading, OrganizationGone, Unauthorized } from '../upstream/main-api.ts';
import { Unavailable } from '../upstream/outcomes.ts';
import { withPatience } from './patience.ts';
import { accessTokenFor } from './access-token.ts';
import type { Context } from './context.ts';

/** What the old reads are answered from, and how old it is. */
export interface Reading extends AccountReading {
  fetchedAt: number;
  /** Answered from the last known answer because the modern side is out of reach. */
  isStale: boolean;
}

/** At most this many organizations in one request; the main API takes thirty aliases (modern-api 1.7). */
const ORGANIZATIONS_PER_REQUEST = 20;

/** A grant whose fresh token is refused is not asked again before this has passed. */
const SUSPECT_FOR = 30 * RETRY_BASE;

type Ask = (accessToken: string) => Promise<AccountReading>;

/**
 * Calls the main API with a live access token. A 401 causes one refresh; a 401 after a good refresh is not the caller's
 * fault and not the grant's, so it counts as unavailable and a person is called (design 4).
 */
async function withAccessToken(context: Context, grantId: string, ask: Ask): Promise<AccountReading> {
  const { durable } = context.store;
  const first = await accessTokenFor(context, grantId);
  try {
    return await ask(first.accessToken);
  } catch (error) {
    if (!(error instanceof Unauthorized)) throw error;
  }
  await expireAccessToken(durable, { id: grantId, version: first.version }, context.clock.now());
  const second = await accessTokenFor(context, grantId);
  try {
    return await ask(second.accessToken);
  } catch (error) {
    if (!(error instanceof Unauthorized)) throw error;
    const now = context.clock.now();
    const version = { id: grantId, version: second.version };
    await expireAccessToken(durable, version, now);
    await postponeRefresh(durable, version, now + SUSPECT_FOR);
    context.logger.error('ALARM: the main API refuses a fresh access token', { grantId });
    throw new Unavailable('the main API refuses a fresh access token', {
      retryAfter: SUSPECT_FOR,
      cause: error,
    });
  }
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
async function readWhole(read: Read, known: readonly string[]): Promise<AccountReading> {
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

async function fetchReading(context: Context, grantId: string, known: readonly string[]): Promise<Reading> {
  const reading = await withAccessToken(context, grantId, (token) =>
    readWhole((ids) => context.mainApi.read(token, ids), known),
  );
  const fetchedAt = context.clock.now();
  const organizationIds = reading.account.organizations.map((organization) => organization.id);
  await storeAnswer(context.store, grantId, {
    body: JSON.stringify(reading),
    organization_ids: JSON.stringify(organizationIds),
    fetched_at: fetchedAt,
  });
  return { ...reading, fetchedAt, isStale: false };
}

/** The freshness stretches as the modern client's budget empties (design 5, rate limit). */
function freshFor(context: Context): number {
  const share = context.mainApi.remainingShare();
  return share >= 0.5
    ? context.settings.profilesFresh
    : (context.settings.profilesFresh * 0.5) / Math.max(share, 0.01);
}

/**
 * The account and channels behind a grant: the cached answer while it is fresh, else a new one; while the modern side
 * is out of reach the last known one, as long as the settings allow.
 * @throws {GrantDead | Forbidden | Unavailable}
 */
export async function readAccount(context: Context, grantId: string): Promise<Reading> {
  const cached = await findAnswer(context.store, grantId);
  const age = cached ? context.clock.now() - cached.fetched_at : Number.POSITIVE_INFINITY;
  const lastKnown = (isStale: boolean): Reading | undefined =>
    cached && { ...(JSON.parse(cached.body) as AccountReading), fetchedAt: cached.fetched_at, isStale };
  const fresh = age < freshFor(context) ? lastKnown(false) : undefined;
  if (fresh) return fresh;
  const known = cached && age < DAY ? (JSON.parse(cached.organization_ids) as string[]) : [];
  try {
    return await withPatience(
      context.flights.run(`read ${grantId}`, () => fetchReading(context, grantId, known)),
    );
  } catch (error) {
    const stale =
      error instanceof Unavailable && age < context.settings.profilesStale ? lastKnown(true) : undefined;
    if (!stale) throw error;
    context.logger.warn('served the last known answer', {
      grantId,
      ageSeconds: Math.round(age / 1000),
      error,
    });
    return stale;
  }
}
