/**
 * The ids of live calls: the millisecond, the process that wrote it, and a number that tells those of one millisecond
 * apart; 24 hex digits. Those of one process rise, and it writes them in their order. Those of two processes come to the
 * database in any order, which is why a reader keeps its place in each of them.
 */

const TIME = 11;
const WRITER = 8;
const NUMBER = 5;

const hex = (value: number, length: number) => value.toString(16).padStart(length, '0').slice(-length);

/** Below every id of this moment or later. */
export function liveIdAt(at: number): string {
  return hex(Math.max(0, at), TIME).padEnd(TIME + WRITER + NUMBER, '0');
}

/** Which process wrote it. */
export function writerOf(id: string): string {
  return id.slice(TIME, TIME + WRITER);
}

/** Makes the ids of one process; they rise even where its clock goes back. */
export function createLiveIds(processId: string): (now: number) => string {
  const writer = processId.slice(0, WRITER);
  let [latest, made] = [0, 0];
  return (now) => {
    made = now > latest ? 0 : made + 1;
    latest = Math.max(latest, now);
    return `${hex(latest, TIME)}${writer}${hex(made, NUMBER)}`;
  };
}
