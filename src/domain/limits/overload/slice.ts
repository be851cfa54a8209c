import { evenShare } from './even-share.ts';

/** The calls from one look of an overloaded process to the next, and how many of them it answers. */
export interface Slice {
  /** How many calls of each app came. */
  calls: Map<string, number>;
  /** How many calls of each app came lately between two looks, on average. */
  usual: ReadonlyMap<string, number>;
  admitted: number;
  refused: number;
  /** How many calls were admitted, but came to their turn too late. */
  late: number;
  /** How many kept answers each app got; they take no room. */
  kept: Map<string, number>;
  /** The same lately between two looks, on average. */
  usuallyKept: ReadonlyMap<string, number>;
  /** How many calls of each app could have had a kept answer and did not get one. */
  missed: Map<string, number>;
  /** The same lately between two looks, on average. */
  usuallyMissed: ReadonlyMap<string, number>;
  /** How many calls may be answered until the next look; and how many of one app. */
  room: number;
  share: number;
  /** The room when the process was last seen to be late, after it was on time; undefined before that. */
  tooMuch: number | undefined;
  isLate: boolean;
  /** Whether there could be no less room. */
  isLeast: boolean;
  /** Whether calls wait so long for the database that kept answers are judged too. */
  isDatabaseLate: boolean;
  /** How many calls were answered beyond the room of the slices before, and are not made up for yet. */
  owed: number;
}

/**
 * However late the process is, it answers this many calls in the time from look to look, and begins this many whose turn came too
 * late. The first must be less than any process can answer, or the wait would never end.
 */
const [LEAST_ROOM, LEAST_LATE_ROOM] = [4, 10];

/**
 * So many kept answers leave room for one other call at the least. Kept answers alone can make a process late, and then it would help
 * nobody to refuse what it does beside them.
 */
const KEPT_BESIDE_ONE = 20;

/**
 * By how much the number of calls between two looks may change at once. It grows fast up to nearly what was too much, and slowly from
 * there on.
 */
const [SHRINKS_TO, GROWS_TO, GROWS_SLOWLY_TO] = [0.25, 1.1, 1.03];

/** Shares of what was too much: with the first a process that is on time again begins, and up to the second it grows fast. */
const [BEGINS_AGAIN_WITH, GROWS_FAST_TO] = [0.7, 0.95];

/** A pause of the whole process makes any room too much. So what was too much falls by no more than to this share at once. */
const REMEMBERS = 0.85;

/** What the newest slice weighs in the average of an app. An app whose average falls below the second number is forgotten. */
const [NEWEST_WEIGHS, FORGOTTEN_BELOW] = [0.2, 0.05];

/**
 * A slice is short. So an app that usually calls less than its share may call so many times its share in one slice, whether or not
 * there is room. Very many apps that call seldom may still be too much together: no more than so many times the room is owed.
 */
const BURST = 4;

/** With fewer calls a slice that had no kept answer, an app is not judged before one is looked for. */
const FEW_MISSES = 4;

const sliceOf = (
  room: Omit<Slice, 'calls' | 'admitted' | 'refused' | 'late' | 'kept' | 'missed' | 'isDatabaseLate'>,
): Slice => ({
  calls: new Map(),
  missed: new Map(),
  admitted: 0,
  refused: 0,
  late: 0,
  kept: new Map(),
  isDatabaseLate: false,
  ...room,
});

/** The first slice of an overload, for calls of whatever app. */
export const firstSlice = (room: number): Slice =>
  sliceOf({
    usual: new Map(),
    usuallyKept: new Map(),
    usuallyMissed: new Map(),
    room: Math.max(LEAST_ROOM, room),
    share: Number.POSITIVE_INFINITY,
    tooMuch: undefined,
    isLate: true,
    isLeast: false,
    owed: 0,
  });

/** How many calls were answered beyond the room, with those of the slices before. */
const owedAfter = ({ owed, admitted, room }: Slice): number => Math.max(0, owed + admitted - room);

/** Whether an app calls no more than its share. There is none where all calls have room. */
function isWithinShare(slice: Slice, app: string, calls: number): boolean {
  const { usual, share, room } = slice;
  const isSeldom = (usual.get(app) ?? 0) < share && calls <= BURST * Math.max(1, share);
  return Number.isFinite(share) && isSeldom && owedAfter(slice) < BURST * room;
}

/** One more for an app. Its new number. */
export function countOne(numbers: Map<string, number>, app: string): number {
  const number = (numbers.get(app) ?? 0) + 1;
  numbers.set(app, number);
  return number;
}

/** How many kept answers were sent. */
export const keptIn = ({ kept }: Slice): number =>
  [...kept.values()].reduce((sum, number) => sum + number, 0);

/** Counts a call of an app. Whether the call may be answered. */
export function takeRoom(slice: Slice, app: string): boolean {
  const calls = countOne(slice.calls, app);
  // What is owed is made up for by those beyond their share.
  const hasRoom = slice.owed + slice.admitted < slice.room && calls <= Math.max(1, slice.share);
  const isAdmitted = hasRoom || isWithinShare(slice, app, calls);
  slice[isAdmitted ? 'admitted' : 'refused'] += 1;
  return isAdmitted;
}

/**
 * Counts a call that comes to its turn too late. Whether it is answered all the same: some are.
 * Where what is never refused makes the line long, every call is late.
 */
export function takeLateRoom(slice: Slice): boolean {
  slice.late += 1;
  const isAdmitted = slice.late <= LEAST_LATE_ROOM;
  if (!isAdmitted) slice.refused += 1;
  return isAdmitted;
}

/** How late the process is, and how late it should be. */
interface Lateness {
  wait: number;
  aim: number;
  /** For how many looks the slice lasted: a late look comes later. */
  looks: number;
}

const leastRoom = (slice: Slice, { looks }: Lateness): number =>
  Math.max(LEAST_ROOM * looks, keptIn(slice) / KEPT_BESIDE_ONE);

/** Less room, so that the process ends what waits. */
const shrunk = ({ room, admitted }: Slice, { wait, aim }: Lateness): number =>
  Math.min(room, admitted) * Math.max(SHRINKS_TO, aim / wait);

/** More room for a process that is on time. Where nothing was refused, more room would change nothing. */
function grown({ room, refused, tooMuch }: Slice): number {
  if (refused === 0) return room;
  const grows = room < (tooMuch ?? Number.POSITIVE_INFINITY) * GROWS_FAST_TO ? GROWS_TO : GROWS_SLOWLY_TO;
  return Math.max(room * grows + 1, (tooMuch ?? 0) * BEGINS_AGAIN_WITH);
}

/** What was too much, by the slice after which the process was seen to be late. */
function newTooMuch({ room, admitted, tooMuch = 0 }: Slice): number {
  return Math.max(Math.min(room, admitted), tooMuch * REMEMBERS);
}

/** Whether most of many calls of an app lately had no kept answer, so that to look for one helps nobody. */
export const missesOften = ({ usuallyMissed, usuallyKept }: Slice, app: string): boolean =>
  (usuallyMissed.get(app) ?? 0) > Math.max(FEW_MISSES, usuallyKept.get(app) ?? 0);

/** Averages after a slice with these numbers. A new app is known by its first slice alone. */
function averaged(
  numbers: ReadonlyMap<string, number>,
  usual: ReadonlyMap<string, number>,
): Map<string, number> {
  const found = new Map(numbers);
  for (const [app, before] of usual) {
    const average = before + NEWEST_WEIGHS * ((numbers.get(app) ?? 0) - before);
    if (average < FORGOTTEN_BELOW) found.delete(app);
    else found.set(app, average);
  }
  return found;
}

/**
 * The slice after this one. A slice with more room takes longer, so the room follows the wait. The wait tells of what was admitted
 * some slices ago: room that only follows the wait swings between nearly nothing and much too much. So the room remembers
 * what was too much, comes back near to it soon, and goes beyond it slowly.
 */
export function nextSlice(slice: Slice, lateness: Lateness): Slice {
  const isLate = lateness.wait > lateness.aim;
  const least = leastRoom(slice, lateness);
  const room = Math.max(least, isLate ? shrunk(slice, lateness) : grown(slice));
  const usual = averaged(slice.calls, slice.usual);
  const usuallyKept = averaged(slice.kept, slice.usuallyKept);
  const usuallyMissed = averaged(slice.missed, slice.usuallyMissed);
  const share = evenShare(usual.values(), room);
  const tooMuch = isLate && !slice.isLate ? newTooMuch(slice) : slice.tooMuch;
  const owed = Math.min(owedAfter(slice), BURST * room);
  return sliceOf({
    usual,
    usuallyKept,
    usuallyMissed,
    room,
    share,
    tooMuch,
    isLate,
    isLeast: room <= least,
    owed,
  });
}
