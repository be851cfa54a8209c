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

/**
 * Lets every token need two free pages, and uses up all there are. Whether a small row needs a page depends on where it
 * stands in the tree, so without this one exchange may fail and the next one may find a place.
 */
async function fillDisk(work: () => Promise<void>): Promise<void> {
  const db = door.bridge.context.store.durable;
  const run = (text: string) => sql.raw(text).execute(db);
  await run('create table filler (bytes blob)');
  await run(
    'create trigger fill after insert on mappings begin insert into filler values (zeroblob(8192)); end',
  );
  const useUp = async () => {
    for (let rows = 0; rows < 10_000; rows += 1) await run('insert into filler values (zeroblob(3000))');
  };
  // The smallest that it takes is what it has.
  await during('max_page_count = 1', 'max_page_count = 1073741823', async () => {
    await expect(useUp()).rejects.toThrow(/full/);
    await work();
  });
  await run('drop trigger fill');
  await run('drop table filler');
}

onSqlite(
  'row F115 on a full disk an exchange is 503 and loses nothing, reads go on, and room ends it',
  async () => {
    const code = await connected.mint();
    await fillDisk(async () => {
      expectTokenError(await exchange(door, code), 503, 'temporarily_unavailable');
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
