import { setTimeout as delay } from 'node:timers/promises';
import { runCommand } from '../../processes/running-program.ts';
import type { ChaosRun } from './run.ts';

/** A rotation of all keys, by the commands of a version that serves: the bridges share the key file. */

const TRIES = 60;
const BETWEEN_TRIES_MS = 500;

/** A process that starts just now may not hold the key yet, and then the command says so. */
async function untilDone(run: ChaosRun, args: string[]): Promise<{ [name: string]: string }> {
  const { settings, folders, machines } = run.topology;
  for (let tries = 1; ; tries += 1) {
    try {
      return await runCommand(settings, args, folders[machines[0].version]);
    } catch (error) {
      if (tries === TRIES) throw error;
      await delay(BETWEEN_TRIES_MS);
    }
  }
}

/** Adds a key, makes it the one that writes, and seals everything anew; old keys stay and read. */
export async function rotateKeys(run: ChaosRun): Promise<void> {
  const { id = '' } = await untilDone(run, ['keys', 'add']);
  await untilDone(run, ['keys', 'activate', id]);
  await untilDone(run, ['keys', 'reseal']);
}
