import { rmSync } from 'node:fs';
import { makePrivateFolder } from '../../../shared/private-file.ts';
import { prepareForMany } from '../../../store/import/import-rows.ts';
import type { Context, Origin } from '../../context.ts';
import { keepProgress } from '../../progress/keep-progress.ts';
import { Batches } from './batches.ts';
import type { Entry } from './reader.ts';
import { partsOf } from './records.ts';
import type { RefusalCount } from '../refusal-counts.ts';
import { ImportRefused, type Refusal, RowRefused } from '../refusals.ts';
import { openReport, type Report, type Tally } from '../report.ts';
import { type Row, readRow } from './rows.ts';
import { openScratch, removeOldScratches, type Scratch } from './scratch.ts';
import { openSource, type Source } from './source.ts';
import { createUnknownFields } from './unknown-fields.ts';

/**
 * Takes over the apps, id pairs and tokens of the older generation from a file. The file is read twice,
 * first for its apps and pairs, then for its tokens, so that they may stand in any order and nothing has to wait in
 * memory. Each batch is one transaction and repeating one changes nothing: an import that was killed is run again.
 */

export interface ImportRequest {
  /** A path, or `-` for standard input. */
  file: string;
  /** Where reports are kept, and what a run needs for itself. */
  folder: string;
  isDryRun: boolean;
  /** With more refused rows than these nothing is changed; undefined: refused rows stop nothing. */
  maxRefused?: number | undefined;
  origin: Origin;
  onProgress(progress: Progress): void;
}

/** How far an import is: of its bytes, which are read several times, and the rows that were looked at in full. */
export interface Progress {
  bytes: number;
  totalBytes: number;
  tally: Tally;
  /** What is counted would be so: nothing is changed. */
  isTrial: boolean;
}

export interface Imported extends Tally {
  /** False of a dry run, and where more rows would have been refused than may be: then nothing was changed. */
  written: boolean;
  /** Why rows were refused, the most frequent first. */
  refusals: RefusalCount[];
  /** The path of the report of what was refused; null where nothing was. */
  report: string | null;
  /** Names of fields that were left aside. */
  unknownFields: string[];
}

interface Pass {
  isWanted(row: Row): boolean;
  note(entry: Entry): void;
  refuse(refusal: Refusal): void;
}

function rowOf(entry: Entry | Refusal, now: number, pass: Pass): Row | undefined {
  if (!('fields' in entry)) {
    pass.refuse(entry);
    return undefined;
  }
  pass.note(entry);
  try {
    return readRow({ ...entry, now });
  } catch (error) {
    if (!(error instanceof RowRefused)) throw error;
    const { reason, field } = error;
    pass.refuse({ line: entry.line, reason, field });
    return undefined;
  }
}

/** One run over a source, of one or two that a request makes. */
interface Run {
  request: ImportRequest;
  source: Source;
  /** Whether it writes, or only finds out what would be written. */
  isTrial: boolean;
  meter: Meter;
}

/** Says how far an import is over all passes that it makes. */
interface Meter {
  read(bytes: number, progress: Pick<Progress, 'tally' | 'isTrial'>): void;
  endPass(): void;
}

const PASSES = 2;

function createMeter(request: ImportRequest, size: number, runs: number): Meter {
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
  readonly unknown = createUnknownFields();

  constructor(context: Context, given: Run & { report: Report; scratch: Scratch | undefined }) {
    this.#run = given;
    this.#source = given.source;
    this.#report = given.report;
    this.#now = context.clock.now();
    const { origin } = given.request;
    const store = given.scratch?.store ?? context.store;
    const run = {
      context: { ...context, store },
      origin,
      namedApps: new Set<string>(),
    };
    this.#batches = new Batches({ run, report: given.report, scratch: given.scratch });
  }

  async run(): Promise<void> {
    await this.#pass({
      isWanted: ({ type }) => type !== 'token',
      note: ({ fields }) => this.unknown.note(fields),
      refuse: (refusal) => this.#report.refuse(refusal),
    });
    // What is wrong with a line by itself was told by now.
    await this.#pass({ isWanted: ({ type }) => type === 'token', note: () => {}, refuse: () => {} });
  }

  async #pass(pass: Pass): Promise<void> {
    for await (const { entries, bytes } of partsOf(this.#source)) {
      for (const entry of entries) {
        const row = rowOf(entry, this.#now, pass);
        if (row && pass.isWanted(row)) await this.#batches.add(row);
      }
      this.#run.meter.read(bytes, { tally: this.#report.tally, isTrial: this.#run.isTrial });
    }
    await this.#batches.flush();
    this.#run.meter.endPass();
  }
}

async function runOnce(context: Context, run: Run): Promise<Imported> {
  const { folder } = run.request;
  const report = openReport(folder, context.clock.now());
  const scratch = run.isTrial ? await openScratch(context, folder) : undefined;
  try {
    await prepareForMany(scratch?.store.durable ?? context.store.durable);
    const importer = new Importer(context, { ...run, report, scratch });
    await importer.run();
    // Pages that tell the last count would know nothing of the import for an hour.
    if (!run.isTrial) await keepProgress(context);
    return {
      ...report.tally,
      written: !run.isTrial,
      refusals: report.refusals(),
      report: report.path() ?? null,
      unknownFields: [...importer.unknown.names],
    };
  } finally {
    report.close();
    await scratch?.close();
  }
}

/**
 * What a trial finds, where it finds too much; undefined where the import may go on. Rows are committed a batch at a time,
 * and most refusals come with the last batches: only a trial of the whole file can say before the first one.
 */
async function findTooMany(context: Context, run: Omit<Run, 'isTrial'>): Promise<Imported | undefined> {
  const { maxRefused } = run.request;
  if (maxRefused === undefined) return undefined;
  const trial = await runOnce(context, { ...run, isTrial: true });
  if (trial.refused > maxRefused) return trial;
  // The import itself reports the same.
  if (trial.report !== null) rmSync(trial.report);
  return undefined;
}

/**
 * Imports a file, or says what that would do.
 * @throws {ImportRefused} in plain words, when nothing in it can be read
 */
export async function importFile(context: Context, request: ImportRequest): Promise<Imported> {
  const { folder, isDryRun, maxRefused } = request;
  makePrivateFolder(folder);
  removeOldScratches(folder);
  const source = await openSource(request.file, folder);
  const meter = createMeter(request, source.size, isDryRun || maxRefused === undefined ? 1 : 2);
  const run = { request, source, meter };
  try {
    const tooMany = isDryRun ? undefined : await findTooMany(context, run);
    return tooMany ?? (await runOnce(context, { ...run, isTrial: isDryRun }));
  } catch (error) {
    if (error instanceof ImportRefused) throw new ImportRefused(`${request.file} ${error.message}`);
    throw error;
  } finally {
    await source.close();
  }
}
