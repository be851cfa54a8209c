import { makePrivateFolder } from '../../shared/private-file.ts';
import { prepareForMany } from '../../store/import-rows.ts';
import type { Context, Origin } from '../context.ts';
import { keepProgress } from '../progress/keep-progress.ts';
import { Batches } from './batches.ts';
import type { Entry } from './reader.ts';
import { partsOf } from './records.ts';
import { ImportRefused, type Refusal, RowRefused } from './refusals.ts';
import { openReport, type Report, type Tally } from './report.ts';
import { type Row, readRow } from './rows.ts';
import { openScratch, removeOldScratches, type Scratch } from './scratch.ts';
import { openSource, type Source } from './source.ts';
import { createUnknownFields } from './unknown-fields.ts';

/**
 * Takes over the apps, id pairs and tokens of the older generation from a file (design 11). The file is read twice,
 * first for its apps and pairs, then for its tokens, so that they may stand in any order and nothing has to wait in
 * memory. Each batch is one transaction and repeating one changes nothing: an import that was killed is run again.
 */

export interface ImportRequest {
  /** A path, or `-` for standard input. */
  file: string;
  /** Where reports are kept, and what a run needs for itself. */
  folder: string;
  isDryRun: boolean;
  origin: Origin;
  onProgress(progress: Progress): void;
}

/** How far an import is: of its bytes, which are read twice, and the rows that were looked at in full. */
export interface Progress {
  bytes: number;
  totalBytes: number;
  tally: Tally;
}

export interface Imported extends Tally {
  /** The path of the report of what was refused. */
  report: string;
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

class Importer {
  readonly #request: ImportRequest;
  readonly #source: Source;
  readonly #report: Report;
  readonly #batches: Batches;
  readonly #now: number;
  readonly unknown = createUnknownFields();

  constructor(
    context: Context,
    given: { request: ImportRequest; source: Source; report: Report; scratch: Scratch | undefined },
  ) {
    this.#request = given.request;
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
    const { size } = this.#source;
    await this.#pass(0, {
      isWanted: ({ type }) => type !== 'token',
      note: ({ fields }) => this.unknown.note(fields),
      refuse: (refusal) => this.#report.refuse(refusal),
    });
    // What is wrong with a line by itself was told by now.
    const isToken: Pass = { isWanted: ({ type }) => type === 'token', note: () => {}, refuse: () => {} };
    await this.#pass(size, isToken);
  }

  async #pass(bytesBefore: number, pass: Pass): Promise<void> {
    const { size } = this.#source;
    const { tally } = this.#report;
    for await (const { entries, bytes } of partsOf(this.#source)) {
      for (const entry of entries) {
        const row = rowOf(entry, this.#now, pass);
        if (row && pass.isWanted(row)) await this.#batches.add(row);
      }
      this.#request.onProgress({ bytes: bytesBefore + bytes, totalBytes: 2 * size, tally });
    }
    await this.#batches.flush();
  }
}

/**
 * Imports a file, or says what that would do.
 * @throws {ImportRefused} in plain words, when nothing in it can be read
 */
export async function importFile(context: Context, request: ImportRequest): Promise<Imported> {
  const { folder, isDryRun } = request;
  makePrivateFolder(folder);
  removeOldScratches(folder);
  const source = await openSource(request.file, folder);
  const report = openReport(folder, context.clock.now());
  const scratch = isDryRun ? await openScratch(context, folder) : undefined;
  try {
    await prepareForMany(scratch?.store.durable ?? context.store.durable);
    const importer = new Importer(context, { request, source, report, scratch });
    await importer.run();
    // Pages that tell the last count would know nothing of the import for an hour.
    if (!isDryRun) await keepProgress(context);
    return { ...report.tally, report: report.path, unknownFields: [...importer.unknown.names] };
  } catch (error) {
    if (error instanceof ImportRefused) throw new ImportRefused(`${request.file} ${error.message}`);
    throw error;
  } finally {
    report.close();
    await scratch?.close();
    await source.close();
  }
}
