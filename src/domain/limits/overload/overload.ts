import { SECOND } from '../../../shared/lifetimes.ts';
import { Unavailable } from '../../../upstream/outcomes.ts';
import {
  countOne,
  firstSlice,
  keptIn,
  missesOften,
  nextSlice,
  type Slice,
  takeLateRoom,
  takeRoom,
} from './slice.ts';
import { createTokenApps, type TokenApps } from './token-apps.ts';

/**
 * Whether this process has more to do than it can, and which calls it refuses then (docs/decisions/0026). Everything here
 * is counted in memory, and time is an argument.
 */

/** A call was refused at once, because the process has more to do than it can. Nothing of the call was done. */
export class Overloaded extends Unavailable {}

/** The process looks so often how late it is, in milliseconds. */
export const LOOK_EVERY = 25;

/** A process that is late at every look of this time is overloaded. A burst of calls is over sooner. */
const STANDS_FOR = 0.5 * SECOND;

/** The overload is over when no call had to be refused for this long. */
const ENDS_AFTER = 2 * SECOND;

/** And after so long, where many calls were refused and it is not certain that this helps. */
const TRIES_AFTER = 15 * SECOND;

/** Calls whose app the process does not know count as those of one app; so do, in the extreme, people and exchanges. */
const UNKNOWN = '';
const LAST = ' last';

/** What the process finds at a look. Times in milliseconds. */
interface LoadReading {
  /** By the monotonic clock. */
  now: number;
  /** How long a call waits for connections to the database. */
  databaseWait: number;
  /** How long the request that comes next has waited for its turn. */
  requestWait: number;
}

export interface Overload extends Pick<TokenApps, 'learn'> {
  /** Counts a request that has no kept answer. Whether calls are refused now; at other times nothing more is asked for a call. */
  arrives(): boolean;
  /** Whether calls are refused now. */
  isOn(): boolean;
  /**
   * Whether a kept answer of a call with this token may be looked for. Not where the app of the token is not known, where many of its
   * calls had no kept answer lately, or where the database is what calls wait for.
   */
  mayHaveKept(token: string): boolean;
  /** Counts a kept answer of an app. */
  answersKept(app: string | undefined): void;
  /** Counts a call that could have had a kept answer and did not get one. */
  missesKept(token: string): void;
  /** Whether a read that has waited for so long before its begin would be answered late. */
  isTooLate(waited: number): boolean;
  /** Counts a read whose turn came too late, and says whether it may be answered all the same. */
  admitsLate(): boolean;
  /** Counts a call for its app, and says whether the call may be answered. Without a token its app is not known. */
  admits(token: string | undefined): boolean;
  /**
   * The same for what is refused last: what people do, exchanges of codes, the ends of tokens. They are counted only where the
   * process stays late although calls are refused.
   */
  admitsLast(): boolean;
  look(reading: LoadReading): void;
  /** How long a call that came now would wait for this process, by the last look. */
  wait(): number;
  /** How many calls were refused since the start. */
  refused(): number;
}

/** An overload under way. */
interface OverloadState {
  begunAt: number;
  refusedAt: number;
  slice: Slice;
}

/** The times of a look. */
interface LookTimes {
  now: number;
  /** Since the look before. */
  elapsed: number;
}

/**
 * Whether the refusals of a slice changed anything. They do not where there could be no less room, and the process is not so late that an
 * overload would begin.
 */
const isNeeded = ({ refused, isLeast }: Slice, isLateEnough: boolean): boolean =>
  refused > 0 && (!isLeast || isLateEnough);

/**
 * Where more is refused than is kept, the refusals themselves may be what makes the process late, and to begin these calls would make
 * it later. Or other work makes the process late, and the calls are refused in vain. So the end of the overload is tried seldom.
 */
const endsAfter = (slice: Slice): number => (slice.refused > keptIn(slice) ? TRIES_AFTER : ENDS_AFTER);

/** How late an overloaded process should be. */
const aimOf = (limit: number) => limit / 5;

interface LookedOverload {
  wait: number;
  limit: number;
}

/** The overload after a look; undefined once it is over. */
function afterLook(
  going: OverloadState,
  { now, elapsed }: LookTimes,
  { wait, limit }: LookedOverload,
): OverloadState | undefined {
  const refusedAt = isNeeded(going.slice, wait > limit / 2) ? now : going.refusedAt;
  if (now - refusedAt > endsAfter(going.slice)) return undefined;
  const looks = Math.max(1, elapsed / LOOK_EVERY);
  const slice = nextSlice(going.slice, { wait, aim: aimOf(limit), looks });
  return { ...going, refusedAt, slice };
}

/** The calls that may have a kept answer, in the slice of an overload if there is one. */
function createKeptCalls(
  apps: TokenApps,
  sliceNow: () => Slice | undefined,
): Pick<Overload, 'mayHaveKept' | 'answersKept' | 'missesKept'> {
  return {
    mayHaveKept(token) {
      const [app, slice] = [apps.appOf(token), sliceNow()];
      return app !== undefined && !(slice && (slice.isDatabaseLate || missesOften(slice, app)));
    },
    answersKept(app = UNKNOWN) {
      const slice = sliceNow();
      if (slice) countOne(slice.kept, app);
    },
    missesKept(token) {
      const slice = sliceNow();
      const app = slice && apps.appOf(token);
      if (slice && app !== undefined) countOne(slice.missed, app);
    },
  };
}

/** `limit` is the longest that an accepted call should wait, in milliseconds. With 0 the process is never overloaded. */
export function createOverload(limit: number): Overload {
  const apps = createTokenApps();
  const aim = aimOf(limit);
  let state: OverloadState | undefined;
  let lateSince: number | undefined;
  let [lookedAt, wait, arrived, refused] = [Number.NaN, 0, 0, 0];

  /** Begins an overload once the process has been late for long, with room as it had up to now in so short a time. */
  function watch({ now, elapsed }: LookTimes): void {
    lateSince = wait > limit / 2 ? (lateSince ?? now) : undefined;
    if (lateSince === undefined || now - lateSince < STANDS_FOR) return;
    lateSince = undefined;
    state = { begunAt: now, refusedAt: now, slice: firstSlice((arrived * (aim + LOOK_EVERY)) / elapsed) };
  }

  function told(isAdmitted: boolean): boolean {
    if (!isAdmitted) refused += 1;
    return isAdmitted;
  }

  return {
    learn: (token, clientId) => apps.learn(token, clientId),
    arrives() {
      arrived += 1;
      return state !== undefined;
    },
    isOn: () => state !== undefined,
    ...createKeptCalls(apps, () => state?.slice),
    isTooLate: (waited) => state !== undefined && waited > limit / 2,
    admitsLate: () => !state || told(takeLateRoom(state.slice)),
    wait: () => wait,
    refused: () => refused,
    admits: (token = '') => !state || told(takeRoom(state.slice, apps.appOf(token) ?? UNKNOWN)),
    admitsLast: () =>
      !state || wait <= limit || lookedAt - state.begunAt <= STANDS_FOR || told(takeRoom(state.slice, LAST)),
    look({ now, databaseWait, requestWait }) {
      if (limit === 0) return;
      const elapsed = Number.isNaN(lookedAt) ? LOOK_EVERY : now - lookedAt;
      lookedAt = now;
      wait = Math.max(elapsed - LOOK_EVERY, databaseWait, requestWait, 0);
      if (state) state = afterLook(state, { now, elapsed }, { wait, limit });
      else watch({ now, elapsed });
      if (state) state.slice.isDatabaseLate = databaseWait > limit / 2;
      arrived = 0;
    },
  };
}
