/**
 * The ids of live calls, 24 hex digits: the millisecond, the process that wrote the call, and a number for the calls of
 * one millisecond. The ids of one process rise, and the process writes its calls in this order. Calls of two processes
 * reach the database in any order, so a reader keeps its place in each process.
 */

const TIME = 11;
const WRITER = 8;
const NUMBER = 5;

const hex = (value: number, length: number) => value.toString(16).padStart(length, '0').slice(-length);

/** An id below every id of this moment or later. */
export function liveIdAt(at: number): string {
  return hex(Math.max(0, at), TIME).padEnd(TIME + WRITER + NUMBER, '0');
}

/** The process that wrote the call of an id. */
export function writerOf(id: string): string {
  return id.slice(TIME, TIME + WRITER);
}

/** Makes the ids of one process. The ids rise even when the clock goes back. */
export function createLiveIds(processId: string): (now: number) => string {
  const writer = processId.slice(0, WRITER);
  let [latest, made] = [0, 0];
  return (now) => {
    made = now > latest ? 0 : made + 1;
    latest = Math.max(latest, now);
    return `${hex(latest, TIME)}${writer}${hex(made, NUMBER)}`;
  };
}
