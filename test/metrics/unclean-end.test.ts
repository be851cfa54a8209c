import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { markUncleanEnd, openUncleanEnd } from '../../src/store/files/unclean-end.ts';

/** How long a start tells that an error ended the process before. */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NOW = Date.UTC(2026, 0, 1);

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'unclean-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('without such an end nothing is told', () => {
  expect(openUncleanEnd(folder, NOW)(NOW)).toBe(false);
});

test('it is told for an hour from the next start on, however late that comes and however many follow', () => {
  markUncleanEnd(folder);
  const isTold = openUncleanEnd(folder, NOW);
  expect([isTold(NOW), isTold(NOW + HOUR - 1), isTold(NOW + HOUR)]).toEqual([true, true, false]);
  const later = openUncleanEnd(folder, NOW + 50 * MINUTE);
  expect([later(NOW + 50 * MINUTE), later(NOW + HOUR)]).toEqual([true, false]);
  expect(openUncleanEnd(folder, NOW + HOUR)(NOW + HOUR)).toBe(false);
  expect(readdirSync(folder)).toEqual([]);
});

test('a clock that ran ahead at the first start makes the hour no longer', () => {
  markUncleanEnd(folder);
  openUncleanEnd(folder, NOW + 24 * HOUR);
  const isTold = openUncleanEnd(folder, NOW);
  expect([isTold(NOW), isTold(NOW + HOUR)]).toEqual([true, false]);
  expect(openUncleanEnd(folder, NOW + HOUR)(NOW + HOUR)).toBe(false);
});

test('a folder that is gone ends nothing', () => {
  rmSync(folder, { recursive: true });
  markUncleanEnd(folder);
  expect(existsSync(folder)).toBe(false);
});
