import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { readConfig } from '../../../src/config/config.ts';
import { purgeExpired, purgeShortLived } from '../../../src/domain/purge-expired.ts';
import { openContext, type OpenContext } from '../../../src/app/open-context.ts';
import { SettableClock } from '../../support/bridge/settable-clock.ts';

/** A flood of rows is removed piece by piece: no statement takes more than five hundred of them. */

const START = Date.parse('2026-01-01T00:00:00Z');
const MINUTE = 60_000;
const MANY = 2300;

const folder = mkdtempSync(join(tmpdir(), 'pieces-'));
const clock = new SettableClock(START);
let opened: OpenContext;

beforeAll(async () => {
  const config = readConfig({
    VAR_DIR: folder,
    MODERN_AUTH_URL: 'http://127.0.0.1:9',
    MODERN_API_URL: 'http://127.0.0.1:9',
    MODERN_CLIENT_ID: 'bridge',
    PROFILES_STALE_SECONDS: '60',
    LOG_LEVEL: 'error',
  });
  if (!config.upstream) throw new Error('the settings name a modern side');
  opened = await openContext(config, config.upstream, { clock });
  const { durable, volatile } = opened.context.store;
  const numbers = sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < ${MANY})`;
  const ends = START + 30 * MINUTE;
  for (const phase of ['consenting', 'denied', 'returned']) {
    await sql`insert into authorization_requests
      (id, purpose, redirect_uri_given, phase, created_at, expires_at)
      ${numbers} select ${phase} || i, 'sign_in', 0, ${phase}, ${START}, ${ends} + i % 7 from n`.execute(
      durable,
    );
  }
  await sql`insert into email_proofs (id, token_digest, email, created_at, expires_at)
    ${numbers} select i, i, 'a', ${START}, ${ends} from n`.execute(durable);
  await sql`insert into claimed_requests (id, claimed_at, expires_at)
    ${numbers} select i, ${START}, ${ends} from n`.execute(volatile);
  await sql`insert into counts (key_digest, points, ends_at, changed_at)
    ${numbers} select i, 1, ${START} + i % 60, ${START} from n`.execute(volatile);
  await sql`insert into answers (grant_id, body, organization_ids, fetched_at)
    ${numbers} select i, '{}', '[]', ${START} + (i % 2) * 86400000 from n`.execute(volatile);
  await sql`insert into post_answers (id, grant_id, body, fetched_at)
    ${numbers} select i, i % 9, '{}', ${START} + (i % 2) * 1000 from n`.execute(volatile);
  await sql`insert into sessions (id_digest, content, expires_at, account_id)
    ${numbers} select i, '{}', ${START}, 'a' from n`.execute(volatile);
});

afterAll(async () => {
  await opened.close();
  rmSync(folder, { recursive: true, force: true });
});

async function count(table: string, isVolatile = true): Promise<number> {
  const { durable, volatile } = opened.context.store;
  const query = sql<{ n: number }>`select count(*) as n from ${sql.table(table)}`;
  const { rows } = await (isVolatile ? query.execute(volatile) : query.execute(durable));
  return rows[0]?.n ?? 0;
}

const requests = async () => {
  const { durable } = opened.context.store;
  const rows = await durable.selectFrom('authorization_requests').select('phase').execute();
  return rows.map(({ phase }) => phase);
};

/** The most rows that a look in between found gone at once, while this ran. */
async function largestStep(table: string, isVolatile: boolean, work: () => Promise<void>): Promise<number> {
  const state = { isDone: false, largest: 0, before: await count(table, isVolatile) };
  const watching = (async () => {
    while (!state.isDone) {
      const now = await count(table, isVolatile);
      state.largest = Math.max(state.largest, state.before - now);
      state.before = now;
      await new Promise((resolve) => setImmediate(resolve));
    }
  })();
  await work();
  state.isDone = true;
  await watching;
  return state.largest;
}

test('what anybody can make goes minutes after its end, and what returned stays for its day', async () => {
  clock.set(START + 31 * MINUTE);
  await purgeShortLived(opened.context);
  expect(await count('claimed_requests')).toBe(MANY);
  expect(await count('authorization_requests', false)).toBe(3 * MANY);
  expect(await count('counts')).toBe(0);

  clock.set(START + 33 * MINUTE);
  const largest = await largestStep('authorization_requests', false, () => purgeShortLived(opened.context));
  const left = await requests();
  expect(new Set(left)).toEqual(new Set(['returned']));
  expect(left).toHaveLength(MANY);
  expect(await count('claimed_requests')).toBe(0);
  expect(largest).toBeGreaterThan(0);
  expect(largest).toBeLessThanOrEqual(1000);
});

test('the hourly removals go in pieces too, and leave what is not over', async () => {
  clock.set(START + 25 * 60 * MINUTE);
  const largest = await largestStep('answers', true, () => purgeExpired(opened.context));
  expect(largest).toBeLessThanOrEqual(1000);
  expect(await count('answers')).toBe(0);
  expect(await count('post_answers')).toBe(0);
  expect(await count('email_proofs', false)).toBe(0);
  expect(await count('sessions')).toBe(0);
  expect(await count('authorization_requests', false)).toBe(0);
});

/** Tables whose rows go in the order of a time. */
const TIMED = [
  { table: 'authorization_requests', by: 'expires_at', isVolatile: false },
  { table: 'legacy_codes', by: 'expires_at', isVolatile: false },
  { table: 'email_proofs', by: 'expires_at', isVolatile: false },
  { table: 'claimed_requests', by: 'expires_at', isVolatile: true },
  { table: 'counts', by: 'ends_at', isVolatile: true },
  { table: 'sessions', by: 'expires_at', isVolatile: true },
];

test.each(TIMED)('a piece of $table is found by an index', async ({ table, by, isVolatile }) => {
  const { durable, volatile } = opened.context.store;
  const plan = sql<{ detail: string }>`explain query plan select rowid from ${sql.table(table)}
    where ${sql.ref(by)} < ${START} and ${sql.ref(by)} >= 0 order by ${sql.ref(by)} limit 500`;
  const { rows } = await (isVolatile ? plan.execute(volatile) : plan.execute(durable));
  expect(rows.map(({ detail }) => detail)).toEqual([expect.stringMatching(/^SEARCH .* INDEX /)]);
});
