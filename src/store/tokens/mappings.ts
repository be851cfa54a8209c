import type { Database, Store } from '../driver/store.ts';
import type { App, Mapping, MappingState, NewMapping } from '../tables/tables.ts';

/** A mapping with what counts of its app, and the client at the modern side that its grant was obtained with. */
export type FoundMapping = Mapping &
  Pick<App, 'cut_over_percent'> & { app_source: App['source']; modern_client_id: string | null };

const SERVED = `select mappings.*, apps.source as app_source, apps.cut_over_percent, grants.modern_client_id
  from mappings join apps using (client_id) left join grants on grants.id = mappings.grant_id where retired_at is null`;
const BY_ID = `${SERVED} and mappings.id = $1`;

/** One text for each number of digests, which are few: their statements are prepared once. */
const byDigests = (count: number) =>
  `${SERVED} and token_digest in (${Array.from({ length: count }, (_, index) => `$${index + 1}`).join(', ')})`;

/**
 * The mapping of a legacy token, read on every call so that a revocation is seen at once. All digests are looked for in
 * one statement: a digest that moves to another key in between would be found under neither.
 */
export async function findMapping(
  store: Store,
  tokenDigests: readonly string[],
): Promise<FoundMapping | undefined> {
  return store.first<FoundMapping>(byDigests(tokenDigests.length), tokenDigests);
}

/** A mapping by its id, of an app that is not retired. */
export async function findMappingById(store: Store, id: string): Promise<FoundMapping | undefined> {
  return store.first<FoundMapping>(BY_ID, [id]);
}

/** Lets a token stand on another digest of itself, if it still stands on the one that was read. */
export async function moveTokenDigest(
  db: Database,
  { id, from, to }: { id: string; from: string; to: string },
): Promise<void> {
  await db
    .updateTable('mappings')
    .set({ token_digest: to })
    .where('id', '=', id)
    .where('token_digest', '=', from)
    .execute();
}

/** Keeps by what its holder recognises a token, unless that is known. */
export async function keepHint(
  db: Database,
  id: string,
  hint: { first: string; last: string },
): Promise<void> {
  await db
    .updateTable('mappings')
    .set({ hint_first: hint.first, hint_last: hint.last })
    .where('id', '=', id)
    .where('hint_first', 'is', null)
    .execute();
}

/** Keeps the mapping of a new legacy token. */
export async function insertMapping(tx: Database, mapping: NewMapping): Promise<void> {
  await tx.insertInto('mappings').values(mapping).execute();
}

/** An app and an account: the unit of consent, of re-authorization and of damage (docs/decisions/0001). */
export interface Pair {
  clientId: string;
  accountId: string;
}

interface Move {
  from: readonly MappingState[];
  to: MappingState;
  reason: string | null;
  /** The grant that serves from now on; unset keeps the one that stands there. */
  grantId?: string;
  /** Leaves out the tokens of which only a claim says that they belong to the app. */
  onlyProven?: true;
  now: number;
}

/** Moves every mapping of a pair that is in one of the states; answers the ids that moved. */
export async function moveMappings(tx: Database, pair: Pair, move: Move): Promise<string[]> {
  const rows = await tx
    .updateTable('mappings')
    .set({
      state: move.to,
      reason: move.reason,
      updated_at: move.now,
      ...(move.grantId === undefined ? {} : { grant_id: move.grantId }),
    })
    .where('client_id', '=', pair.clientId)
    .where('account_id', '=', pair.accountId)
    .where('state', 'in', move.from)
    .$if(move.onlyProven === true, (query) =>
      query.where((eb) => eb.or([eb('source', '<>', 'observed'), eb('app_proven', '=', 1)])),
    )
    .returning('id')
    .execute();
  return rows.map((row) => row.id);
}

/** Moves the mappings that stand on a grant, are in one of the states and are so for one of these reasons. */
export async function moveMappingsOf(
  tx: Database,
  { grantId, reasons }: { grantId: string; reasons: readonly string[] },
  move: Omit<Move, 'grantId'>,
): Promise<string[]> {
  const rows = await tx
    .updateTable('mappings')
    .set({ state: move.to, reason: move.reason, updated_at: move.now })
    .where('grant_id', '=', grantId)
    .where('state', 'in', move.from)
    .where('reason', 'in', reasons)
    .returning('id')
    .execute();
  return rows.map((row) => row.id);
}

/** Moves one mapping, if it is in one of the states; its grant stays. */
export async function moveMapping(
  tx: Database,
  id: string,
  move: Omit<Move, 'grantId' | 'onlyProven'>,
): Promise<boolean> {
  const result = await tx
    .updateTable('mappings')
    .set({ state: move.to, reason: move.reason, updated_at: move.now })
    .where('id', '=', id)
    .where('state', 'in', move.from)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}
