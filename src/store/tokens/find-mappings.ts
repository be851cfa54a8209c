import { type ExpressionBuilder, type Expression, sql, type SqlBool } from 'kysely';
import type { AppAccount } from './mappings.ts';
import type { Database } from '../driver/store.ts';
import type { App, Mapping, MappingState, Tables } from '../tables/tables.ts';

/** Finds mappings by facts that people know. No search matches a pattern: every comparison is an equality. */

/** The marks of a search. A mapping has to match one of them. */
export interface MatchMarks {
  /** The id of the mapping or of its app, in each spelling that it may have. */
  ids?: readonly string[];
  accountId?: string;
  /** The first or last four characters of the token. */
  hint?: string;
  /** The token's digests under every key. */
  digests?: readonly string[];
  /** In lower case; the address of the account, of the holder that the token waits for, or of the app's owner. */
  email?: string;
}

/** A mapping with its app and the address of its account. */
export type MappingRow = Mapping &
  Pick<App, 'cut_over_percent'> & {
    app_name: string;
    app_source: App['source'];
    app_retired_at: number | null;
    email: string | null;
  };

/** The columns of a `MappingRow` beside the mapping `m`: of its app `a` and its account `c`. */
export const BESIDE_MAPPING = [
  'a.name as app_name',
  'a.source as app_source',
  'a.retired_at as app_retired_at',
  'a.cut_over_percent',
  'c.email',
] as const;

type MappingExpressions = ExpressionBuilder<Tables & { m: Tables['mappings'] }, 'm'>;

const isEmail = (column: string, email: string) => sql<SqlBool>`lower(${sql.ref(column)}) = ${email}`;

/** Whether this address belongs to the account, to the mapping or to the app's owner. */
function byEmail(eb: MappingExpressions, email: string): Array<Expression<SqlBool>> {
  const accounts = eb.selectFrom('accounts').select('account_id').where(isEmail('accounts.email', email));
  const apps = eb.selectFrom('apps').select('client_id').where(isEmail('apps.owner_email', email));
  return [
    eb('m.account_email', '=', email),
    eb('m.account_id', 'in', accounts),
    eb('m.client_id', 'in', apps),
  ];
}

function conditions(
  eb: MappingExpressions,
  { ids, accountId, hint, digests, email }: MatchMarks,
): Array<Expression<SqlBool>> {
  return [
    ...(ids === undefined ? [] : [eb('m.id', 'in', ids), eb('m.client_id', 'in', ids)]),
    ...(accountId === undefined ? [] : [eb('m.account_id', '=', accountId)]),
    ...(hint === undefined ? [] : [eb('m.hint_first', '=', hint), eb('m.hint_last', '=', hint)]),
    ...(digests === undefined ? [] : [eb('m.token_digest', 'in', digests)]),
    ...(email === undefined ? [] : byEmail(eb, email)),
  ];
}

/** Mappings with at least one of the marks, newest first. Mappings of retired apps are included. */
export async function findMappings(db: Database, marks: MatchMarks, limit: number): Promise<MappingRow[]> {
  return db
    .selectFrom('mappings as m')
    .innerJoin('apps as a', 'a.client_id', 'm.client_id')
    .leftJoin('accounts as c', 'c.account_id', 'm.account_id')
    .selectAll('m')
    .select(BESIDE_MAPPING)
    .where((eb) => eb.or(conditions(eb as unknown as MappingExpressions, marks)))
    .orderBy('m.created_at', 'desc')
    .orderBy('m.id')
    .limit(limit)
    .execute();
}

/** A mapping by its id, whatever the state of its app. */
export async function readMapping(tx: Database, id: string): Promise<Mapping | undefined> {
  return tx.selectFrom('mappings').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Whether an app and account have a token in one of the states. */
export async function hasTokenIn(
  tx: Database,
  { clientId, accountId, except = '' }: AppAccount & { except?: string },
  states: readonly MappingState[],
): Promise<boolean> {
  const token = await tx
    .selectFrom('mappings')
    .select('id')
    .where('client_id', '=', clientId)
    .where('account_id', '=', accountId)
    .where('state', 'in', states)
    .where('id', '<>', except)
    .limit(1)
    .executeTakeFirst();
  return token !== undefined;
}

/** Whether an app and account have a code that still gives a token. */
export async function hasLiveCode(
  tx: Database,
  { clientId, accountId }: AppAccount,
  now: number,
): Promise<boolean> {
  const code = await tx
    .selectFrom('legacy_codes')
    .select('code_digest')
    .where('client_id', '=', clientId)
    .where('account_id', '=', accountId)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .limit(1)
    .executeTakeFirst();
  return code !== undefined;
}
