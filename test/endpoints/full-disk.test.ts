import { sql } from 'kysely';
import { exchange, read } from '../support/callers/legacy-calls.ts';
import { sendRaw } from '../support/callers/raw-request.ts';
import { SettableClock } from '../support/bridge/settable-clock.ts';
import { testInProcess, testMode } from '../support/jest/test-mode.ts';
import { type Connected, connectApp, expectUnspent } from './support/connected.ts';
import { type Door, openDoor } from './support/door.ts';
import { expectTokenError } from './support/expectations.ts';
import { expectAlive } from './support/knock.ts';

/** docs/threats.md F115: SQLite that gets no page more, as on a full disk, and SQLite that may not write. */

let door: Door;
let connected: Connected;

beforeAll(async () => {
  // A code lives thirty seconds. It must outlast the calls until the disk is full, however slow the machine is.
  door = await openDoor({ clock: new SettableClock() });
  connected = await connectApp(door);
});

afterAll(async () => {
  await expectAlive(door);
  await door.stop();
});

const set = async (pragma: string) => {
  await sql.raw(`pragma ${pragma}`).execute(door.bridge.context.store.durable);
};

/** Whatever fails, the next test has a disk again. */
async function during(pragma: string, over: string, work: () => Promise<void>): Promise<void> {
  await set(pragma);
  try {
    await work();
  } finally {
    await set(over);
  }
}

/** The pragmas are of the bridge's own connection, so the bridge has to be in this process. */
const onSqlite = testMode.database === 'sqlite' ? testInProcess : test.skip;

/** Exchanges of one code until the database has no room for one more. */
async function untilFull(code: string) {
  for (let tries = 0; tries < 200; tries += 1) {
    const filler = await connected.mint().catch(() => undefined);
    const answer = await exchange(door, filler ?? code);
    if (answer.status !== 200) return answer;
  }
  throw new Error('the database never became full');
}

onSqlite(
  'row F115 on a full disk an exchange is 503 and loses nothing, reads go on, and room ends it',
  async () => {
    const code = await connected.mint();
    // The smallest that it takes is what it has.
    await during('max_page_count = 1', 'max_page_count = 1073741823', async () => {
      expectTokenError(await untilFull(code), 503, 'temporarily_unavailable');
      expectTokenError(await exchange(door, code), 503, 'temporarily_unavailable');
      expect((await read(door, '/1/user.json', connected.token)).status).toBe(200);
    });
    await expectUnspent(door, connected, code);
  },
);

onSqlite('row F115 on a read-only disk an exchange is 503 and loses nothing, and reads go on', async () => {
  const code = await connected.mint();
  await during('query_only = 1', 'query_only = 0', async () => {
    expectTokenError(await exchange(door, code), 503, 'temporarily_unavailable');
    expect((await read(door, '/1/user.json', connected.token)).status).toBe(200);
    // Old reads are served from what can be read, so no balancer has to send them elsewhere.
    expect(await sendRaw(door.bridgeUrl, { path: '/ready' })).toMatchObject({ status: 200 });
  });
  await expectUnspent(door, connected, code);
});
