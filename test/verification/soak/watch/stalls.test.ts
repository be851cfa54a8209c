import { type Wait, waitedDuring } from './stalls.ts';

/** How long what a call goes through waited for a processor, on looks written by hand. */

const look = (who: Wait['who'], pid: number, at: number, waited: number): Wait => ({ who, pid, at, waited });

const WAITS = [
  look('soak', 1, 0, 50),
  look(0, 2, 0, 100),
  look(0, 3, 0, 7000),
  look(1, 4, 0, 0),
  look('soak', 1, 1000, 150),
  look(0, 2, 1000, 700),
  look(0, 3, 1000, 7100),
  look(1, 4, 1000, 900),
  look('soak', 1, 2000, 150),
  look(0, 2, 2000, 1700),
  look(0, 3, 2000, 7100),
  look(1, 4, 2000, 900),
  look('soak', 1, 3000, 950),
  look(0, 2, 3000, 2600),
];

const during = (process: number, startedAt: number, endedAt: number) =>
  waitedDuring(WAITS, { process, startedAt, endedAt });

test('of one machine the process that waited longest counts, and what stands before it beside', () => {
  expect(during(0, 1100, 1900)).toBe(1000);
  expect(during(0, 900, 1900)).toBe(100 + 1600);
});

test('another machine does not count', () => {
  expect(during(1, 1100, 1900)).toBe(0);
});

test('looks before and after the call do not count, nor a process that has gone', () => {
  expect(during(0, 2100, 2900)).toBe(800 + 900);
  expect(during(1, 2100, 2900)).toBe(800);
});
