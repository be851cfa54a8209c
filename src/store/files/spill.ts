import { readdir, readFile, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { makePrivateFolder } from '../../shared/private-file.ts';
import type { SealedPair } from '../grants/presentations.ts';
import { takeLeftDrafts, writeByDraft } from './spill-drafts.ts';
import { SPILL_SUFFIX, spillName } from './spill-name.ts';

/** The database that a pair belongs to. A copy has the id and the grants of its original, so the address counts too. */
export interface PairOwner {
  /** The id of the database. */
  instance: string;
  /** The address of the database, the same from every folder (`EpochFile.addressOf`). */
  address: string;
  /** Whether VAR_DIR belonged to this database when the pair was spilled. */
  ownsFolder: boolean;
}

/** A received pair that the database could not take yet, sealed in the form of its row. */
export interface SpilledPair {
  grantId: string;
  /** The version that was presented to get this pair. */
  version: number;
  pair: SealedPair;
  /** Undefined when an older version wrote the file. */
  owner?: PairOwner | undefined;
}

/** A pair as the folder holds it. */
export interface WaitingPair extends SpilledPair {
  /** The name of the file. */
  file: string;
}

/**
 * The folder where received pairs wait for the database, if necessary beyond the end of the process
 * (docs/decisions/0003).
 */
export interface Spill {
  readonly folder: string;
  /** Resolves when the pair would survive a power cut. */
  write(entry: SpilledPair): Promise<void>;
  /** The waiting pairs, those that a killed process had not named yet among them, and the names of unreadable files. */
  list(): Promise<{ entries: WaitingPair[]; unreadable: string[] }>;
  /** How many files of pairs wait, readable or not; a draft counts once it has its name. */
  count(): Promise<number>;
  /** Removes a pair that was listed, or one that this process wrote. */
  remove(entry: SpilledPair | WaitingPair): Promise<void>;
  /** Whether this process asks about this file for the first time. What is told of a file is told once. */
  isNew(file: string): boolean;
  /** Whether the disk has room for writes that may be needed after a refresh token is spent. */
  hasRoom(): Promise<boolean>;
}

/** Enough for the write-ahead log and the spill of all running refreshes. */
export const ROOM_BYTES = 16 * 1024 * 1024;

/**
 * For how long a look that saw room counts, in milliseconds. Grants that fall due together would each ask the disk, and
 * within this time their refreshes write a small part of the room.
 */
const ROOM_SEEN_FOR = 250;

/** Whether the disk of the folder has room. Without room each call looks again. */
function createRoomCheck(folder: string): () => Promise<boolean> {
  let seenAt = Number.NEGATIVE_INFINITY;
  return async () => {
    const now = performance.now();
    if (now - seenAt < ROOM_SEEN_FOR) return true;
    const { bavail, bsize } = await statfs(folder);
    const isThere = bavail * bsize >= ROOM_BYTES;
    if (isThere) seenAt = now;
    return isThere;
  };
}

async function namesIn(folder: string): Promise<string[]> {
  return (await readdir(folder)).filter((name) => name.endsWith(SPILL_SUFFIX));
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
  owner: z.object({ instance: z.string(), address: z.string(), ownsFolder: z.boolean() }).optional(),
}) satisfies z.ZodType<SpilledPair>;

/** Undefined when another process has just removed the file; the file name when the file cannot be read. */
async function readEntry(folder: string, name: string): Promise<WaitingPair | string | undefined> {
  try {
    return { ...spilledPair.parse(JSON.parse(await readFile(join(folder, name), 'utf8'))), file: name };
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
  const asked = new Set<string>();
  return {
    folder,
    write: (entry) => writeByDraft(folder, spillName(entry), `${JSON.stringify(entry)}\n`),
    async list() {
      const stuck = await takeLeftDrafts(folder);
      const read = await Promise.all((await namesIn(folder)).map((name) => readEntry(folder, name)));
      return {
        entries: read.filter((entry) => typeof entry === 'object'),
        unreadable: [...stuck, ...read.filter((entry) => typeof entry === 'string')],
      };
    },
    count: async () => (await namesIn(folder)).length,
    remove: (entry) => rm(join(folder, 'file' in entry ? entry.file : spillName(entry)), { force: true }),
    isNew: (file) => !asked.has(file) && asked.add(file).has(file),
    hasRoom: createRoomCheck(folder),
  };
}
