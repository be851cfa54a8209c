import { logLines } from '../support/bridge/log-lines.ts';
import { startSystem, type System } from '../support/bridge/system.ts';
import { sendRaw } from '../support/callers/raw-request.ts';
import { openStoreBreaker } from '../support/database/store-breaker.ts';
import { until } from '../support/servers/held-answer.ts';
import { scrape } from './support/scrape.ts';

/** What `/ready` says to a balancer stands in the metrics too: a balancer calls nobody at night. */

const log = logLines();
let system: System;

beforeAll(async () => {
  system = await startSystem({ log: { level: 'info', stream: log.stream } });
});

afterAll(() => system.stop());

const told = async () =>
  (await scrape(system.bridgeUrl))
    .filter(({ name }) => name === 'grantbridge_ready')
    .map(({ value }) => value);

const linesOf = (message: string) => log.lines().filter((line) => line.includes(`"${message}"`));

test('the gauge is 1 while the process can serve, and 0 while it cannot, with the reason in the log', async () => {
  // On a slow machine a look may take longer than the second that the metrics wait.
  await until(async () => (await told()).join() === '1');
  const breaker = await openStoreBreaker(system.bridge.database);
  await breaker.whileMissing('apps', async () => {
    await until(async () => (await told())[0] === 0);
    expect((await sendRaw(system.bridgeUrl, { path: '/ready' })).status).toBe(503);
  });
  await breaker.close();
  await until(async () => (await told())[0] === 1);
  await system.bridge.untilLogged();
  expect(linesOf('not ready')).toHaveLength(1);
  expect(linesOf('not ready')[0]).toContain('the database does not answer');
  expect(linesOf('ready again')).toHaveLength(1);
});
