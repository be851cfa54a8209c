import { accessTokenFor } from '../../src/domain/grants/refresh/access-token.ts';
import { findGrant } from '../../src/store/grants/grants.ts';
import { restUntil } from '../../src/store/grants/presentations.ts';
import { issueToken } from '../support/callers/legacy-calls.ts';
import { SettableClock } from '../support/bridge/settable-clock.ts';
import { startSystem, type System } from '../support/bridge/system.ts';

/** After a fault of the way to the modern side a good answer of one grant ends the rests of the others. */

const REST = 900_000;

const clock = new SettableClock();
let system: System;
let [healthy, cutOff, askedToWait, later]: string[] = [];

const database = () => system.bridge.context.store.durable;

beforeAll(async () => {
  system = await startSystem({ clock, env: { LEGACY_RATE_LIMIT: '0' } });
  for (let number = 0; number < 4; number += 1) {
    const app = await system.registerApp(`https://app-${number}.example/callback`);
    await issueToken(system, { app });
  }
  const rows = await database().selectFrom('grants').select('id').orderBy('id').execute();
  [healthy, cutOff, askedToWait, later] = rows.map(({ id }) => id);
  clock.advance(3_700_000);
});

afterAll(() => system.stop());

const isServed = (id = '') =>
  accessTokenFor(system.bridge.context, { id }).then(
    () => true,
    () => false,
  );

/** As a connection that did not come about puts a grant off, or as the server asked where it is not one. */
async function putOff(id: string | undefined, putOffAt: number | null): Promise<void> {
  await restUntil(database(), { id: id ?? '', version: 1 }, { retryAt: clock.now() + REST, putOffAt });
}

test('a grant that found no connection rests until another got a good answer, one that was asked to wait rests on', async () => {
  await putOff(cutOff, clock.now());
  await putOff(askedToWait, null);
  expect(await isServed(cutOff)).toBe(false);
  clock.advance(1000);
  expect(await isServed(healthy)).toBe(true);
  expect(await isServed(cutOff)).toBe(true);
  expect(await isServed(askedToWait)).toBe(false);
});

test('a connection that is refused is what puts a grant off so', async () => {
  clock.advance(1000);
  await system.proxy.close();
  expect(await isServed(later)).toBe(false);
  expect(await findGrant(database(), later ?? '')).toMatchObject({
    state: 'ready',
    version: 1,
    put_off_at: clock.now(),
  });
});
