import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { newHexId } from '../../shared/ids.ts';
import { giveToOwner, makePrivateFolder } from '../../shared/private-file.ts';
import { createRefusalCounts, type RefusalCount } from './refusal-counts.ts';
import type { RowRefusal } from './refusals.ts';

/** How many rows had which outcome so far. */
export interface Tally {
  new: number;
  known: number;
  changed: number;
  refused: number;
}

/** Counts rows, and writes a line for each refused row; never the content of the row. */
export interface Report {
  /** The path of the report file. Without a refused row there is no file, and the path is undefined. */
  path(): string | undefined;
  tally: Tally;
  refusals(): RefusalCount[];
  count(outcome: 'new' | 'known' | 'changed'): void;
  refuse(refusal: RowRefusal): void;
  close(): void;
}

function nameFor(now: number): string {
  const [day = '', time = ''] = new Date(now).toISOString().replaceAll(/[-:]/g, '').split(/[T.]/);
  return `import-${day}-${time}-${newHexId().slice(0, 4)}.report.ndjson`;
}

const HELD_LINES = 200;

function createFile(folder: string, now: number) {
  const path = join(folder, nameFor(now));
  const descriptor = openSync(path, 'wx', 0o600);
  giveToOwner(path);
  return { path, descriptor };
}

interface RefusalKeeper {
  keep: (refusal: RowRefusal) => void;
  path: () => string | undefined;
  close: () => void;
}

/** A report that counts, and hands each refused row on. */
function reportTo({ keep, path, close }: RefusalKeeper): Report {
  const tally: Tally = { new: 0, known: 0, changed: 0, refused: 0 };
  const counts = createRefusalCounts();
  return {
    path,
    tally,
    refusals: counts.list,
    count(outcome) {
      tally[outcome] += 1;
    },
    refuse(refusal) {
      keep(refusal);
      tally.refused += 1;
      counts.add(refusal);
    },
    close,
  };
}

/** Keeps refused rows in memory, where no file is to be written. Each report that is opened begins anew. */
export function keepRefusals() {
  let rows: RowRefusal[] = [];
  const open = (): Report => {
    rows = [];
    return reportTo({ keep: (refusal) => rows.push(refusal), path: () => undefined, close: () => undefined });
  };
  return {
    open,
    get rows(): readonly RowRefusal[] {
      return rows.toSorted((one, other) => one.line - other.line);
    },
  };
}

/** Opens a report in a folder that only its owner may read. The first refused row creates the file. */
export function openReport(folder: string, now: number): Report {
  makePrivateFolder(folder);
  let file: ReturnType<typeof createFile> | undefined;
  let held: string[] = [];
  const write = () => {
    if (file !== undefined) writeSync(file.descriptor, held.join(''));
    held = [];
  };
  return reportTo({
    path: () => file?.path,
    keep({ line, reason, field, clientId }) {
      file ??= createFile(folder, now);
      held.push(`${JSON.stringify({ line, reason, field, client_id: clientId })}\n`);
      if (held.length >= HELD_LINES) write();
    },
    close() {
      write();
      if (file !== undefined) closeSync(file.descriptor);
    },
  });
}
