import { sql } from 'kysely';
import { DESK_MAX, type DeskKey } from './desks.ts';
import type { Database } from '../driver/store.ts';

/** People without a known account. Their tokens came with only an address, or a user id of the old API. */

type GroupingColumn = 'account_email' | 'legacy_account_id';

interface Group extends DeskKey {
  /** In lower case; null when only the id is known. */
  email: string | null;
  legacyAccountId: string | null;
  tokens: number;
}

interface Groups {
  groups: Group[];
  isMore: boolean;
}

/**
 * Whether a token waits and belongs in this group. An address is a better name than an old id, so a token with an
 * address is counted by its address.
 */
const counts = (by: GroupingColumn) =>
  by === 'account_email'
    ? sql<boolean>`m.state = 'unmapped'`
    : sql<boolean>`m.state = 'unmapped' and m.account_email is null`;

/** `id` is the id of one of the tokens, so that links need no address. */
async function groupsBy(db: Database, by: GroupingColumn, tokensRead: number): Promise<Groups> {
  const read = db
    .selectFrom('mappings')
    .select(['id', 'state', 'account_email', 'legacy_account_id'])
    .where('account_id', 'is', null)
    .where(by, 'is not', null)
    .orderBy(by)
    .limit(tokensRead)
    .as('m');
  const rows = await db
    .selectFrom(read)
    .select((eb) => [
      `m.${by} as name`,
      sql<string | null>`min(case when ${counts(by)} then m.id end)`.as('id'),
      sql<number>`count(case when ${counts(by)} then 1 end)`.as('tokens'),
      eb.fn.countAll<number>().as('read'),
    ])
    .groupBy(`m.${by}`)
    .orderBy(`m.${by}`)
    .execute();
  const groups = rows.flatMap(({ name, id, tokens }) => {
    const named = { email: null, legacyAccountId: null, ...nameOf(by, name) };
    return id === null ? [] : [{ id, rank: -tokens, tokens, ...named }];
  });
  const isAll = rows.reduce((sum, { read: n }) => sum + n, 0) < tokensRead;
  return { groups: groups.slice(0, DESK_MAX), isMore: !isAll || groups.length > DESK_MAX };
}

function nameOf(by: GroupingColumn, name: string | null): Partial<Group> {
  return by === 'account_email' ? { email: name } : { legacyAccountId: name };
}

/**
 * The people without an account who have a waiting token, found among up to `tokensRead` tokens with addresses and as
 * many with old ids. `isMore` says that there are more people.
 */
export async function groupsWithoutAccount(db: Database, tokensRead: number): Promise<Groups> {
  const byEmail = await groupsBy(db, 'account_email', tokensRead);
  const byId = await groupsBy(db, 'legacy_account_id', tokensRead);
  return { groups: [...byEmail.groups, ...byId.groups], isMore: byEmail.isMore || byId.isMore };
}
