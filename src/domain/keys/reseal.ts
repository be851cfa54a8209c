import {
  countSealed,
  listSealedOtherwise,
  replaceSealed,
  SEALED_COLUMNS,
} from '../../store/keys/sealed-columns.ts';
import type { SealedColumn, SealedRow } from '../../store/keys/sealed-columns.ts';
import type { KeysDeps } from './deps.ts';
import { placeIn } from './sealing-context.ts';
import { requireUsableKey } from './retry-after-key-rotation.ts';

/**
 * Seals every value again under the active key (docs/decisions/0007), while the bridge serves. A value is replaced only
 * if it is still the value that was read. So a refresh in between wins, and an interrupted run can be repeated.
 */

/** Rows in one transaction. The number is small, because other writers wait for the transaction. */
const BATCH = 100;

export interface ResealResult {
  resealed: number;
  /** Values that do not open, by table, column and row. They stay unchanged. */
  unreadable: string[];
}

interface Run {
  context: KeysDeps;
  keyId: string;
  result: ResealResult;
  onProgress: (done: number) => void;
}

/** Seals a row again; undefined when its value does not open. */
function sealAnew({ context, result }: Run, column: SealedColumn, row: SealedRow) {
  const place = placeIn(column, row);
  try {
    return {
      id: row.id,
      from: row.sealed,
      to: context.vault.seal(place, context.vault.open(place, row.sealed)),
    };
  } catch {
    result.unreadable.push(place);
    return undefined;
  }
}

async function replaceAll(
  { context }: Run,
  column: SealedColumn,
  rows: readonly ReturnType<typeof sealAnew>[],
) {
  return context.store.transaction(async (tx) => {
    let replaced = 0;
    // A run that was paused may hold a dropped key. No other process could open values sealed with this key.
    const [first] = rows.filter((row) => row !== undefined);
    if (first) await requireUsableKey(tx, 'sealing', first.to);
    for (const row of rows) if (row && (await replaceSealed(tx, column, row))) replaced += 1;
    return replaced;
  });
}

async function resealColumn(run: Run, column: SealedColumn): Promise<void> {
  const { context, keyId, result } = run;
  for (let after = ''; ; ) {
    const page = { keyId, after, limit: BATCH };
    const rows = await listSealedOtherwise(context.store.durable, column, page);
    const last = rows.at(-1);
    if (!last) return;
    after = last.id;
    const anew = rows.map((row) => sealAnew(run, column, row));
    result.resealed += await replaceAll(run, column, anew);
    run.onProgress(result.resealed);
  }
}

/** How many values are not sealed with the active key. */
export async function countToReseal(context: KeysDeps, keyId: string): Promise<number> {
  const counts = SEALED_COLUMNS.map((column) =>
    countSealed(context.store.durable, column, { keyId, otherwise: true }),
  );
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
}

/** Seals again all values that are not sealed with the active key. `onProgress` receives the number of values done. */
export async function resealAll(
  context: KeysDeps,
  { keyId, onProgress }: { keyId: string; onProgress: (done: number) => void },
): Promise<ResealResult> {
  const result: ResealResult = { resealed: 0, unreadable: [] };
  for (const column of SEALED_COLUMNS) await resealColumn({ context, keyId, result, onProgress }, column);
  return result;
}
