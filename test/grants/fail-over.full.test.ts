import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { splitByOwner } from '../../src/domain/grants/refresh/spill-owners.ts';
import { type InstanceWatch, openInstanceWatch } from '../../src/domain/instance/instance-watch.ts';
import { createLogger } from '../../src/shared/log/logger.ts';
import { openEpochFile } from '../../src/store/files/epoch-file.ts';
import { openSpill, type PairOwner } from '../../src/store/files/spill.ts';
import { openStore } from '../../src/store/driver/open-store.ts';
import type { Store } from '../../src/store/driver/store.ts';
import { logLines } from '../support/bridge/log-lines.ts';
import { freshDatabase, type TestDatabase } from '../support/database/database.ts';
import { until } from '../support/servers/held-answer.ts';

/**
 * The address of the settings may lead to another database while a process runs: a name server or a pooler was turned
 * round. A pair that came meanwhile belongs to the database that has its claim.
 */

const folder = mkdtempSync(join(tmpdir(), 'fail-over-'));
const spill = openSpill(join(folder, 'spill'));
const logger = createLogger({ level: 'error', name: 'test', stream: logLines().stream });
const pair = { accessTokenSealed: 'a', refreshTokenSealed: 'r', scope: '', accessExpiresAt: 0, refreshAt: 0 };
const entry = { grantId: 'f'.repeat(24), version: 3, pair };

let original: TestDatabase;
/** Where the statements about whole databases run. */
let aside: TestDatabase;
let store: Store;
let watch: InstanceWatch;
let home: PairOwner;

const nameOf = ({ url }: TestDatabase) => new URL(url).pathname.slice(1);

async function onServer(...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: aside.url });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

const endSessions = (name: string) =>
  `select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '${name}'`;

/** From then on the address leads to the database `to`. The one that it led to is called `from`. */
const turnAround = (from: string, to: string) =>
  onServer(
    endSessions(nameOf(original)),
    `alter database ${nameOf(original)} rename to ${from}`,
    `alter database ${to} rename to ${nameOf(original)}`,
  );

const openWatch = () => {
  const file = openEpochFile(join(folder, 'epoch.json'), { kind: 'postgres', url: original.url });
  return openInstanceWatch({ store, file, clock: { elapsed: () => performance.now() }, logger });
};

/** The connections of before are gone, so the first look may fail. */
const seesCopy = (isCopy: boolean) =>
  until(async () => {
    await watch.look().catch(() => undefined);
    return watch.isCopy() === isCopy;
  });

beforeAll(async () => {
  original = await freshDatabase();
  aside = await freshDatabase();
  const location = { kind: 'postgres', url: original.url } as const;
  store = await openStore(location);
  watch = await openWatch();
  await watch.adopt();
  await onServer(
    endSessions(nameOf(original)),
    `create database ${nameOf(original)}_copy template ${nameOf(original)}`,
  );
  home = watch.pairOwner();
});

afterAll(async () => {
  await store.close();
  for (const end of ['copy', 'away'])
    await onServer(`drop database if exists ${nameOf(original)}_${end} with (force)`);
  await original.drop();
  await aside.drop();
  rmSync(folder, { recursive: true });
});

test('a pair names the database that has its claim, not the one that the address leads to meanwhile', async () => {
  expect(home).toMatchObject({ address: expect.stringMatching(/^postgres:\d+\/\d+$/), ownsFolder: true });
  await turnAround(`${nameOf(original)}_away`, `${nameOf(original)}_copy`);
  await seesCopy(true);
  expect(watch.pairOwner()).toEqual(home);
  await spill.write({ ...entry, owner: watch.pairOwner() });
});

test('the other database leaves the pair alone', async () => {
  const { entries } = await spill.list();
  expect(splitByOwner({ instance: watch }, entries)).toMatchObject({ own: [], left: [entry] });
  expect(splitByOwner({ instance: await openWatch() }, entries)).toMatchObject({ own: [], left: [entry] });
});

test('once the address leads back, this process takes the pair, and so does the next one', async () => {
  await turnAround(`${nameOf(original)}_copy`, `${nameOf(original)}_away`);
  await seesCopy(false);
  const { entries } = await spill.list();
  expect(splitByOwner({ instance: watch }, entries)).toMatchObject({ own: [entry], left: [] });
  expect(splitByOwner({ instance: await openWatch() }, entries)).toMatchObject({ own: [entry], left: [] });
});
