import { readFileSync, writeFileSync } from 'node:fs';
import { type KeyDoor, openKeyDoor } from '../support/bridge/key-door.ts';
import { until } from '../support/servers/held-answer.ts';
import { scrape, sumOf } from './support/scrape.ts';

/** A file that was changed and is not usable is told of for as long as it lies there: a start would be refused. */

let door: KeyDoor;

beforeAll(async () => {
  door = await openKeyDoor();
});

afterAll(() => door.stop());

const unusable = async (what: 'keys' | 'certificate') =>
  sumOf(await scrape(door.bridgeUrl), `grantbridge_${what}_unusable`);

test.each([
  ['cannot be read', () => 'nothing'],
  ['lacks a key in use', (text: string) => text.replaceAll('"k1"', '"k9"')],
])('a key file that %s is told of until the right one is back', async (_what, changed) => {
  expect(await unusable('keys')).toBe(0);
  const right = readFileSync(door.keysFile, 'utf8');
  const before = door.lines().length;
  writeFileSync(door.keysFile, changed(right));
  await until(async () => (await unusable('keys')) === 1);
  expect(door.lines().slice(before).join()).toContain('ALARM: ');
  writeFileSync(door.keysFile, right);
  await until(async () => (await unusable('keys')) === 0);
  const said = door.lines().slice(before).join();
  expect(said).toMatch(/the key file is usable again|the keys are in order again/);
});

test('a bridge without a certificate of its own has none that is unusable', async () => {
  expect(await unusable('certificate')).toBe(0);
});
