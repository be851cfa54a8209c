import { sql, type SqlBool } from 'kysely';
import { CLOCKS_DIFFER } from '../../shared/lifetimes.ts';
import { builtOnce, changedOne } from '../driver/built-once.ts';
import { deletePiece, FIRST_PIECE, type PieceResult } from '../driver/pieces.ts';
import type { Database } from '../driver/store.ts';
import type { LegacyCode, NewLegacyCode } from '../tables/tables.ts';

/** Keeps a new old-API code. */
export async function insertCode(tx: Database, code: NewLegacyCode): Promise<void> {
  await tx.insertInto('legacy_codes').values(code).execute();
}

/** Each column by its name: rows of `select *` are made by the binding, which costs three times as much. */
const COLUMNS = [
  'code_digest',
  'client_id',
  'redirect_uri',
  'redirect_uri_given',
  'account_id',
  'grant_id',
  'created_at',
  'expires_at',
  'used_at',
  'mapping_id',
] as const;

const byDigest = builtOnce((db: Database, { digest }: { digest: string | undefined }) =>
  db
    .selectFrom('legacy_codes')
    .select(COLUMNS)
    .where('code_digest', '=', digest as string)
    .compile(),
);

/** Finds a code by its digest, spent or not. For checks that must not spend the code. */
export async function findCode(
  db: Database,
  codeDigests: readonly string[],
): Promise<LegacyCode | undefined> {
  if (codeDigests.length === 1) return (await byDigest(db, { digest: codeDigests[0] })).rows[0];
  return db.selectFrom('legacy_codes').selectAll().where('code_digest', 'in', codeDigests).executeTakeFirst();
}

interface CodeClaim {
  codeDigest: string;
  clientId: string;
  mappingId: string;
  now: number;
}

const claiming = builtOnce((tx: Database, claim: CodeClaim & { latest: number }) =>
  tx
    .updateTable('legacy_codes')
    .set({ used_at: claim.now, mapping_id: claim.mappingId })
    .where('code_digest', '=', claim.codeDigest)
    .where('client_id', '=', claim.clientId)
    .where('used_at', 'is', null)
    .where('created_at', '<=', claim.latest)
    .where('expires_at', '>', claim.now)
    .compile(),
);

/**
 * Spends a code, once, for the app that got the code. The code is valid strictly before `expires_at`, and not before
 * `created_at`, so that a clock set back cannot revive the code. The clock of the machine that made the code may be a
 * little ahead.
 */
export async function claimCode(
  tx: Database,
  { codeDigest, clientId, mappingId, now }: CodeClaim,
): Promise<boolean> {
  const latest = now + CLOCKS_DIFFER;
  return changedOne(await claiming(tx, { codeDigest, clientId, mappingId, now, latest }));
}

/** Ends all unspent codes of an app and account. */
export async function voidCodes(
  tx: Database,
  pair: { clientId: string; accountId: string },
  now: number,
): Promise<void> {
  await tx
    .updateTable('legacy_codes')
    .set({ used_at: now })
    .where('client_id', '=', pair.clientId)
    .where('account_id', '=', pair.accountId)
    .where('used_at', 'is', null)
    .execute();
}

/** Removes a piece of the codes that ended before the given time. */
export function deleteCodesBefore(db: Database, time: number, piece = FIRST_PIECE): Promise<PieceResult> {
  const rows = { table: 'legacy_codes', key: 'code_digest', by: 'expires_at' };
  return deletePiece(db, { ...rows, which: sql<SqlBool>`expires_at < ${time}` }, piece);
}
