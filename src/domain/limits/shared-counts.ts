import type { Clock } from '../../shared/clock.ts';
import { SECOND } from '../../shared/lifetimes.ts';
import type { Vault } from '../../shared/secrets.ts';
import { addCounts, listChangedCounts, othersMark } from '../../store/limits/counts.ts';
import type { Store } from '../../store/driver/store.ts';
import { createMinutes, type MinuteCount } from './minutes.ts';

/** A change may become visible this much later than its own time says. */
const LATE_CHANGES = 2 * SECOND;

/**
 * Counts that all processes on one database share. Each process counts in its own memory and never waits. At each
 * `sync` (share-limits.ts) the process stores its counts in the database and reads the counts of the other processes.
 * Without the database, each process counts alone.
 */
export interface SharedCounts {
  /** Counts one more event of `key` and answers the new count. */
  count(key: readonly string[], how?: CountOptions): MinuteCount;
  /** Counts one more event of `key`, unless `most` events have been counted. Whether it was counted. */
  countUpTo(most: number, key: readonly string[]): boolean;
  /** The count of `key`, without counting an event. */
  look(key: readonly string[]): MinuteCount;
  /** Stores the new counts of this process in the database and reads the totals. */
  sync(): Promise<void>;
  /** Frees the memory of minutes that are over. */
  forgetEnded(): void;
}

interface CountOptions {
  /** An event that is not shared is counted in this process alone. */
  isShared?: boolean;
  /** The limit that the count is held against, where a few unshared events do not matter: see `quietPart`. */
  limit?: number;
}

/**
 * How many events of a minute a process may keep to itself under a limit: one in twenty. Most callers come seldom, and
 * to share each of their calls costs more than to answer it. So each process may serve this many calls above a limit.
 */
const quietPart = (most: number) => Math.floor(most / 20);

export function createSharedCounts(parts: { store: Store; clock: Clock; vault: Vault }): SharedCounts {
  const { store, clock, vault } = parts;
  const minutes = createMinutes(clock, vault);
  let lastRead = 0;
  /** While the mark stays, nobody else has counted. */
  let lastMark: number | undefined;
  return {
    count: (key, { isShared = true, limit = 0 } = {}) =>
      minutes.count(JSON.stringify(key), { isNews: isShared, quiet: quietPart(limit) }),
    countUpTo: (most, key) =>
      minutes.countUpTo(most, JSON.stringify(key), { isNews: true, quiet: quietPart(most) }),
    look: (key) => minutes.look(JSON.stringify(key)),
    async sync() {
      const now = clock.now();
      const fresh = minutes.takeFresh(now);
      if (fresh.length > 0) minutes.learn(await addCounts(store, fresh, now));
      const mark = await othersMark(store);
      const since = Math.min(lastRead, now) - LATE_CHANGES;
      if (mark === undefined || mark !== lastMark)
        minutes.learn(await listChangedCounts(store, { since, now }));
      lastMark = mark;
      lastRead = now;
    },
    forgetEnded: () => minutes.forgetEnded(),
  };
}
