import { startSystem, type System } from '../support/bridge/system.ts';
import { until } from '../support/servers/held-answer.ts';
import { scrape, sumOf } from './support/scrape.ts';

/** A copy is told for as long as the bridge takes its database for one, not only in the moment when it is found. */

let system: System;

beforeAll(async () => {
  system = await startSystem();
});

afterAll(() => system.stop());

const isCopy = async () => sumOf(await scrape(system.bridgeUrl), 'grantbridge_restored_copy');

const setState = (state: 'copy' | 'original') =>
  system.bridge.context.store.durable.updateTable('instance').set({ state }).execute();

test('the gauge is 1 from the first look on that finds a copy, and 0 after the take-over', async () => {
  expect(await isCopy()).toBe(0);
  await setState('copy');
  await until(async () => (await isCopy()) === 1);
  await setState('original');
  await until(async () => (await isCopy()) === 0);
});
