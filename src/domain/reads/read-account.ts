import { DAY } from '../../shared/lifetimes.ts';
import type { StoredAnswer } from '../../store/grants/answers.ts';
import type { AccountReading } from '../../upstream/main-api.ts';
import { Unavailable } from '../../upstream/outcomes.ts';
import { cachedAnswer, keepAnswer } from '../grants/refresh/answer-cache.ts';
import { askForAccount } from './ask-for-account.ts';
import { type GrantClient } from '../grants/grant-client.ts';
import type { ReadsDeps } from './deps.ts';
import { freshFor } from '../limits/freshness.ts';
import { tellLastKnown, untilAnswered } from './until-answered.ts';

/** The account and channels that answer the old reads, with their age. */
export interface AccountWithAge extends AccountReading {
  fetchedAt: number;
  /** True: the new API is out of reach, and this is the last known answer. */
  isStale: boolean;
}

async function fetchReading(
  context: ReadsDeps,
  grant: GrantClient,
  known: readonly string[],
): Promise<AccountWithAge> {
  const grantId = grant.id;
  const reading = await askForAccount(context, grant, known);
  const fetchedAt = context.clock.now();
  const organizationIds = reading.account.organizations.map((organization) => organization.id);
  await keepAnswer(context, grantId, {
    body: JSON.stringify(reading),
    organization_ids: JSON.stringify(organizationIds),
    fetched_at: fetchedAt,
  });
  return { ...reading, fetchedAt, isStale: false };
}

/** The organizations of a cached answer that is younger than a day. */
function organizationsIn(cached: StoredAnswer | undefined, age: number): string[] {
  return cached && age < DAY ? (JSON.parse(cached.organization_ids) as string[]) : [];
}

/**
 * The account and channels behind a grant. A cached answer serves while the answer is fresh; otherwise the new API is
 * asked. While the new API is out of reach, the last known answer serves for as long as the settings allow. A caller
 * that needs only stable fields may accept an older cached answer (`acceptedAge`, milliseconds).
 * @throws {GrantDead | Forbidden | Unavailable}
 */
export async function readAccount(
  context: ReadsDeps,
  grant: GrantClient,
  acceptedAge = 0,
): Promise<AccountWithAge> {
  const grantId = grant.id;
  const cached = await cachedAnswer(context, grantId);
  const age = cached ? context.clock.now() - cached.fetched_at : Number.POSITIVE_INFINITY;
  const lastKnown = (isStale: boolean): AccountWithAge | undefined =>
    cached && { ...(JSON.parse(cached.body) as AccountReading), fetchedAt: cached.fetched_at, isStale };
  const fresh = age < Math.max(freshFor(context, grant), acceptedAge) ? lastKnown(false) : undefined;
  if (fresh) return fresh;
  const known = organizationsIn(cached, age);
  const hasLastKnown = cached !== undefined && age < context.settings.profilesStale;
  const read = () => fetchReading(context, grant, known);
  try {
    return await untilAnswered(context, { key: `read ${grantId}`, read, hasLastKnown });
  } catch (error) {
    const stale = error instanceof Unavailable && hasLastKnown ? lastKnown(true) : undefined;
    if (!stale) throw error;
    tellLastKnown(context, { grant, ageSeconds: Math.round(age / 1000), error });
    return stale;
  }
}
