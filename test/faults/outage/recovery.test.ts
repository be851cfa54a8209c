import { findTurn } from '../../../src/domain/grants/refresh/stop/doubt-breaker.ts';
import { shortenStop } from '../../../src/domain/grants/refresh/stop/shorten-stop.ts';
import { scrape, sumOf } from '../../metrics/support/scrape.ts';
import { until } from '../../support/servers/held-answer.ts';
import { badGateway, type Outage, startOutage } from './support/outage.ts';

/** After an outage of any length the grants recover soon, because none of them rests for long. */

const GRANTS = 14;
/** As after an outage of hours: the back-off alone would be a quarter of an hour. */
const MANY_ATTEMPTS = 15;
const OPEN = 'grantbridge_new_api_breaker_open';
const SECOND = 1000;
const MINUTE = 60 * SECOND;

let outage: Outage;
let grantIds: string[];

const context = () => outage.context();
const grants = () => context().store.durable;

beforeAll(async () => {
  outage = await startOutage(GRANTS);
  ({ grantIds } = outage);
});

afterAll(() => outage.stop());

const isOpen = (before: string) =>
  scrape(outage.system.bridgeUrl).then((all) => sumOf(all, OPEN, { before }));

const rowsOf = (ids: readonly string[]) =>
  grants().selectFrom('grants').selectAll().where('id', 'in', ids).execute();

async function wearOut(ids: readonly string[]): Promise<void> {
  await grants().updateTable('grants').set({ attempts: MANY_ATTEMPTS }).where('id', 'in', ids).execute();
}

test('a grant in doubt rests for a minute beside its quiet time', async () => {
  const ids = grantIds.slice(8, 13);
  await wearOut(ids);
  outage.system.proxy.onTokenAnswer = () => badGateway;
  await Promise.all(ids.map(outage.isServed));
  const rows = await rowsOf(ids);
  expect(new Set(rows.map(({ state }) => state))).toEqual(new Set(['in_doubt']));
  expect(Math.max(...rows.map((row) => row.retry_at - outage.clock.now()))).toBeLessThanOrEqual(MINUTE);
  expect(await outage.isStopped()).toBe(true);
});

test('while the server answers all along, and loses the answers to refreshes, no pause is shortened', async () => {
  for (let number = 0; number < 5; number += 1) await shortenStop(context());
  expect(await outage.isStopped()).toBe(true);
});

test('when it was silent and answers again, one refresh is tried at once; the next pause needs a new silence', async () => {
  outage.setSilent(true);
  await shortenStop(context());
  expect(await outage.isStopped()).toBe(true);
  outage.setSilent(false);
  await shortenStop(context());
  expect(await outage.isStopped()).toBe(false);
  const [last = ''] = grantIds.slice(13);
  expect(await outage.isServed(last)).toBe(false);
  for (let number = 0; number < 3; number += 1) await shortenStop(context());
  expect(await outage.isStopped()).toBe(true);
});

test('a good answer then ends the stop', async () => {
  outage.setSilent(true);
  await shortenStop(context());
  outage.setSilent(false);
  await shortenStop(context());
  outage.system.proxy.onTokenAnswer = undefined;
  const [next = ''] = grantIds;
  outage.clock.advance(1);
  expect(await outage.isServed(next)).toBe(true);
  expect((await findTurn(context())).kind).not.toBe('stopped');
});

test('without connections a few grants rest for seconds, and the others do not rest at all', async () => {
  const ids = grantIds.slice(1, 8);
  await wearOut(ids);
  await outage.line.refuse();
  for (const id of ids) expect(await outage.isServed(id)).toBe(false);
  expect([await isOpen('connections'), await isOpen('reads')]).toEqual([1, 0]);
  const rests = (await rowsOf(ids)).map((row) => Math.max(row.retry_at - outage.clock.now(), 0));
  expect(rests.filter((rest) => rest > 0)).toHaveLength(3);
  expect(Math.max(...rests)).toBeLessThanOrEqual(20 * SECOND);
});

test('a breaker that refuses nobody, because nobody asks, is not told as open', async () => {
  const before = context().sides.connections.openings();
  await until(async () => (await isOpen('connections')) === 0, 20_000);
  expect(context().sides.connections.openings()).toBe(before);
  expect(await outage.isServed(grantIds[7] ?? '')).toBe(false);
  expect(await isOpen('connections')).toBe(1);
});
