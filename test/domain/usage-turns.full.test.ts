import { setTimeout as delay } from 'node:timers/promises';
import { createUsageLog, type UsageLog } from '../../src/domain/usage/usage.ts';
import { createLogger } from '../../src/shared/log/logger.ts';
import { openTwoStores, type TwoStores } from '../store/support/stores.ts';
import { until } from '../support/servers/held-answer.ts';

/** Few counted calls are written every ten seconds; those of very many tokens every thirty, or when somebody asks. */

const SECOND = 1000;
const MANY = 5000;

let stores: TwoStores;
let usage: UsageLog;

beforeAll(async () => {
  stores = await openTwoStores('sqlite');
});
afterAll(() => stores.close());

beforeEach(async () => {
  await stores.one.volatile.deleteFrom('usage').execute();
  const logger = createLogger({ level: 'error', name: 'test' });
  usage = createUsageLog({ store: stores.one, clock: { now: () => Date.now() }, logger });
});
afterEach(() => usage.close());

function note(count: number): void {
  for (let n = 0; n < count; n += 1)
    usage.note({
      mappingId: `m${n}`,
      endpoint: '/1/user.json',
      carrier: 'header',
      userAgent: undefined,
      status: 200,
    });
}

async function written(): Promise<number> {
  const rows = await stores.one.volatile.selectFrom('usage').select('mapping_id').execute();
  return rows.length;
}

test('few are written with the first turn', async () => {
  note(MANY - 1);
  expect(await written()).toBe(0);
  await until(async () => (await written()) === MANY - 1, 13 * SECOND);
});

test('many wait for the third turn', async () => {
  note(MANY);
  await delay(25 * SECOND);
  expect(await written()).toBe(0);
  await until(async () => (await written()) === MANY, 10 * SECOND);
}, 60_000);

test('many are written at once when somebody asks', async () => {
  note(MANY);
  await usage.flush();
  expect(await written()).toBe(MANY);
});
