import { accessTokenFor } from '../../../src/domain/grants/refresh/access-token.ts';
import { findTurn } from '../../../src/domain/grants/refresh/stop/doubt-breaker.ts';
import { shortenStop } from '../../../src/domain/grants/refresh/stop/shorten-stop.ts';
import { scrape, sumOf } from '../../metrics/support/scrape.ts';
import { holdJobs } from '../../support/bridge/hold-jobs.ts';
import { SettableClock } from '../../support/bridge/settable-clock.ts';
import { startSystem, type System } from '../../support/bridge/system.ts';
import { issueToken } from '../../support/callers/legacy-calls.ts';
import { freePort } from '../../support/servers/free-port.ts';
import type { Answer } from '../../support/servers/forward.ts';
import { openLine, type SeverableLine } from '../../support/servers/severable-line.ts';

/** After an outage of any length the grants recover soon, because none of them rests for long. */

const GRANTS = 14;
/** As after an outage of hours: the back-off alone would be a quarter of an hour. */
const MANY_ATTEMPTS = 15;
const OPEN = 'grantbridge_new_api_breaker_open';
const SECOND = 1000;
const MINUTE = 60 * SECOND;

const clock = new SettableClock();
let system: System;
let line: SeverableLine;
let letJobsRun: () => void;
let grantIds: string[];

const context = () => system.bridge.context;
const grants = () => context().store.durable;

beforeAll(async () => {
  const port = await freePort();
  const env = { LEGACY_RATE_LIMIT: '0', IN_DOUBT_QUIET_SECONDS: '3600' };
  system = await startSystem({ clock, env, issuer: `http://127.0.0.1:${port}` });
  letJobsRun = await holdJobs(context(), ['shorten-stop', 'settle-doubts', 'refresh-idle-grants']);
  line = await openLine(port, Number(new URL(system.proxy.origin).port));
  for (let number = 0; number < GRANTS; number += 1)
    await issueToken(system, { app: await system.registerApp(`https://app-${number}.example/callback`) });
  const rows = await grants().selectFrom('grants').select('id').orderBy('id').execute();
  grantIds = rows.map(({ id }) => id);
  clock.advance(3_700_000);
});

afterAll(async () => {
  letJobsRun();
  await line.close();
  await system.stop();
});

const isOpen = (before: string) => scrape(system.bridgeUrl).then((all) => sumOf(all, OPEN, { before }));

const isServed = (id: string) =>
  accessTokenFor(context(), { id }).then(
    () => true,
    () => false,
  );

const rowsOf = (ids: readonly string[]) =>
  grants().selectFrom('grants').selectAll().where('id', 'in', ids).execute();

async function wearOut(ids: readonly string[]): Promise<void> {
  await grants().updateTable('grants').set({ attempts: MANY_ATTEMPTS }).where('id', 'in', ids).execute();
}

const badGateway: Answer = { status: 502, headers: {}, body: Buffer.from('bad gateway') };

/** The pause of the breaker on lost answers begins anew, as after an attempt in vain. */
const isStopped = async () => (await findTurn(context())).kind === 'stopped';

/** The answers of the metadata, beside those of refreshes. */
let isMetadataSilent = false;

test('a grant in doubt rests for a minute beside its quiet time', async () => {
  const ids = grantIds.slice(8, 13);
  await wearOut(ids);
  system.proxy.onTokenAnswer = () => badGateway;
  await Promise.all(ids.map(isServed));
  const rows = await rowsOf(ids);
  expect(new Set(rows.map(({ state }) => state))).toEqual(new Set(['in_doubt']));
  expect(Math.max(...rows.map((row) => row.retry_at - clock.now()))).toBeLessThanOrEqual(MINUTE);
  expect(await isStopped()).toBe(true);
});

test('while the server answers all along, and loses the answers to refreshes, no pause is shortened', async () => {
  for (let number = 0; number < 5; number += 1) await shortenStop(context());
  expect(await isStopped()).toBe(true);
});

test('when it was silent and answers again, one refresh is tried at once; the next pause needs a new silence', async () => {
  system.proxy.insteadOfOther = ({ path }) =>
    isMetadataSilent && path.startsWith('/.well-known') ? badGateway : undefined;
  isMetadataSilent = true;
  await shortenStop(context());
  expect(await isStopped()).toBe(true);
  isMetadataSilent = false;
  await shortenStop(context());
  expect(await isStopped()).toBe(false);
  const [last = ''] = grantIds.slice(13);
  expect(await isServed(last)).toBe(false);
  for (let number = 0; number < 3; number += 1) await shortenStop(context());
  expect(await isStopped()).toBe(true);
});

test('a good answer then ends the stop', async () => {
  isMetadataSilent = true;
  await shortenStop(context());
  isMetadataSilent = false;
  await shortenStop(context());
  system.proxy.onTokenAnswer = undefined;
  const [next = ''] = grantIds;
  clock.advance(1);
  expect(await isServed(next)).toBe(true);
  expect((await findTurn(context())).kind).not.toBe('stopped');
});

test('without connections a few grants rest for seconds, and the others do not rest at all', async () => {
  const ids = grantIds.slice(1, 8);
  await wearOut(ids);
  await line.refuse();
  for (const id of ids) expect(await isServed(id)).toBe(false);
  expect([await isOpen('connections'), await isOpen('reads')]).toEqual([1, 0]);
  const rests = (await rowsOf(ids)).map((row) => Math.max(row.retry_at - clock.now(), 0));
  expect(rests.filter((rest) => rest > 0)).toHaveLength(3);
  expect(Math.max(...rests)).toBeLessThanOrEqual(20 * SECOND);
});
