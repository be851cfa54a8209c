import { setTimeout as delay } from 'node:timers/promises';
import { type Bridges } from './bridges.ts';
import { nth } from './calls.ts';

/**
 * A process that stops in the middle of a write keeps SQLite's lock: nobody can write until the process goes on. That is
 * another case than a process that stops between its writes.
 */
async function isWritable({ context: { store } }: Bridges): Promise<boolean> {
  try {
    await store.durable.deleteFrom('grants').where('id', '=', '').execute();
    await store.volatile.deleteFrom('leases').where('name', '=', '').execute();
    return true;
  } catch {
    return false;
  }
}

/** Freezes the process outside of its writes. */
export async function pauseBetweenWrites(bridges: Bridges, place: number): Promise<void> {
  const process = nth(bridges, place);
  process.pause();
  while (!(await isWritable(bridges))) {
    process.resume();
    await delay(20);
    process.pause();
  }
}
