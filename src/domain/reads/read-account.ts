import { DAY } from '../../shared/lifetimes.ts';
import type { StoredAnswer } from '../../store/grants/answers.ts';
import type { AccountReading } from '../../upstream/main-api.ts';
import { cachedAnswer, keepAnswer } from '../grants/refresh/answer-cache.ts';
import { type ShareTaker, takeNeededRead, takeRead } from '../limits/fair-shares.ts';
import { type AccountQuestion, askForAccount } from './ask-for-account.ts';
import { type GrantClient } from '../grants/grant-client.ts';
import type { ReadsDeps } from './deps.ts';
import { freshFor } from '../limits/freshness.ts';
import { isPassing, tellLastKnown, untilAnswered } from './until-answered.ts';

/** The account and channels that answer the old reads, with their age. */
export interface AccountWithAge extends AccountReading {
  fetchedAt: number;
  /** True: the new API is out of reach, and this is the last known answer. */
  isStale: boolean;
}

async function fetchReading(
  context: ReadsDeps,
  grant: GrantClient,
  question: AccountQuestion,
): Promise<AccountWithAge> {
  const grantId = grant.id;
  const { account, channels } = await askForAccount(context, grant, question);
  const fetchedAt = context.clock.now();
  const organizationIds = account.organizations.map((organization) => organization.id);
  await keepAnswer(context, grantId, {
    body: JSON.stringify({ account, channels }),
    organization_ids: JSON.stringify(organizationIds),
    fetched_at: fetchedAt,
  });
  return { account, channels, fetchedAt, isStale: false };
}

/** In milliseconds. What was never read is older than anything. */
function ageOf({ clock }: ReadsDeps, cached: StoredAnswer | undefined): number {
  return cached ? clock.now() - cached.fetched_at : Number.POSITIVE_INFINITY;
}

function readingIn({ body, fetched_at: fetchedAt }: StoredAnswer, age: { isStale: boolean }): AccountWithAge {
  return { ...(JSON.parse(body) as AccountReading), fetchedAt, ...age };
}

/** The organizations of a cached answer that is younger than a day. */
function organizationsIn(cached: StoredAnswer | undefined, age: number): string[] {
  return cached && age < DAY ? (JSON.parse(cached.organization_ids) as string[]) : [];
}

export interface AccountNeed {
  /** A caller that needs only stable fields accepts a cached answer of this age. In milliseconds. */
  acceptedAge?: number;
  /**
   * - `call`: the last known answer serves where the budget is short. The default.
   * - `unknown id`: the last known answer lacks what the call names.
   * - `person`: somebody looks whether a connection works.
   */
  wantedBy?: 'call' | 'unknown id' | 'person';
}

/** The share of the budget for a reading. */
function takerFor(wantedBy: AccountNeed['wantedBy'], hasLastKnown: boolean): ShareTaker | undefined {
  if (wantedBy === 'person') return undefined;
  return hasLastKnown && wantedBy !== 'unknown id' ? takeRead : takeNeededRead;
}

/**
 * The account and channels behind a grant. A cached answer serves while the answer is fresh; otherwise the new API is
 * asked. While the new API is out of reach, or the rest of its budget is kept for other calls, the last known answer
 * serves for as long as the settings allow.
 * @throws {GrantDead | Forbidden | LimitReached | Unavailable} the last two where no answer is known
 */
export async function readAccount(
  context: ReadsDeps,
  grant: GrantClient,
  { acceptedAge = 0, wantedBy = 'call' }: AccountNeed = {},
): Promise<AccountWithAge> {
  const cached = await cachedAnswer(context, grant.id);
  const age = ageOf(context, cached);
  const isFresh = age < Math.max(freshFor(context, grant), acceptedAge);
  if (cached && isFresh) return readingIn(cached, { isStale: false });
  const kept = age < context.settings.profilesStale ? cached : undefined;
  const take = takerFor(wantedBy, kept !== undefined);
  const read = () => fetchReading(context, grant, { known: organizationsIn(cached, age), take });
  const key = `read ${grant.id} for ${wantedBy}`;
  try {
    return await untilAnswered(context, { key, read, hasLastKnown: kept !== undefined });
  } catch (error) {
    if (!kept || !isPassing(error)) throw error;
    tellLastKnown(context, { grant, ageSeconds: Math.round(age / 1000), error });
    return readingIn(kept, { isStale: true });
  }
}
