import { builtOnce } from '../driver/built-once.ts';
import type { Database, Store } from '../driver/store.ts';
import type { App, Mapping, MappingState, NewMapping } from '../tables/tables.ts';

/** A mapping with the facts of its app, and the client of the new API that got its grant. */
export type MappingWithApp = Mapping &
  Pick<App, 'cut_over_percent'> & { app_source: App['source']; modern_client_id: string | null };

/** By their names: a migration may add a column while this process serves. */
const COLUMNS = Object.keys({
  id: true,
  token_digest: true,
  hint_first: true,
  hint_last: true,
  client_id: true,
  account_id: true,
  grant_id: true,
  state: true,
  reason: true,
  source: true,
  created_at: true,
  updated_at: true,
  account_email: true,
  last_used_at: true,
  legacy_account_id: true,
  woken_at: true,
  claimed_client_id: true,
  claimed_at: true,
  app_proven: true,
  refused_there_at: true,
} satisfies Record<keyof Mapping, true>);

const OF_MAPPING = COLUMNS.map((name) => `mappings.${name}`).join(', ');

const SERVED = `select ${OF_MAPPING}, apps.source as app_source, apps.cut_over_percent, grants.modern_client_id
  from mappings join apps using (client_id) left join grants on grants.id = mappings.grant_id where retired_at is null`;
const BY_ID = `${SERVED} and mappings.id = $1`;

const ONE_DIGEST = `${SERVED} and token_digest = $1`;

/** One text per number of digests, so that each statement is prepared once. There are only a few different numbers. */
function byDigests(count: number): string {
  // To make a text, and to find its statement by it, would cost every call more than the statement itself.
  if (count === 1) return ONE_DIGEST;
  return `${SERVED} and token_digest in (${Array.from({ length: count }, (_, index) => `$${index + 1}`).join(', ')})`;
}

/**
 * The mapping of an old token, read on every call so that a revocation takes effect at once. One statement looks for
 * all digests: with two statements, a digest that moves to another key in between would be missed by both.
 */
export async function findMapping(
  store: Store,
  tokenDigests: readonly string[],
): Promise<MappingWithApp | undefined> {
  return store.first<MappingWithApp>(byDigests(tokenDigests.length), tokenDigests);
}

/** A mapping by its id, of a live app. */
export async function findMappingById(store: Store, id: string): Promise<MappingWithApp | undefined> {
  return store.first<MappingWithApp>(BY_ID, [id]);
}

const GRANT_OF = `select mappings.client_id, grants.id as grant_id, grants.modern_client_id
  from mappings join grants on grants.id = mappings.grant_id where mappings.id = $1`;

/** The grant of a token, with its clients; also of a retired app, whose grants live. */
export async function findGrantOfMapping(
  store: Store,
  id: string,
): Promise<{ client_id: string; grant_id: string; modern_client_id: string } | undefined> {
  return store.first(GRANT_OF, [id]);
}

/** Replaces the digest of a token, if the digest is still `from`. */
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

/** Keeps the hint by which a holder recognises a token, unless there is one. */
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

/** Keeps the mapping of a new token. */
export async function insertMapping(tx: Database, mapping: NewMapping): Promise<void> {
  await tx.insertInto('mappings').values(mapping).execute();
}

type IssuedMapping = Required<
  Pick<
    NewMapping,
    'id' | 'token_digest' | 'hint_first' | 'hint_last' | 'client_id' | 'account_id' | 'grant_id'
  >
> & { now: number };

const issuing = builtOnce((tx: Database, issued: IssuedMapping) =>
  tx
    .insertInto('mappings')
    .values({
      id: issued.id,
      token_digest: issued.token_digest,
      hint_first: issued.hint_first,
      hint_last: issued.hint_last,
      client_id: issued.client_id,
      account_id: issued.account_id,
      grant_id: issued.grant_id,
      state: 'active',
      source: 'issued',
      created_at: issued.now,
      updated_at: issued.now,
    })
    .compile(),
);

/** Keeps the mapping of a token that an exchange gives. */
export async function insertIssued(tx: Database, mapping: IssuedMapping): Promise<void> {
  await issuing(tx, mapping);
}

/** An app and an account: the unit of consent, of re-authorization and of damage (docs/decisions/0001). */
export interface AppAccount {
  clientId: string;
  accountId: string;
}

interface MappingMove {
  from: readonly MappingState[];
  to: MappingState;
  reason: string | null;
  /** The grant that serves from now on; unset keeps the present grant. */
  grantId?: string;
  /** Leaves out tokens whose app is known only by a claim. */
  onlyProven?: true;
  now: number;
}

/** Moves every mapping of a pair that is in one of the states; returns the ids that moved. */
export async function moveMappings(tx: Database, pair: AppAccount, move: MappingMove): Promise<string[]> {
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

/** Moves the mappings of a grant that are in one of the states for one of these reasons. */
export async function moveMappingsOf(
  tx: Database,
  { grantId, reasons }: { grantId: string; reasons: readonly string[] },
  move: Omit<MappingMove, 'grantId'>,
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

/** Moves one mapping, if the mapping is in one of the states. The grant of the mapping stays. */
export async function moveMapping(
  tx: Database,
  id: string,
  move: Omit<MappingMove, 'grantId' | 'onlyProven'>,
): Promise<boolean> {
  const result = await tx
    .updateTable('mappings')
    .set({ state: move.to, reason: move.reason, updated_at: move.now })
    .where('id', '=', id)
    .where('state', 'in', move.from)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}
