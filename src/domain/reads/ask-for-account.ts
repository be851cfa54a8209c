import { chunksOf } from '../../shared/chunks-of.ts';
import type { GrantClient } from '../grants/grant-client.ts';
import { mainApiOf } from '../grants/main-api-of.ts';
import { type AccountReading, Forbidden, isNotShown, OrganizationGone } from '../../upstream/main-api.ts';
import { Unavailable } from '../../upstream/outcomes.ts';
import type { ShareTaker } from '../limits/fair-shares.ts';
import type { ReadsDeps } from './deps.ts';
import { readWithAccessToken } from '../grants/refresh/read-with-token.ts';

/** At most this many organizations in one request: the main API takes at most thirty aliases. */
const ORGANIZATIONS_PER_REQUEST = 20;

type AccountReader = (organizationIds: readonly string[]) => Promise<AccountReading>;

/**
 * One request for the account and its known organizations; repeated without organizations if one is shown no longer. The new
 * API forbids an organization that the account has left. An account that is forbidden too says that a scope is missing.
 */
async function readKnown(
  read: AccountReader,
  known: readonly string[],
): Promise<AccountReading & { answered: readonly string[] }> {
  try {
    const { account, channels } = await read(known);
    return { account, channels, answered: known };
  } catch (error) {
    if (known.length === 0 || !isNotShown(error)) throw error;
    const { account, channels } = await read([]);
    return { account, channels, answered: [] };
  }
}

async function hasAll(read: AccountReader, ids: readonly string[]): Promise<boolean> {
  const { account } = await read([]);
  const listed = new Set(account.organizations.map(({ id }) => id));
  return ids.every((id) => listed.has(id));
}

/**
 * The channels of organizations that the account was just said to have: one that is not shown has gone since. Where the account
 * still has all of them and they are forbidden, a scope is missing, and no later read would be shown more.
 */
async function readListed(read: AccountReader, ids: readonly string[]): Promise<AccountReading['channels']> {
  try {
    return (await read(ids)).channels;
  } catch (cause) {
    if (!isNotShown(cause)) throw cause;
    if (cause instanceof Forbidden && (await hasAll(read, ids))) throw cause;
    throw new OrganizationGone('an organization went between two requests', { cause });
  }
}

/** The account and the channels of all its organizations. One request suffices once the organizations are known. */
async function readOrganizations(read: AccountReader, known: readonly string[]): Promise<AccountReading> {
  const first = await readKnown(read, known.slice(0, ORGANIZATIONS_PER_REQUEST));
  const ids = first.account.organizations.map((organization) => organization.id);
  const missing = ids.filter((id) => !first.answered.includes(id));
  const channels = first.channels.filter((channel) => ids.includes(channel.organizationId));
  for (const some of chunksOf(missing, ORGANIZATIONS_PER_REQUEST))
    channels.push(...(await readListed(read, some)));
  const place = new Map(ids.map((id, index) => [id, index]));
  channels.sort((a, b) => (place.get(a.organizationId) ?? 0) - (place.get(b.organizationId) ?? 0));
  return { account: first.account, channels };
}

/**
 * Organizations that change during the reading make the account unavailable: the caller uses the last known answer and
 * reads again later.
 */
async function readWhole(read: AccountReader, known: readonly string[]): Promise<AccountReading> {
  try {
    return await readOrganizations(read, known);
  } catch (cause) {
    if (!(cause instanceof OrganizationGone)) throw cause;
    throw new Unavailable('the organizations changed while they were read', { cause });
  }
}

/** What a reading knows before it begins, and the share of the budget that it may use. */
export interface AccountQuestion {
  /** The organizations of the last answer. */
  known: readonly string[];
  /** Counts each request before it is sent; absent for a person's look, which no flood of calls may prevent. */
  take?: ShareTaker | undefined;
}

/**
 * Asks the main API for the account and channels behind a grant.
 * @throws {GrantDead | Forbidden | LimitReached | Unavailable}
 */
export function askForAccount(
  context: ReadsDeps,
  grant: GrantClient,
  { known, take }: AccountQuestion,
): Promise<AccountReading> {
  const mainApi = mainApiOf(context, grant);
  return readWithAccessToken(context, grant, (token) => {
    const read: AccountReader = async (ids) => {
      take?.(context, grant);
      return mainApi.read(token, ids);
    };
    return readWhole(read, known);
  });
}
