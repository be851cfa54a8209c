import { evenShare } from './even-share.ts';

/** The calls from one look of an overloaded process to the next, and how many of them it answers. */
export interface Slice {
  /** How many calls of each app came. */
  calls: Map<string, number>;
  admitted: number;
  refused: number;
  /** How many calls were admitted, but came to their turn too late. */
  late: number;
  /** How many calls may be answered until the next look; and how many of one app. */
  room: number;
  share: number;
}

/** However late the process is, it answers this many calls between two looks. */
const LEAST_ROOM = 10;

/** By how much the number of calls between two looks may change at once. */
const [SHRINKS_TO, GROWS_TO] = [0.7, 1.1];

const sliceOf = (room: number, share: number): Slice => ({
  calls: new Map(),
  admitted: 0,
  refused: 0,
  late: 0,
  room,
  share,
});

/** The first slice of an overload, for calls of whatever app. */
export const firstSlice = (room: number): Slice =>
  sliceOf(Math.max(LEAST_ROOM, room), Number.POSITIVE_INFINITY);

/** Counts a call of an app. Whether the call may be answered. */
export function takeRoom(slice: Slice, app: string): boolean {
  const calls = (slice.calls.get(app) ?? 0) + 1;
  slice.calls.set(app, calls);
  const isAdmitted = slice.admitted < slice.room && calls <= Math.max(1, slice.share);
  slice[isAdmitted ? 'admitted' : 'refused'] += 1;
  return isAdmitted;
}

/**
 * Counts a call that comes to its turn too late. Whether it is answered all the same: as many are as have room at the least.
 * Where what is never refused makes the line long, every call is late.
 */
export function takeLateRoom(slice: Slice): boolean {
  slice.late += 1;
  const isAdmitted = slice.late <= LEAST_ROOM;
  if (!isAdmitted) slice.refused += 1;
  return isAdmitted;
}

/** How late the process is, and how late it should be. */
interface Lateness {
  wait: number;
  aim: number;
}

/**
 * How many calls the next slice may answer. A slice with more room takes longer, so the room follows the wait. Where
 * nothing was refused, more room would change nothing.
 */
function nextRoom({ room, admitted, refused }: Slice, { wait, aim }: Lateness): number {
  if (wait > aim) return Math.max(LEAST_ROOM, Math.min(room, admitted) * Math.max(SHRINKS_TO, aim / wait));
  return refused > 0 ? room * GROWS_TO + 1 : room;
}

/** The slice after this one. */
export function nextSlice(slice: Slice, lateness: Lateness): Slice {
  const room = nextRoom(slice, lateness);
  return sliceOf(room, evenShare(slice.calls.values(), room));
}
