import type { IdKind } from '../../../store/tables/existing-token-tables.ts';
import { changeAccountPair } from '../../../store/import/import-changes.ts';
import { addRows, rowsWith } from '../../../store/import/import-rows.ts';
import type { Database } from '../../../store/driver/store.ts';
import { applyAccountPairs } from '../../accounts/apply-account-pairs.ts';
import type { ImportContext, RowOutcome } from '../outcomes.ts';
import { type PairLimit, pairLimitOf, type PairPlace } from './key-limits.ts';
import { differ } from './owners.ts';
import type { Objection } from '../refusals.ts';
import type { PairImportRow } from '../reading/rows.ts';

/** Imports the pairs of legacy ids (old API) and modern ids (new API). */

interface Pair {
  kind: IdKind;
  legacyId: string;
  modernId: string | null;
  email: string | null;
  isNew: boolean;
  changes: { modern_id?: string; email?: string };
}

/** By kind and legacy id, and by kind and modern id. */
interface PairIndex {
  byLegacy: Map<string, Pair>;
  byModern: Map<string, Pair>;
}

const keyOf = (kind: IdKind, id: string) => `${kind} ${id}`;

function keep({ byLegacy, byModern }: PairIndex, pair: Pair): void {
  byLegacy.set(keyOf(pair.kind, pair.legacyId), pair);
  if (pair.modernId !== null) byModern.set(keyOf(pair.kind, pair.modernId), pair);
}

async function lookUp(tx: Database, rows: readonly PairImportRow[]): Promise<PairIndex> {
  const legacyIds = rows.map(({ legacyId }) => legacyId);
  const modernIds = rows.map(({ modernId }) => modernId).filter((id) => id !== null);
  const found: PairIndex = { byLegacy: new Map(), byModern: new Map() };
  const known = [
    ...(await rowsWith(tx, { table: 'id_pairs', column: 'legacy_id' }, legacyIds)),
    ...(await rowsWith(tx, { table: 'id_pairs', column: 'modern_id' }, modernIds)),
  ];
  for (const { kind, legacy_id: legacyId, modern_id: modernId, email } of known) {
    const earlier = found.byLegacy.get(keyOf(kind, legacyId));
    if (!earlier) keep(found, { kind, legacyId, modernId, email, isNew: false, changes: {} });
  }
  return found;
}

function findConflict(row: PairImportRow, { byLegacy, byModern }: PairIndex): Objection | undefined {
  const pair = byLegacy.get(keyOf(row.kind, row.legacyId));
  const holder = row.modernId === null ? undefined : byModern.get(keyOf(row.kind, row.modernId));
  if (holder && holder.legacyId !== row.legacyId)
    return { field: 'modern_id', reason: 'is paired with another legacy id' };
  if (!pair) return undefined;
  if (differ(row.modernId, pair.modernId))
    return { field: 'legacy_id', reason: 'is paired with another modern id' };
  const isOtherAddress = pair.modernId === null && differ(row.email, pair.email);
  return isOtherAddress ? { field: 'legacy_id', reason: 'is paired with another e-mail' } : undefined;
}

function placeOf({ kind, legacyId, modernId }: PairImportRow, pair: Pair | undefined): PairPlace {
  return { kind, legacyId, modernId: modernId ?? pair?.modernId ?? null };
}

/** Fills in what a known pair lacks; returns whether it lacked any of it. */
function fillIn(pair: Pair, { modernId, email }: PairImportRow): boolean {
  const changes = {
    ...(pair.modernId === null && modernId !== null && { modern_id: modernId }),
    ...(pair.email === null && email !== null && { email }),
  };
  pair.modernId ??= modernId;
  pair.email ??= email;
  Object.assign(pair.changes, changes);
  return Object.keys(changes).length > 0;
}

function settle(row: PairImportRow, found: PairIndex, limit: PairLimit): RowOutcome {
  const { line, kind, legacyId, modernId, email } = row;
  const pair = found.byLegacy.get(keyOf(kind, legacyId));
  const problem = findConflict(row, found) ?? limit(placeOf(row, pair));
  if (problem !== undefined) return { line, ...problem };
  if (!pair) {
    keep(found, { kind, legacyId, modernId, email, isNew: true, changes: {} });
    return 'new';
  }
  if (!fillIn(pair, row)) return 'known';
  keep(found, pair);
  return 'changed';
}

/** Imports id pairs in one transaction; returns the outcome of each row. */
export async function applyPairs(
  run: ImportContext,
  tx: Database,
  rows: readonly PairImportRow[],
): Promise<RowOutcome[]> {
  const now = run.context.clock.now();
  const found = await lookUp(tx, rows);
  const legacyIds = rows.map(({ legacyId }) => legacyId);
  const limit = run.isByKey ? await pairLimitOf(tx, legacyIds) : () => undefined;
  const outcomes = rows.map((row) => settle(row, found, limit));
  const pairs = [...found.byLegacy.values()].toSorted((a, b) => (a.legacyId < b.legacyId ? -1 : 1));
  const added = pairs
    .filter(({ isNew }) => isNew)
    .map(({ kind, legacyId, modernId, email }) => {
      const ids = { kind, legacy_id: legacyId, modern_id: modernId, email };
      return { ...ids, source: 'imported' as const, created_at: now };
    });
  await addRows(tx, { table: 'id_pairs', column: 'legacy_id' }, added);
  const changed = pairs.filter((pair) => !pair.isNew && Object.keys(pair.changes).length > 0);
  for (const { legacyId, changes } of changed) await changeAccountPair(tx, legacyId, changes);
  // Where something stands under an old id, a key leaves it there.
  if (run.isByKey) return outcomes;
  // Known pairs are applied too: rows that were added after a pair was stored may not have been compared with the pair.
  const accounts = pairs.filter(({ kind }) => kind === 'account');
  await applyAccountPairs(run.context, tx, { pairs: accounts, origin: run.origin });
  return outcomes;
}
