import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { BridgeProcess } from '../support/bridge/bridge-process.ts';

/** What a bridge in a process of its own holds once it has freed what nobody needs: V8 frees little before it has to. */

const PROGRAM = join(import.meta.dirname, 'programs', 'tell-memory.mjs');
const LOOK_EVERY_MS = 20;
const PATIENCE_MS = 60_000;

export interface Memory {
  /** Bytes of objects, and of buffers beside them, that are held. */
  held: number;
  /** Bytes that the process has of the machine, which also is what V8 keeps for later. */
  resident: number;
}

/** The settings of a bridge whose memory is asked for. */
export const tellingMemory = (folder: string) => ({
  NODE_OPTIONS: `--expose-gc --import ${PROGRAM}`,
  MEMORY_FILE: join(folder, 'memory.json'),
});

interface MemoryReport {
  told: number;
  heapUsed: number;
  external: number;
  rss: number;
}

function readReport(folder: string): MemoryReport | undefined {
  try {
    return JSON.parse(readFileSync(join(folder, 'memory.json'), 'utf8')) as MemoryReport;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Asks a bridge that was started with `tellingMemory`. */
export async function memoryOf(bridge: Pick<BridgeProcess, 'pid'>, folder: string): Promise<Memory> {
  const before = readReport(folder)?.told ?? 0;
  process.kill(bridge.pid(), 'SIGUSR2');
  const until = Date.now() + PATIENCE_MS;
  for (;;) {
    const report = readReport(folder);
    if (report && report.told > before)
      return { held: report.heapUsed + report.external, resident: report.rss };
    if (Date.now() > until) throw new Error('the bridge does not tell its memory');
    await delay(LOOK_EVERY_MS);
  }
}
