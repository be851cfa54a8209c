import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { replacePrivateFile } from '../shared/private-file.ts';
import type { SeenInstance } from './instance.ts';

/**
 * What a machine remembers of its database: `VAR_DIR/epoch.json`, `{"instance": id, "epoch": n}`. It never says more
 * than the database has committed, so only a database that is older than it was is behind it.
 */
export interface EpochFile {
  /**
   * Undefined where nothing was ever kept.
   * @throws {Error} in plain words when it is there and cannot be read
   */
  read(): SeenInstance | undefined;
  /** Replaces it whole; synced when it returns. */
  write(seen: SeenInstance): void;
}

const content = z.object({ instance: z.string().min(1), epoch: z.int().min(0) });

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function parse(text: string): z.infer<typeof content> | undefined {
  try {
    return content.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** The file of this machine; nothing is made before the first `write`. */
export function openEpochFile(path: string): EpochFile {
  return {
    read() {
      const text = readText(path);
      if (text === undefined) return undefined;
      const kept = parse(text);
      if (kept) return { id: kept.instance, epoch: kept.epoch };
      throw new Error(
        `VAR_DIR: ${path} cannot be read. It shows whether the database is an older copy: put it back as it was or, only if the database is surely the newest one, remove it`,
      );
    },
    write: ({ id, epoch }) => replacePrivateFile(path, `${JSON.stringify({ instance: id, epoch })}\n`),
  };
}
