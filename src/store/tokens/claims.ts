import { type ExpressionBuilder, type ExpressionWrapper, sql, type SqlBool } from 'kysely';
import { PAGE_ROWS, type PagePosition } from '../../shared/list-pages.ts';
import { isOneOf } from '../driver/many-rows.ts';
import type { AppAccount } from './mappings.ts';
import type { Database } from '../driver/store.ts';
import { type App, type MappingState, type Tables, WAITING_STATES } from '../tables/tables.ts';

/** Tokens without a proven app: the app that their calls claim, and the consent that lists and moves them. */

/** Keeps the app that a call named, unless a call named an app before; returns whether it was kept. */
export async function keepClaim(
  tx: Database,
  { mappingId, clientId, now }: { mappingId: string; clientId: string; now: number },
): Promise<boolean> {
  const kept = await tx
    .updateTable('mappings')
    .set({ claimed_client_id: clientId, claimed_at: now })
    .where('id', '=', mappingId)
    .where('claimed_client_id', 'is', null)
    .executeTakeFirst();
  return kept.numUpdatedRows === 1n;
}

/** A token as a page lists it before a consent. */
export interface ListableToken {
  id: string;
  hint_first: string | null;
  hint_last: string | null;
  /** The present app of the token. */
  client_id: string;
  /** The name of this app. */
  program: string;
  app_source: App['source'];
  created_at: number;
  last_used_at: number | null;
}

/**
 * The waiting tokens of an account that a consent for an app may list: tokens of the unidentified program itself, and
 * tokens whose calls name the app.
 */
function listable(db: Database, { clientId, accountId }: AppAccount) {
  return db
    .selectFrom('mappings as m')
    .innerJoin('apps as a', 'a.client_id', 'm.client_id')
    .where('m.account_id', '=', accountId)
    .where('m.source', '=', 'observed')
    .where('m.state', 'in', WAITING_STATES)
    .where((eb) => eb.or([eb('a.source', '=', 'observed'), eb('m.app_proven', '=', 0)]))
    .where((eb) => eb.or([eb('m.client_id', '=', clientId), eb('m.claimed_client_id', '=', clientId)]));
}

const listableRows = (db: Database, pair: AppAccount) =>
  listable(db, pair)
    .select(['m.id', 'm.hint_first', 'm.hint_last', 'm.client_id', 'm.created_at', 'm.last_used_at'])
    .select(['a.name as program', 'a.source as app_source']);

/** The tokens that a consent may list from a position on, the oldest first; one further than a page holds. */
export async function listListable(
  db: Database,
  pair: AppAccount,
  position: PagePosition | undefined,
): Promise<ListableToken[]> {
  const isBack = position?.to === 'back';
  const direction = isBack ? 'desc' : 'asc';
  let query = listableRows(db, pair);
  if (position) {
    const { rank, id } = position.key;
    const beside = isBack ? sql`<` : sql`>`;
    query = query.where(sql<SqlBool>`(m.created_at, m.id) ${beside} (${rank}, ${id})`);
  }
  return query
    .orderBy('m.created_at', direction)
    .orderBy('m.id', direction)
    .limit(PAGE_ROWS + 1)
    .execute();
}

/** Those of these tokens that a consent may list. */
export async function findListable(
  db: Database,
  pair: AppAccount,
  ids: readonly string[],
): Promise<ListableToken[]> {
  return ids.length === 0
    ? []
    : listableRows(db, pair)
        .where(isOneOf(db, 'm.id', ids))
        .execute();
}

/** How many tokens a consent may list, and how many of them are of another app and only name this one. */
export interface ListableCount {
  all: number;
  claiming: number;
}

/** Counts the tokens that a consent may list. */
export async function countListable(db: Database, pair: AppAccount): Promise<ListableCount> {
  return listable(db, pair)
    .select((eb) => [
      eb.fn.countAll<number>().as('all'),
      eb.fn.countAll<number>().filterWhere('m.client_id', '<>', pair.clientId).as('claiming'),
    ])
    .executeTakeFirstOrThrow();
}

/** Gives listed tokens to the app of the consent; returns the tokens as they were before. */
export async function takeListed(
  tx: Database,
  pair: AppAccount,
  { ids, now }: { ids: readonly string[]; now: number },
): Promise<ListableToken[]> {
  const tokens = await findListable(tx, pair, ids);
  const taken = tokens.map(({ id }) => id);
  if (taken.length > 0)
    await tx
      .updateTable('mappings')
      .set({ client_id: pair.clientId, app_proven: 1, updated_at: now })
      .where('id', 'in', taken)
      .execute();
  return tokens;
}

/** A consent for an app and account. */
export interface Consent {
  pair: AppAccount;
  /** Whether the app is an unidentified program. A consent for a program moves only listed tokens. */
  isProgram: boolean;
  /** The mapping ids of the listed tokens. */
  listed: readonly string[];
  /** The states that a consent moves. */
  from: readonly MappingState[];
}

type MappingExpressions = ExpressionBuilder<Tables, 'mappings'>;

/**
 * An active token always moves to the new grant. A waiting token moves if its app is proven, or if the consent listed
 * the token.
 */
function isConsented(
  eb: MappingExpressions,
  { pair, isProgram, listed, from }: Consent,
): ExpressionWrapper<Tables, 'mappings', SqlBool> {
  return eb.and([
    eb('client_id', '=', pair.clientId),
    eb('account_id', '=', pair.accountId),
    eb('state', 'in', from),
    eb.or([
      eb('state', '=', 'active'),
      ...(isProgram ? [] : [eb('source', '<>', 'observed'), eb('app_proven', '=', 1)]),
      ...(listed.length === 0 ? [] : [eb('id', 'in', listed)]),
    ]),
  ]);
}

/** Whether a consent moves any token in one of its states. */
export async function hasConsented(tx: Database, consent: Consent): Promise<boolean> {
  const row = await tx
    .selectFrom('mappings')
    .select('id')
    .where((eb) => isConsented(eb, consent))
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Moves the tokens of a consent to its grant; returns the ids that moved. */
export async function moveConsented(
  tx: Database,
  consent: Consent,
  { to, grantId, now }: { to: MappingState; grantId: string; now: number },
): Promise<string[]> {
  const rows = await tx
    .updateTable('mappings')
    .set({ state: to, reason: null, grant_id: grantId, updated_at: now })
    .where((eb) => isConsented(eb, consent))
    .returning('id')
    .execute();
  return rows.map(({ id }) => id);
}
