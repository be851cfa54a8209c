import type { ExpressionBuilder } from 'kysely';
import { groupBy } from '../../shared/group-by.ts';
import { isOneOf } from '../driver/many-rows.ts';
import type { Database } from '../driver/store.ts';
import { type Mapping, type Tables, WAITING_STATES } from '../tables/tables.ts';

/** The tokens of a reminder, with the data that the reminder needs. */

/**
 * When there are more tokens, the last used ones represent all: no person reads on, and adding up their calls takes
 * long.
 */
export const TOKENS_MAX = 2_000;

/** The holder of tokens: an account, and these normalised addresses for tokens without a known account. */
interface AccountHolder {
  accountId: string | undefined;
  emails: readonly string[];
}

/** What one look into an index finds of a holder: the tokens of the account, or those without one under an address. */
type HolderKey = Pick<Mapping, 'account_id' | 'account_email'>;

const keysOf = ({ accountId, emails }: AccountHolder): HolderKey[] => [
  ...(accountId === undefined ? [] : [{ account_id: accountId, account_email: null }]),
  ...emails.map((email) => ({ account_id: null, account_email: email })),
];

type MappingExpressions = ExpressionBuilder<Tables, 'mappings'>;

function isUnder(eb: MappingExpressions, { account_id: accountId, account_email: email }: HolderKey) {
  if (accountId !== null) return eb('account_id', '=', accountId);
  return eb.and([eb('account_id', 'is', null), eb('account_email', '=', email)]);
}

const isOf = (eb: MappingExpressions, holder: AccountHolder) =>
  eb.or(keysOf(holder).map((key) => isUnder(eb, key)));

/** A token that came with a registration and was never used is a token that no program has. */
const isOfNoProgram = (eb: MappingExpressions) =>
  eb.and([eb('state', '=', 'unmapped'), eb('source', '=', 'registration'), eb('last_used_at', 'is', null)]);

/**
 * The waiting tokens of a holder at an app that count (`countKinds`), the last used first; at most one more than
 * `TOKENS_MAX`. The account and each address have a select of their own. In one select with `or`, SQLite read every
 * waiting token of the app.
 */
export async function waitingTokensOf(
  db: Database,
  clientId: string,
  holder: AccountHolder,
): Promise<Array<Pick<Mapping, 'id' | 'account_id' | 'hint_last'>>> {
  const [first, ...others] = keysOf(holder).map((key) =>
    db
      .selectFrom('mappings')
      .select(['id', 'account_id', 'hint_last', 'last_used_at'])
      .where('client_id', '=', clientId)
      .where('state', 'in', WAITING_STATES)
      .where((eb) => eb.and([isUnder(eb, key), eb.not(isOfNoProgram(eb))])),
  );
  if (first === undefined) return [];
  const all = others.reduce((query, other) => query.unionAll(other), first);
  return db
    .selectFrom(all.as('tokens'))
    .select(['id', 'account_id', 'hint_last'])
    .orderBy('last_used_at', (order) => order.desc().nullsLast())
    .limit(TOKENS_MAX + 1)
    .execute();
}

/** A state and a source of tokens. */
export type TokenKind = Pick<Mapping, 'state' | 'source'>;

/**
 * How many tokens of these kinds each app has. Counts the tokens of one holder, or (without a holder) of all. An unused
 * token of a registration does not count.
 */
export async function countKinds(
  db: Database,
  clientIds: readonly string[],
  { kinds, holder }: { kinds: readonly TokenKind[]; holder?: AccountHolder },
): Promise<Map<string, number>> {
  const bySource = groupBy(kinds, ({ state }) => state);
  const rows = await db
    .selectFrom('mappings')
    .select((eb) => ['client_id', eb.fn.countAll<number | string>().as('tokens')])
    .where(isOneOf(db, 'client_id', clientIds))
    .where((eb) =>
      eb.or(
        [...bySource].map(([state, some]) =>
          eb.and([
            eb('state', '=', state),
            eb(
              'source',
              'in',
              some.map(({ source }) => source),
            ),
          ]),
        ),
      ),
    )
    .where((eb) => eb.not(isOfNoProgram(eb)))
    .$if(holder !== undefined, (query) => query.where((eb) => (holder ? isOf(eb, holder) : eb.lit(true))))
    .groupBy('client_id')
    .execute();
  return new Map(rows.map((row) => [row.client_id, Number(row.tokens)]));
}
