import { setTimeout as delay } from 'node:timers/promises';
import { isSerializationFailure } from './storage-fault.ts';

const ATTEMPTS = 20;

/** The longest pause, in milliseconds. All pauses together outlast a transaction that takes a second. */
const LONGEST_PAUSE = 250;

/**
 * Runs a transaction again after a conflict with another transaction, which leaves no changes. Gives up after some
 * attempts.
 */
export async function retryConflicts<T>(transaction: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await transaction();
    } catch (error) {
      if (!isSerializationFailure(error) || attempt >= ATTEMPTS) throw error;
      await delay(Math.random() * Math.min(5 * 2 ** attempt, LONGEST_PAUSE));
    }
  }
}
