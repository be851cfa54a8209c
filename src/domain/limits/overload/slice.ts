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
  /** How many kept answers were sent; they take no room. */
  kept: number;
  /** How many calls may be answered until the next look; and how many of one app. */
  room: number;
  share: number;
  /** The room when the process was last seen to be late, after it was on time; undefined before that. */
  tooMuch: number | undefined;
  isLate: boolean;
  /** Whether there could be no less room. */
  isLeast: boolean;
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
 * there is room: on average all such apps together have room.
 */
const BURST = 4;

const sliceOf = (
  room: Pick<Slice, 'usual' | 'room' | 'share' | 'tooMuch' | 'isLate' | 'isLeast'>,
): Slice => ({
  calls: new Map(),
  admitted: 0,
  refused: 0,
  late: 0,
  kept: 0,
  ...room,
});

/** The first slice of an overload, for calls of whatever app. */
export const firstSlice = (room: number): Slice =>
  sliceOf({
    usual: new Map(),
    room: Math.max(LEAST_ROOM, room),
    share: Number.POSITIVE_INFINITY,
    tooMuch: undefined,
    isLate: true,
    isLeast: false,
  });

/** Whether an app calls no more than its share. There is none where all calls have room. */
function isWithinShare({ usual, share }: Slice, app: string, calls: number): boolean {
  return Number.isFinite(share) && (usual.get(app) ?? 0) < share && calls <= BURST * Math.max(1, share);
}

/** Counts a call of an app. Whether the call may be answered. */
export function takeRoom(slice: Slice, app: string): boolean {
  const calls = (slice.calls.get(app) ?? 0) + 1;
  slice.calls.set(app, calls);
  const hasRoom = slice.admitted < slice.room && calls <= Math.max(1, slice.share);
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

const leastRoom = ({ kept }: Slice, { looks }: Lateness): number =>
  Math.max(LEAST_ROOM * looks, kept / KEPT_BESIDE_ONE);

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

/** The averages after this slice. A new app is known by its first slice alone. */
function newUsual({ calls, usual }: Slice): Map<string, number> {
  const found = new Map(calls);
  for (const [app, before] of usual) {
    const average = before + NEWEST_WEIGHS * ((calls.get(app) ?? 0) - before);
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
  const usual = newUsual(slice);
  const share = evenShare(usual.values(), room);
  const tooMuch = isLate && !slice.isLate ? newTooMuch(slice) : slice.tooMuch;
  return sliceOf({ usual, room, share, tooMuch, isLate, isLeast: room <= least });
}
