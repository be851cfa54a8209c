import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { holdJobs } from '../support/bridge/hold-jobs.ts';
import { longestHold } from '../support/bridge/longest-hold.ts';
import { issueToken } from '../support/callers/legacy-calls.ts';
import { startSystem, type System } from '../support/bridge/system.ts';
import { until } from '../support/servers/held-answer.ts';
import { scrape, sumOf } from './support/scrape.ts';

/** A million tokens: a scrape holds no caller up. */

const MILLION = 1_000_000;
let system: System;
let release: () => void;

beforeAll(async () => {
  system = await startSystem();
  release = await holdJobs(system.bridge.context, ['keep-progress', 'plan-reminders', 'send-reminders']);
  await issueToken(system);
  await sql`
    insert into mappings (id, token_digest, client_id, state, source, account_email, created_at, updated_at)
    with recursive number (n) as (select 1 union all select n + 1 from number where n < ${MILLION})
    select printf('%024x', n), 'digest ' || n, ${system.app.clientId}, 'unmapped', 'imported', 'p' || n || '@box.example', 1, 1
    from number`.execute(system.bridge.context.store.durable);
}, 300_000);

afterAll(async () => {
  release();
  await system.stop();
});

/** The token of the owner is counted too. */
test('a million tokens are counted, and no piece of the count holds the event loop for more than 50 ms', async () => {
  const { longest: idle } = await longestHold(() => delay(3000));
  const startedAt = performance.now();
  const { longest: hold } = await longestHold(() =>
    until(
      async () =>
        sumOf(await scrape(system.bridgeUrl), 'grantbridge_mappings', { state: 'unmapped' }) > MILLION,
      60_000,
    ),
  );
  const took = performance.now() - startedAt;
  process.stderr.write(
    `idle ${idle.toFixed(0)} ms, count ${took.toFixed(0)} ms, longest hold ${hold.toFixed(0)} ms\n`,
  );
  expect(hold).toBeLessThan(50 + idle);
}, 120_000);
