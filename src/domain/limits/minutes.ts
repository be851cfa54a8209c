import type { Clock } from '../../shared/clock.ts';
import { SECOND } from '../../shared/lifetimes.ts';
import type { Vault } from '../../shared/secrets.ts';
import { COUNT_WINDOW, latestEnd, type NewPoints } from '../../store/limits/counts.ts';
import type { Count } from '../../store/tables/tables.ts';

/** The counts of one process: a minute for each key, begun by the first event of the key. */

/** How often an event happened within a minute that began with the first event. */
export interface MinuteCount {
  points: number;
  /** Whole seconds until the count begins again from zero, at least one. */
  secondsLeft: number;
}

interface Minute {
  /** The points that the database has, or that only this process counts. */
  known: number;
  /** The points that this process has counted since the last sync. */
  fresh: number;
  endsAt: number;
  /** Whether `endsAt` comes from the row in the database. */
  isShared: boolean;
  /** The digest of the key, as the database has it; undefined while the minute is known to this process alone. */
  digest: string | undefined;
  /** Whether another process began the minute. */
  isForeign: boolean;
}

/** How an event counts. */
interface EventCount {
  /** Whether the other processes are told of the event. */
  isNews: boolean;
  /** How many events of a minute this process may keep to itself. */
  quiet: number;
}

function isRunning({ endsAt }: Pick<Minute, 'endsAt'>, now: number): boolean {
  return endsAt > now && endsAt <= latestEnd(now);
}

/**
 * Puts a reading of the database into a minute. A failed write may have arrived or not, so the larger of the two numbers
 * holds. No point counts twice.
 */
function learnRow(mine: Minute, { points, ends_at: endsAt }: Count): void {
  const isSame = !mine.isShared || mine.endsAt === endsAt;
  mine.known = isSame ? Math.max(mine.known, points) : points;
  if (!isSame) mine.fresh = 0;
  mine.endsAt = endsAt;
  mine.isShared = true;
}

function countedIn({ known, fresh, endsAt }: Minute, now: number): MinuteCount {
  const left = Math.min(endsAt - now, COUNT_WINDOW);
  return { points: known + fresh, secondsLeft: Math.max(1, Math.ceil(left / SECOND)) };
}

const newMinute = (now: number): Minute => ({
  known: 0,
  fresh: 0,
  endsAt: now + COUNT_WINDOW,
  isShared: false,
  digest: undefined,
  isForeign: false,
});

/** The minutes of a process, by the text of their key, and by its digest where other processes know of them. */
class MinuteMaps {
  readonly #byText = new Map<string, Minute>();
  readonly #byDigest = new Map<string, Minute>();
  readonly #vault: Vault;
  /** How many minutes others began. While there are none, the minute of a new text need not be looked for by digest. */
  #foreign = 0;

  constructor(vault: Vault) {
    this.#vault = vault;
  }

  /** The running minute of a key. */
  find(text: string, now: number): Minute | undefined {
    const mine = this.#byText.get(text);
    return mine && isRunning(mine, now) ? mine : this.#findForeign(text, now);
  }

  #findForeign(text: string, now: number): Minute | undefined {
    if (this.#foreign === 0) return undefined;
    const minute = this.withDigest(this.#vault.digest(text), now);
    if (minute) this.#byText.set(text, minute);
    return minute;
  }

  begin(text: string, now: number): Minute {
    const minute = newMinute(now);
    this.#byText.set(text, minute);
    return minute;
  }

  /** Puts a minute where the database is told of it. Where others count the key too, their minute takes the points. */
  publish(text: string, mine: Minute, now: number): Minute {
    if (mine.digest !== undefined) return mine;
    const digest = this.#vault.digest(text);
    const minute = this.withDigest(digest, now) ?? Object.assign(mine, { digest });
    if (minute !== mine) {
      minute.fresh += mine.fresh;
      minute.known += mine.known;
    }
    this.#byDigest.set(digest, minute);
    this.#byText.set(text, minute);
    return minute;
  }

  /** The running minute of a digest. */
  withDigest(digest: string, now: number): Minute | undefined {
    const minute = this.#byDigest.get(digest);
    return minute && isRunning(minute, now) ? minute : undefined;
  }

  /** The minute of a row of the database. */
  ofRow({ key_digest: digest }: Count, now: number): Minute {
    const known = this.withDigest(digest, now);
    if (known) return known;
    if (!this.#byDigest.get(digest)?.isForeign) this.#foreign += 1;
    const minute = { ...newMinute(now), digest, isForeign: true };
    this.#byDigest.set(digest, minute);
    return minute;
  }

  forgetEnded(now: number): void {
    for (const minutes of [this.#byText, this.#byDigest])
      for (const [key, minute] of minutes) if (!isRunning(minute, now)) minutes.delete(key);
    this.#foreign = [...this.#byDigest.values()].filter(({ isForeign }) => isForeign).length;
  }
}

/** The minutes with points that the database does not have yet, by their digest. */
function createNews(minutes: MinuteMaps) {
  const digests = new Set<string>();
  const freshRow = (key_digest: string, now: number): NewPoints[] => {
    const minute = minutes.withDigest(key_digest, now);
    if (!minute || minute.fresh === 0) return [];
    const row = { key_digest, points: minute.fresh, ends_at: minute.endsAt };
    minute.known += minute.fresh;
    minute.fresh = 0;
    return [row];
  };
  return {
    add({ digest }: Minute): void {
      if (digest !== undefined) digests.add(digest);
    },
    /** Takes the new points. They count as known from now on, whether they are written or not. */
    take(now: number): NewPoints[] {
      const taken = [...digests];
      digests.clear();
      return taken.flatMap((digest) => freshRow(digest, now));
    },
  };
}

/** Counts by the text of a key. The database knows keys as digests alone, because callers choose parts of them. */
export function createMinutes(clock: Clock, vault: Vault) {
  const minutes = new MinuteMaps(vault);
  const news = createNews(minutes);
  const add = (text: string, mine: Minute, { isNews, quiet, now }: EventCount & { now: number }): Minute => {
    mine[isNews ? 'fresh' : 'known'] += 1;
    if (!isNews || mine.fresh + mine.known <= quiet) return mine;
    const minute = minutes.publish(text, mine, now);
    news.add(minute);
    return minute;
  };
  const current = (text: string, now: number) => minutes.find(text, now) ?? minutes.begin(text, now);
  return {
    count(text: string, { isNews, quiet }: EventCount): MinuteCount {
      const now = clock.now();
      return countedIn(add(text, current(text, now), { isNews, quiet, now }), now);
    },
    /** Counts an event, unless so many are counted already. Whether the event was counted. */
    countUpTo(most: number, text: string, { isNews, quiet }: EventCount): boolean {
      const now = clock.now();
      const minute = current(text, now);
      if (minute.fresh + minute.known >= most) return false;
      add(text, minute, { isNews, quiet, now });
      return true;
    },
    look(text: string): MinuteCount {
      const now = clock.now();
      return countedIn(minutes.find(text, now) ?? newMinute(now), now);
    },
    takeFresh: (now: number): NewPoints[] => news.take(now),
    learn(rows: readonly Count[]): void {
      const now = clock.now();
      for (const row of rows)
        if (isRunning({ endsAt: row.ends_at }, now)) learnRow(minutes.ofRow(row, now), row);
    },
    forgetEnded: () => minutes.forgetEnded(clock.now()),
  };
}
