import { rmSync } from 'node:fs';
import { makePrivateFolder } from '../../../shared/private-file.ts';
import { prepareForMany } from '../../../store/import/import-rows.ts';
import type { Origin } from '../../origin.ts';
import type { ImportDeps } from '../deps.ts';
import { keepProgress } from '../../progress/keep-progress.ts';
import { Batches } from './batches.ts';
import type { ImportEntry } from './reader.ts';
import { partsOf } from './records.ts';
import type { RefusalCount } from '../refusal-counts.ts';
import { ImportRefused, namingFile, type RowRefusal, RowRefused } from '../refusals.ts';
import { openReport, type Report, type Tally } from '../report.ts';
import { type ImportRow, readRow, rowTypeOf } from './rows.ts';
import { openScratch, removeOldScratches, type Scratch } from './scratch.ts';
import { openSource, type Source } from './source.ts';
import { createUnknownFields } from './unknown-fields.ts';
import { createWeakTokens, type WeakTokens } from './weak-tokens.ts';

/**
 * Imports the apps, id pairs and tokens of the old API from a file. The file is read three times, first for pairs, then
 * for apps, then for tokens: rows may stand in any order, and no row waits in memory. Each batch is one transaction, and
 * repeating a batch changes nothing: an import that was killed is run again.
 */

export interface ImportRequest extends SourceImport {
  /** A path, or `-` for standard input. */
  file: string;
}

interface SourceImport {
  /** The folder for reports, and for the working files of a run. */
  folder: string;
  isDryRun: boolean;
  /** With more refused rows than this, nothing is changed. Undefined: refused rows do not stop the import. */
  maxRefused?: number | undefined;
  origin: Origin;
  onProgress(progress: ImportProgress): void;
  /** Whether a key of the staff API asks. */
  isByKey?: boolean;
  /** Whether the process serves calls beside: its connection stays as it is, its batches are small, and it counts later. */
  servesBeside?: boolean;
  /** What is done after each batch. */
  afterBatch?: () => Promise<void>;
  /** Where refused rows are told, if not in a file of the folder. */
  openReport?: () => Report;
}

/** How far an import is: the bytes that were read, over all readings of the file, and the rows that were judged. */
export interface ImportProgress {
  bytes: number;
  totalBytes: number;
  tally: Tally;
  /** The numbers come from a trial: nothing is changed. */
  isTrial: boolean;
}

export interface ImportResult extends Tally {
  /** False for a dry run, and when more rows would have been refused than allowed: then nothing was changed. */
  written: boolean;
  /** Why rows were refused, the most frequent reason first. */
  refusals: RefusalCount[];
  /** The path of the report of refused rows; null when no row was refused. */
  report: string | null;
  /** Fields that the import ignored: names, and where a row of its type does not have it, words with the name. */
  unknownFields: string[];
  /** How many further fields were ignored, whose names are not told; at `HIDDEN_MAX` at least so many. */
  hiddenFields: number;
  /** The last line of a CSV file without a line end after it, whose row may be cut; null otherwise. */
  unendedLine: number | null;
  weakTokens: WeakTokens;
  /** Whether the tokens could not be counted for the pages: the count of the hour shows the import. */
  isShownLater: boolean;
}

interface Pass {
  wanted: ImportRow['type'];
  /** Whether rows of every type are read whole, so that each mistake is told once. */
  readsAll: boolean;
  note(entry: ImportEntry): void;
  refuse(refusal: RowRefusal): void;
}

function rowOf(entry: ImportEntry | RowRefusal, now: number, pass: Pass): ImportRow | undefined {
  if (!('fields' in entry)) {
    pass.refuse(entry);
    return undefined;
  }
  pass.note(entry);
  if (!pass.readsAll && rowTypeOf(entry.fields) !== pass.wanted) return undefined;
  try {
    const row = readRow({ ...entry, now });
    return row.type === pass.wanted ? row : undefined;
  } catch (error) {
    if (!(error instanceof RowRefused)) throw error;
    const { reason, field } = error;
    pass.refuse({ line: entry.line, reason, field });
    return undefined;
  }
}

/** One run over a source. A request makes one or two runs. */
interface Run {
  request: SourceImport;
  source: Source;
  /** True when the run only finds out what an import would write. */
  isTrial: boolean;
  meter: Meter;
}

/** Reports how far an import is, over all passes of the import. */
interface Meter {
  read(bytes: number, progress: Pick<ImportProgress, 'tally' | 'isTrial'>): void;
  endPass(): void;
}

const PASSES = 3;

function createMeter(request: SourceImport, size: number, runs: number): Meter {
  let passed = 0;
  return {
    read: (bytes, progress) =>
      request.onProgress({ ...progress, bytes: passed * size + bytes, totalBytes: runs * PASSES * size }),
    endPass() {
      passed += 1;
    },
  };
}

class Importer {
  readonly #run: Run;
  readonly #source: Source;
  readonly #report: Report;
  readonly #batches: Batches;
  readonly #now: number;
  readonly unknown: ReturnType<typeof createUnknownFields>;
  unendedLine: number | null = null;
  readonly weak = createWeakTokens();

  constructor(context: ImportDeps, given: Run & { report: Report; scratch: Scratch | undefined }) {
    this.#run = given;
    this.#source = given.source;
    this.unknown = createUnknownFields(given.source.format);
    this.#report = given.report;
    this.#now = context.clock.now();
    const { origin, isByKey = false, servesBeside = false, afterBatch } = given.request;
    const store = given.scratch?.store ?? context.store;
    const run = {
      context: { ...context, store },
      origin,
      isByKey,
      namedApps: new Set<string>(),
    };
    const { report, scratch } = given;
    this.#batches = new Batches({ run, report, scratch, servesBeside, afterBatch });
  }

  async run(): Promise<void> {
    const { isTrial, meter } = this.#run;
    // Before the first row is stored: from now on it is not true any more that nothing was changed.
    if (!isTrial) meter.read(0, { tally: this.#report.tally, isTrial });
    await this.#pass({
      wanted: 'pair',
      readsAll: true,
      note: (entry) => {
        this.unknown.note(entry);
        this.unendedLine = entry.unendedLine ?? null;
        this.weak.note(entry);
      },
      refuse: (refusal) => this.#report.refuse(refusal),
    });
    // The first pass has reported every line that is wrong by itself.
    const quiet = { readsAll: false, note: () => {}, refuse: () => {} };
    await this.#pass({ ...quiet, wanted: 'app' });
    await this.#pass({ ...quiet, wanted: 'token' });
  }

  async #pass(pass: Pass): Promise<void> {
    let read = 0;
    for await (const { entries, bytes } of partsOf(this.#source)) {
      read = bytes;
      for (const entry of entries) {
        const row = rowOf(entry, this.#now, pass);
        if (row) await this.#batches.add(row);
      }
      this.#run.meter.read(bytes, { tally: this.#report.tally, isTrial: this.#run.isTrial });
    }
    await this.#requireUnchanged(read);
    await this.#batches.flush();
    this.#run.meter.endPass();
  }

  /**
   * The file is read more than once, and the readings take different rows. Of a file that changes in between, rows would
   * be lost without a word.
   */
  async #requireUnchanged(read: number): Promise<void> {
    const { size, hasChanged } = this.#source;
    if (read === size && (await hasChanged?.()) !== true) return;
    const done = this.#run.isTrial ? 'Nothing was imported.' : 'Rows that were imported stay.';
    throw new ImportRefused(
      `was changed while it was read. ${done} Run the same import again once the file is whole`,
    );
  }
}

/**
 * Without a new count, pages would not show the import for up to an hour. A piece must not cost a count of all tokens.
 * Returns whether the count failed. All rows are imported by then, so a count that fails makes no import fail.
 */
async function showImport(context: ImportDeps, { isTrial, request }: Run): Promise<boolean> {
  if (isTrial) return false;
  if (request.servesBeside) {
    context.wantedCount.want();
    return false;
  }
  try {
    await keepProgress(context);
    return false;
  } catch (error) {
    context.logger.warn('the tokens could not be counted after an import', { error });
    return true;
  }
}

async function runOnce(context: ImportDeps, run: Run): Promise<ImportResult> {
  const { folder } = run.request;
  const report = run.request.openReport?.() ?? openReport(folder, context.clock.now());
  const scratch = run.isTrial ? await openScratch(context, folder) : undefined;
  try {
    if (scratch) await prepareForMany(scratch.store.durable, { isFileShared: false });
    else if (!run.request.servesBeside) await prepareForMany(context.store.durable, { isFileShared: true });
    const importer = new Importer(context, { ...run, report, scratch });
    await importer.run();
    const isShownLater = await showImport(context, run);
    return {
      ...report.tally,
      written: !run.isTrial,
      refusals: report.refusals(),
      report: report.path() ?? null,
      unknownFields: [...importer.unknown.names],
      hiddenFields: importer.unknown.hidden.size,
      unendedLine: importer.unendedLine,
      weakTokens: { count: importer.weak.count, lines: importer.weak.lines },
      isShownLater,
    };
  } finally {
    report.close();
    await scratch?.close();
  }
}

/**
 * The result of a trial with too many refused rows; undefined when the import may go on. Rows are committed batch by
 * batch, and most refusals come in the last batches, so only a trial of the whole file can tell before the first
 * commit.
 */
async function findTooMany(
  context: ImportDeps,
  run: Omit<Run, 'isTrial'>,
): Promise<ImportResult | undefined> {
  const { maxRefused } = run.request;
  if (maxRefused === undefined) return undefined;
  const trial = await runOnce(context, { ...run, isTrial: true });
  if (trial.refused > maxRefused) return trial;
  // The import itself writes the same report.
  if (trial.report !== null) rmSync(trial.report);
  return undefined;
}

/** Imports what a source holds, or says what an import would do. */
export async function importSource(
  context: ImportDeps,
  source: Source,
  request: SourceImport,
): Promise<ImportResult> {
  const { isDryRun, maxRefused } = request;
  const meter = createMeter(request, source.size, isDryRun || maxRefused === undefined ? 1 : 2);
  const run = { request, source, meter };
  const tooMany = isDryRun ? undefined : await findTooMany(context, run);
  return tooMany ?? (await runOnce(context, { ...run, isTrial: isDryRun }));
}

/**
 * Imports a file, or says what an import would do.
 * @throws {ImportRefused} in plain words, when the file holds nothing readable
 */
export async function importFile(context: ImportDeps, request: ImportRequest): Promise<ImportResult> {
  const { folder } = request;
  makePrivateFolder(folder);
  removeOldScratches(context, folder);
  const source = await openSource(request.file, folder);
  try {
    return await importSource(context, source, request);
  } catch (error) {
    throw namingFile(error, request.file);
  } finally {
    await source.close();
  }
}
