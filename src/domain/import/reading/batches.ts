import { setImmediate } from 'node:timers/promises';
import type { Database } from '../../../store/driver/store.ts';
import { requireUsableKey, withUsableKeys } from '../../keys/retry-after-key-rotation.ts';
import { applyApps } from '../writing/apply-apps.ts';
import { applyPairs } from '../writing/apply-pairs.ts';
import { applyTokens } from '../writing/apply-tokens.ts';
import type { ImportContext, RowOutcome } from '../outcomes.ts';
import type { Report } from '../report.ts';
import type { AppImportRow, PairImportRow, ImportRow, TokenImportRow } from './rows.ts';
import type { Scratch } from './scratch.ts';

/**
 * Rows of one transaction. Other writers wait for its locks, about a third of a second. Smaller batches would write the
 * same pages of the indexes more often.
 */
const BATCH = 2500;

/** The same in a process that serves calls, which wait for the whole of a batch on SQLite. */
const BATCH_BESIDE_CALLS = 250;

interface BatchDeps {
  run: ImportContext & { namedApps: Set<string> };
  report: Report;
  /** The database that a dry run writes to; undefined for a real import. */
  scratch: Scratch | undefined;
  servesBeside: boolean;
  afterBatch: (() => Promise<void>) | undefined;
}

/** Runs `apply` in one transaction, with keys that are not dropped (`keys/retry-after-key-rotation.ts`). */
async function inOneStep(
  { context }: ImportContext,
  apply: (tx: Database) => Promise<RowOutcome[]>,
): Promise<RowOutcome[]> {
  // Values that another process digested with a newer key are found only with the newer key.
  await context.keyring.refresh();
  return withUsableKeys(context, () =>
    context.store.transaction(async (tx) => {
      await requireUsableKey(tx, 'digest', context.vault.digest(''));
      return apply(tx);
    }),
  );
}

/** Collects rows by kind, writes each kind in batches, and counts the outcomes. */
export class Batches {
  readonly #place: BatchDeps;
  #apps: AppImportRow[] = [];
  #pairs: PairImportRow[] = [];
  #tokens: TokenImportRow[] = [];

  constructor(place: BatchDeps) {
    this.#place = place;
  }

  async add({ type, row }: ImportRow): Promise<void> {
    if (type === 'app') this.#apps.push(row);
    else if (type === 'pair') this.#pairs.push(row);
    else this.#tokens.push(row);
    const longest = Math.max(this.#apps.length, this.#pairs.length, this.#tokens.length);
    if (longest >= (this.#place.servesBeside ? BATCH_BESIDE_CALLS : BATCH)) await this.flush();
  }

  /** Writes the collected rows. */
  async flush(): Promise<void> {
    const [pairs, apps, tokens] = [this.#pairs, this.#apps, this.#tokens];
    [this.#pairs, this.#apps, this.#tokens] = [[], [], []];
    if (pairs.length > 0) await this.#writePairs(pairs);
    if (apps.length > 0) await this.#writeApps(apps);
    if (tokens.length > 0) await this.#writeTokens(tokens);
    await this.#place.afterBatch?.();
    // Between batches, the process reads the keys again, and other callers reach the database.
    await setImmediate();
  }

  #count(outcomes: readonly RowOutcome[]): void {
    const { report } = this.#place;
    for (const outcome of outcomes) {
      if (typeof outcome === 'string') report.count(outcome);
      else report.refuse(outcome);
    }
  }

  async #writePairs(rows: readonly PairImportRow[]): Promise<void> {
    const { run, scratch } = this.#place;
    await scratch?.copyForPairs(rows);
    this.#count(await inOneStep(run, (tx) => applyPairs(run, tx, rows)));
  }

  async #writeApps(rows: readonly AppImportRow[]): Promise<void> {
    const { run, scratch } = this.#place;
    await scratch?.copyForApps(rows);
    this.#count(await inOneStep(run, (tx) => applyApps(run, tx, rows)));
    for (const { clientId } of rows) run.namedApps.add(clientId);
  }

  async #writeTokens(rows: readonly TokenImportRow[]): Promise<void> {
    const { run, scratch } = this.#place;
    await scratch?.copyForTokens(rows);
    this.#count(await inOneStep(run, (tx) => applyTokens(run, tx, rows)));
  }
}
