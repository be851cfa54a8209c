import type { Clock } from '../../shared/clock.ts';
import { SECOND } from '../../shared/lifetimes.ts';
import type { Vault } from '../../shared/secrets.ts';
import {
  addCounts,
  COUNT_WINDOW,
  latestEnd,
  listChangedCounts,
  othersMark,
  type NewPoints,
} from '../../store/limits/counts.ts';
import type { Store } from '../../store/driver/store.ts';
import type { Count } from '../../store/tables/tables.ts';

/** How often an event happened within a minute that began with the first event. */
interface MinuteCount {
  points: number;
  /** Whole seconds until the count begins again from zero, at least one. */
  secondsLeft: number;
}

/**
 * Counts that all processes on one database share. Each process counts in its own memory and never waits. At each
 * `sync` (share-limits.ts) the process stores its counts in the database and reads the counts of the other processes.
 * Without the database, each process counts alone.
 */
export interface SharedCounts {
  /**
   * Counts one more event of `key` and answers the new count. An event that is not shared is counted in this process
   * alone.
   */
  count(key: readonly string[], how?: { isShared: boolean }): MinuteCount;
  /** Counts one more event of `key`, unless `most` events have been counted. Whether it was counted. */
  countUpTo(most: number, key: readonly string[]): boolean;
  /** The count of `key`, without counting an event. */
  look(key: readonly string[]): MinuteCount;
  /** Stores the new counts of this process in the database and reads the totals. */
  sync(): Promise<void>;
  /** Frees the memory of minutes that are over. */
  forgetEnded(): void;
}

interface Minute {
  /** The points that the database has, or that only this process counts. */
  known: number;
  /** The points that this process has counted since the last sync. */
  fresh: number;
  endsAt: number;
  /** Whether `endsAt` comes from the row in the database. */
  isShared: boolean;
}

/** A change may become visible this much later than its own time says. */
const LATE_CHANGES = 2 * SECOND;

function isRunning({ endsAt }: Pick<Minute, 'endsAt'>, now: number): boolean {
  return endsAt > now && endsAt <= latestEnd(now);
}

/**
 * The minute of a key after a reading of the database. A failed write may have arrived or not, so the larger of the two
 * numbers holds. No point counts twice.
 */
function merged(mine: Minute | undefined, { points, ends_at: endsAt }: Count): Minute {
  const isSame = mine !== undefined && (!mine.isShared || mine.endsAt === endsAt);
  if (!isSame) return { known: points, fresh: 0, endsAt, isShared: true };
  return { known: Math.max(mine.known, points), fresh: mine.fresh, endsAt, isShared: true };
}

function countedIn({ known, fresh, endsAt }: Minute, now: number): MinuteCount {
  const left = Math.min(endsAt - now, COUNT_WINDOW);
  return { points: known + fresh, secondsLeft: Math.max(1, Math.ceil(left / SECOND)) };
}

/** The minutes of one process, by the digest of their key. */
function createMinutes(clock: Clock) {
  const minutes = new Map<string, Minute>();
  /** The digests with points that are not stored yet. */
  const news = new Set<string>();
  const running = (digest: string, now: number): Minute => {
    const minute = minutes.get(digest);
    if (minute && isRunning(minute, now)) return minute;
    return { known: 0, fresh: 0, endsAt: now + COUNT_WINDOW, isShared: false };
  };
  return {
    count(digest: string, isNews: boolean): MinuteCount {
      const now = clock.now();
      const minute = running(digest, now);
      if (isNews) news.add(digest);
      minute[isNews ? 'fresh' : 'known'] += 1;
      minutes.set(digest, minute);
      return countedIn(minute, now);
    },
    has: (digest: string) => minutes.has(digest),
    look(digest: string): MinuteCount {
      const now = clock.now();
      return countedIn(running(digest, now), now);
    },
    /** Takes the points that are not stored yet. They count as known from now on, whether the write succeeds or not. */
    takeFresh(now: number): NewPoints[] {
      const digests = [...news];
      news.clear();
      return digests.flatMap((key_digest) => {
        const minute = minutes.get(key_digest);
        if (!minute || minute.fresh === 0 || !isRunning(minute, now)) return [];
        const row = { key_digest, points: minute.fresh, ends_at: minute.endsAt };
        minute.known += minute.fresh;
        minute.fresh = 0;
        return row;
      });
    },
    learn(rows: readonly Count[]): void {
      const now = clock.now();
      for (const row of rows) {
        if (!isRunning({ endsAt: row.ends_at }, now)) continue;
        const mine = minutes.get(row.key_digest);
        minutes.set(row.key_digest, merged(mine && isRunning(mine, now) ? mine : undefined, row));
      }
    },
    forgetEnded(): void {
      const now = clock.now();
      for (const [digest, minute] of minutes) if (!isRunning(minute, now)) minutes.delete(digest);
    },
  };
}

/** The digests of keys. A digest is remembered for the minute in which its key is counted, because it costs a while. */
function createKeyDigests(vault: Vault, minutes: { has(digest: string): boolean }) {
  const digests = new Map<string, string>();
  const digestOf = (key: readonly string[]): string => {
    const text = JSON.stringify(key);
    const known = digests.get(text);
    if (known !== undefined) return known;
    const digest = vault.digest(text);
    digests.set(text, digest);
    return digest;
  };
  return Object.assign(digestOf, {
    forgetUnused(): void {
      for (const [text, digest] of digests) if (!minutes.has(digest)) digests.delete(text);
    },
  });
}

/**
 * The counts of one process, in step with the other processes. The keys are stored as digests, because callers choose
 * parts of the keys.
 */
export function createSharedCounts(parts: { store: Store; clock: Clock; vault: Vault }): SharedCounts {
  const { store, clock, vault } = parts;
  const minutes = createMinutes(clock);
  const digestOf = createKeyDigests(vault, minutes);
  let lastRead = 0;
  /** While the mark stays, nobody else has counted. */
  let lastMark: number | undefined;
  return {
    count: (key, { isShared } = { isShared: true }) => minutes.count(digestOf(key), isShared),
    countUpTo(most, key) {
      const digest = digestOf(key);
      const isBelow = minutes.look(digest).points < most;
      if (isBelow) minutes.count(digest, true);
      return isBelow;
    },
    look: (key) => minutes.look(digestOf(key)),
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
    forgetEnded() {
      minutes.forgetEnded();
      digestOf.forgetUnused();
    },
  };
}
