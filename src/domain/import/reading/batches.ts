import { setImmediate } from 'node:timers/promises';
import type { Database } from '../../../store/driver/store.ts';
import { requireUsable, withUsableKeys } from '../../keys/retry-after-key-rotation.ts';
import { applyApps } from '../writing/apply-apps.ts';
import { applyPairs } from '../writing/apply-pairs.ts';
import { applyTokens } from '../writing/apply-tokens.ts';
import type { Import, Outcome } from '../outcomes.ts';
import type { Report } from '../report.ts';
import type { AppRow, PairRow, Row, TokenRow } from './rows.ts';
import type { Scratch } from './scratch.ts';

/**
 * Rows of one transaction. Others wait for its locks, about a third of a second; smaller ones write the same pages of the
 * indexes more often.
 */
const BATCH = 2500;

interface Place {
  run: Import & { namedApps: Set<string> };
  report: Report;
  /** Of a dry run, whose batches are written there. */
  scratch: Scratch | undefined;
}

/** One transaction, with keys that are still read with (under-all-keys.ts). */
async function inOneStep(
  { context }: Import,
  apply: (tx: Database) => Promise<Outcome[]>,
): Promise<Outcome[]> {
  // What another process digested with a newer key is found with that key alone.
  await context.keyring.refresh();
  return withUsableKeys(context, () =>
    context.store.transaction(async (tx) => {
      await requireUsable(tx, 'digest', context.vault.digest(''));
      return apply(tx);
    }),
  );
}

/** Collects rows by their kind, writes each kind a batch at a time, and counts what became of them. */
export class Batches {
  readonly #place: Place;
  #apps: AppRow[] = [];
  #pairs: PairRow[] = [];
  #tokens: TokenRow[] = [];

  constructor(place: Place) {
    this.#place = place;
  }

  async add({ type, row }: Row): Promise<void> {
    if (type === 'app') this.#apps.push(row);
    else if (type === 'pair') this.#pairs.push(row);
    else this.#tokens.push(row);
    const longest = Math.max(this.#apps.length, this.#pairs.length, this.#tokens.length);
    if (longest >= BATCH) await this.flush();
  }

  /** Writes what was collected. */
  async flush(): Promise<void> {
    const [pairs, apps, tokens] = [this.#pairs, this.#apps, this.#tokens];
    [this.#pairs, this.#apps, this.#tokens] = [[], [], []];
    if (pairs.length > 0) await this.#writePairs(pairs);
    if (apps.length > 0) await this.#writeApps(apps);
    if (tokens.length > 0) await this.#writeTokens(tokens);
    // The keys are looked at, and others get at the database, in between.
    await setImmediate();
  }

  #count(outcomes: readonly Outcome[]): void {
    const { report } = this.#place;
    for (const outcome of outcomes) {
      if (typeof outcome === 'string') report.count(outcome);
      else report.refuse(outcome);
    }
  }

  async #writePairs(rows: readonly PairRow[]): Promise<void> {
    const { run, scratch } = this.#place;
    await scratch?.copyForPairs(rows);
    this.#count(await inOneStep(run, (tx) => applyPairs(run, tx, rows)));
  }

  async #writeApps(rows: readonly AppRow[]): Promise<void> {
    const { run, scratch } = this.#place;
    await scratch?.copyForApps(rows);
    this.#count(await inOneStep(run, (tx) => applyApps(run, tx, rows)));
    for (const { clientId } of rows) run.namedApps.add(clientId);
  }

  async #writeTokens(rows: readonly TokenRow[]): Promise<void> {
    const { run, scratch } = this.#place;
    await scratch?.copyForTokens(rows);
    this.#count(await inOneStep(run, (tx) => applyTokens(run, tx, rows)));
  }
}
