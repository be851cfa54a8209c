import { budgetKnownHere, readBudget } from '../../src/domain/limits/budget-reading.ts';
import { shareBudgets } from '../../src/domain/limits/share-budget.ts';
import { createMetrics } from '../../src/shared/metrics/metrics.ts';
import { createModernSides } from '../../src/upstream/modern-sides.ts';
import { issueToken, read } from '../support/callers/legacy-calls.ts';
import { BRIDGE_CLIENT } from '../support/servers/modern-side.ts';
import { SettableClock } from '../support/bridge/settable-clock.ts';
import { startSystem, type System } from '../support/bridge/system.ts';

/** The budget window by window, as the new API tells it, here and in processes that have asked nothing themselves. */

const MINUTE = 60_000;
const clock = new SettableClock();
let system: System;
let token: string;

const HEADERS = {
  ratelimit: '"100-in-15min";r=40;t=600, "250-in-24h";r=200;t=80000, "odd";r=1;t=1',
  'ratelimit-policy': '"100-in-15min";q=100;w=900, "250-in-24h";q=250;w=86400, "odd";q=9',
};

beforeAll(async () => {
  system = await startSystem({ clock, accessTokenSeconds: 86_400 });
  token = await issueToken(system);
  system.proxy.onOtherAnswer = (_call, answer) => ({
    ...answer,
    headers: { ...answer.headers, ...HEADERS },
  });
});

afterAll(() => system.stop());

/** A process that shares the database and has asked nobody. */
const elsewhere = () => ({
  ...system.bridge.context,
  sides: createModernSides({
    authUrl: 'http://127.0.0.1:9',
    apiUrl: 'http://127.0.0.1:9',
    clock,
    silence: () => undefined,
    logger: system.bridge.context.logger,
    metrics: createMetrics().upstream,
  }),
});

test('what the new API has not told is not known', async () => {
  expect(budgetKnownHere(system.bridge.context, 'nobody')).toBeUndefined();
  expect(await readBudget(elsewhere(), 'nobody')).toBeUndefined();
});

test('each window with its length, quota and rest; a window without a length is left out', async () => {
  clock.advance(2 * MINUTE);
  expect((await read(system, '/1/user.json', token)).status).toBe(200);
  const windows = [
    { limit: 100, left: 40, seconds: 900 },
    { limit: 250, left: 200, seconds: 86_400 },
  ];
  const { context } = system.bridge;
  const known = { saidAt: clock.now(), windows };
  await shareBudgets(context);
  expect(await readBudget(context, BRIDGE_CLIENT)).toEqual(known);
  expect(budgetKnownHere(context, BRIDGE_CLIENT)).toEqual(known);
  const other = elsewhere();
  expect(budgetKnownHere(other, BRIDGE_CLIENT)).toBeUndefined();
  expect(await readBudget(other, BRIDGE_CLIENT)).toEqual(known);
});

test('a window that has opened again since has everything left', async () => {
  clock.advance(11 * MINUTE);
  const reading = await readBudget(elsewhere(), BRIDGE_CLIENT);
  expect(reading?.windows.map(({ left }) => left)).toEqual([100, 200]);
});

test.each(['nonsense', '{}', '[{"limit":"many"}]'])(
  'kept windows that nobody can read (%s) count as none',
  async (windows) => {
    await system.bridge.context.store.volatile.updateTable('budgets').set({ windows }).execute();
    expect(await readBudget(elsewhere(), BRIDGE_CLIENT)).toBeUndefined();
  },
);
