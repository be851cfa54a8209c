import { exchange, read } from '../support/callers/legacy-calls.ts';
import { openStoreBreaker, type StoreBreaker } from '../support/database/store-breaker.ts';
import { type Connected, connectApp, expectUnspent } from './support/connected.ts';
import { type Door, openDoor } from './support/door.ts';
import { expectTokenError } from './support/expectations.ts';

/**
 * docs/threats.md C74: a lock is waited for five seconds (busy_timeout, lock_timeout), so the answer to a write has no
 * limit of one second.
 */

let door: Door;
let connected: Connected;
let breaker: StoreBreaker;

beforeAll(async () => {
  door = await openDoor();
  connected = await connectApp(door);
  breaker = await openStoreBreaker(door.bridge.database);
});

afterAll(async () => {
  await breaker.close();
  await door.stop();
});

/** A read waits neither for the lock nor for the writes that wait for it: either takes five seconds. */
const NO_WAIT = 4500;

test('row C74 a database that another process keeps locked is 503, and all is well afterwards', async () => {
  const code = await connected.mint();
  await breaker.whileLocked('legacy_codes', async () => {
    expectTokenError(await exchange(door, code), 503, 'temporarily_unavailable');
    // The first answer tells ids that have to be kept, and tries to write them. The second one is a read.
    expect(await read(door, '/1/user.json', connected.token)).toMatchObject({ status: 200 });
    const begun = performance.now();
    expect(await read(door, '/1/user.json', connected.token)).toMatchObject({ status: 200 });
    expect(performance.now() - begun).toBeLessThan(NO_WAIT);
  });
  await expectUnspent(door, connected, code);
});

/** Each alone would wait five seconds. One after the other they would take as long as all of them together. */
const AT_ONCE = 5;

test('row C74 calls that wait for the same lock fail together, and not one after the other', async () => {
  const codes = await Promise.all(Array.from({ length: AT_ONCE }, () => connected.mint()));
  await breaker.whileLocked('legacy_codes', async () => {
    const begun = performance.now();
    const answers = await Promise.all(codes.map((code) => exchange(door, code)));
    for (const answer of answers) expectTokenError(answer, 503, 'temporarily_unavailable');
    expect(performance.now() - begun).toBeLessThan((AT_ONCE - 1) * 5000);
  });
  for (const code of codes) await expectUnspent(door, connected, code);
});
