import { open, readdir, readFile, rename, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { makePrivateFolder } from '../../shared/private-file.ts';
import type { SealedPair } from '../grants/presentations.ts';

/** A received pair that the database could not take yet, sealed in the form of its row. */
export interface SpilledPair {
  grantId: string;
  /** The version that was presented to get this pair. */
  version: number;
  pair: SealedPair;
}

/**
 * The folder where received pairs wait for the database, if necessary beyond the end of the process
 * (docs/decisions/0003).
 */
export interface Spill {
  /** Resolves when the pair would survive a power cut. */
  write(entry: SpilledPair): Promise<void>;
  /** The waiting pairs, and the names of unreadable files. */
  list(): Promise<{ entries: SpilledPair[]; unreadable: string[] }>;
  remove(entry: Pick<SpilledPair, 'grantId' | 'version'>): Promise<void>;
  /** Whether the disk has room for writes that may be needed after a refresh token is spent. */
  hasRoom(): Promise<boolean>;
}

const SUFFIX = '.pair';

/** Enough for the write-ahead log and the spill of all running refreshes. */
export const ROOM_BYTES = 16 * 1024 * 1024;

function nameOf({ grantId, version }: Pick<SpilledPair, 'grantId' | 'version'>): string {
  return `${grantId}-${version}${SUFFIX}`;
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Whole or not at all: written beside the target, synced, then renamed. */
async function writeWhole(folder: string, name: string, text: string): Promise<void> {
  const draft = join(folder, `${name}.${process.pid}.draft`);
  const handle = await open(draft, 'w', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(draft, join(folder, name));
  await syncFolder(folder);
}

async function namesIn(folder: string): Promise<string[]> {
  return (await readdir(folder)).filter((name) => name.endsWith(SUFFIX));
}

const spilledPair = z.object({
  grantId: z.string(),
  version: z.number(),
  pair: z.object({
    accessTokenSealed: z.string(),
    refreshTokenSealed: z.string(),
    scope: z.string(),
    accessExpiresAt: z.number(),
    refreshAt: z.number(),
    answeredAt: z.number().optional(),
  }),
}) satisfies z.ZodType<SpilledPair>;

/** Undefined when another process has just removed the file; the file name when the file cannot be read. */
async function readEntry(folder: string, name: string): Promise<SpilledPair | string | undefined> {
  try {
    return spilledPair.parse(JSON.parse(await readFile(join(folder, name), 'utf8')));
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? undefined : name;
  }
}

/** The spill of the processes that share `folder`. A folder that cannot be made fails the start. */
export function openSpill(folder: string): Spill {
  try {
    makePrivateFolder(folder);
  } catch (cause) {
    throw new Error(`VAR_DIR: ${folder} cannot be used: ${(cause as Error).message}`, { cause });
  }
  return {
    write: (entry) => writeWhole(folder, nameOf(entry), `${JSON.stringify(entry)}\n`),
    async list() {
      const read = await Promise.all((await namesIn(folder)).map((name) => readEntry(folder, name)));
      return {
        entries: read.filter((entry) => typeof entry === 'object'),
        unreadable: read.filter((entry) => typeof entry === 'string'),
      };
    },
    remove: (entry) => rm(join(folder, nameOf(entry)), { force: true }),
    async hasRoom() {
      const { bavail, bsize } = await statfs(folder);
      return bavail * bsize >= ROOM_BYTES;
    },
  };
}
