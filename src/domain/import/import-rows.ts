import { Buffer } from 'node:buffer';
import { existsSync } from 'node:fs';
import { newHexId } from '../../shared/ids.ts';
import { SECOND } from '../../shared/lifetimes.ts';
import { makePrivateFolder } from '../../shared/private-file.ts';
import type { Origin } from '../origin.ts';
import { withLease } from '../work/lease.ts';
import type { ImportDeps } from './deps.ts';
import { type ImportResult, importSource } from './reading/import-file.ts';
import type { Source } from './reading/source.ts';
import { removeOldScratches } from './reading/scratch.ts';
import type { RowRefusal } from './refusals.ts';
import { keepRefusals } from './report.ts';

/**
 * Imports a bounded number of rows from memory, for a program that sends a large file piece by piece
 * (docs/decisions/0037). Each row is judged as a line of a file.
 */

/** A batch ends long before, and the lease is renewed after each. A process that died keeps others out for this long. */
const LEASE_LIMIT = 30 * SECOND;

interface RowsToImport {
  rows: readonly object[];
  isDryRun: boolean;
  maxRefused: number | undefined;
  origin: Origin;
}

interface RowsImport extends ImportResult {
  refusedRows: readonly RowRefusal[];
}

/** The rows as a file of one line for each. */
function sourceOf(rows: readonly object[]): Source {
  const bytes = Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join(''), 'utf8');
  return {
    format: 'ndjson',
    size: bytes.length,
    async *read() {
      yield bytes;
    },
    close: async () => undefined,
  };
}

/** Imports the rows; undefined while another such import runs, on any process, or shortly after its process died. */
export async function importRows(
  context: ImportDeps,
  { rows, ...asked }: RowsToImport,
): Promise<RowsImport | undefined> {
  const folder = context.settings.importFolder;
  makePrivateFolder(folder);
  const kept = keepRefusals();
  let result: ImportResult | undefined;
  // Every import is a holder of its own, so that one process runs one at a time too.
  const holder = { ...context, processId: newHexId() };
  await withLease(holder, { name: 'import of rows', limit: LEASE_LIMIT }, async (renew) => {
    removeOldScratches(context, folder);
    const request = {
      ...asked,
      folder,
      isByKey: true,
      servesBeside: true,
      onProgress: () => undefined,
      afterBatch: renew,
      openReport: kept.open,
    };
    result = await importSource(context, sourceOf(rows), request);
  });
  return result && { ...result, refusedRows: kept.rows };
}

/** Removes what dry runs of a killed process left on this machine: their rows hold names and addresses of people. */
export function sweepImports(context: Pick<ImportDeps, 'settings' | 'logger'>): void {
  const { importFolder } = context.settings;
  if (existsSync(importFolder)) removeOldScratches(context, importFolder);
}
