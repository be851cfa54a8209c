import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { sql } from 'kysely';
import { freshDatabase, type TestDatabase } from '../../support/database/database.ts';
import { startSystem, type System } from '../../support/bridge/system.ts';
import { shareHeld } from '../../support/bridge/longest-hold.ts';
import type { CookieWalker } from '../../support/callers/cookie-walker.ts';
import { type DatabaseKind, databaseKinds } from '../../support/jest/test-mode.ts';
import { registerLegacyApp, type RegisteredApp } from '../../support/bridge/register-app.ts';
import { browserOf, DANA } from '../support/people.ts';

/** The file of an app with 100,000 tokens is sent in pieces: neither the process nor its memory is held by it. */

const TOKENS = 100_000;

/** The largest share of the file that may be made in a row. */
const HELD_MOST = 1 / 50;

/** So many in one statement, far below its time limit on any machine. */
const AT_ONCE = 5000;

/** Tokens of the app, each with a call of today, made by the database itself. */
async function fill({ bridge }: System, { clientId }: RegisteredApp, kind: DatabaseKind): Promise<void> {
  const { store, clock } = bridge.context;
  const now = clock.now();
  const day = new Date(now).toISOString().slice(0, 10);
  const id = kind === 'sqlite' ? sql`printf('f11e%020x', n)` : sql`'f11e' || lpad(to_hex(n), 20, '0')`;
  for (let from = 1; from <= TOKENS; from += AT_ONCE) {
    const to = Math.min(TOKENS, from + AT_ONCE - 1);
    const series =
      kind === 'sqlite'
        ? sql`(with recursive s(n) as (select ${sql.lit(from)} union all select n + 1 from s where n < ${sql.lit(to)}) select n from s)`
        : sql`(select n from generate_series(${sql.lit(from)}, ${sql.lit(to)}) as n)`;
    await sql`insert into mappings (id, token_digest, hint_first, hint_last, client_id, state, source, created_at, updated_at)
      select ${id}, 'k1.' || ${id}, 'abcd', 'wxyz', ${clientId}, 'active', 'imported', ${sql.lit(now)}, ${sql.lit(now)} from ${series} as s`.execute(
      store.durable,
    );
    await sql`insert into usage (mapping_id, day, endpoint, carrier, user_agent, outcome, calls, last_at)
      select ${id}, ${sql.lit(day)}, '/1/user.json', 'query', 'cron', 'ok', 3, ${sql.lit(now)} from ${series} as s`.execute(
      store.volatile,
    );
  }
  if (kind === 'sqlite') return;
  await sql`analyze mappings`.execute(store.durable);
  await sql`analyze usage`.execute(store.volatile);
}

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** What the process holds, in megabytes, once all that is not needed any more is gone. */
function heldMemory(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed / (1024 * 1024);
}

interface ReadFile {
  rows: number;
  calls: number;
  /** Megabytes that were held in the middle of the file more than at its start. */
  grown: number;
}

/** Reads the file and forgets it. */
async function read(browser: CookieWalker, url: string, isWeighed = false): Promise<ReadFile> {
  const answer = await fetch(url, { headers: { cookie: browser.cookieHeader(url), accept: 'text/html' } });
  let [rows, calls, rest] = [0, 0, ''];
  const weights: number[] = [];
  const decoder = new TextDecoder();
  for await (const piece of answer.body ?? []) {
    const lines = (rest + decoder.decode(piece as Uint8Array, { stream: true })).split('\r\n');
    rest = lines.pop() ?? '';
    if (isWeighed && Math.floor((rows + lines.length) / 20_000) > weights.length) weights.push(heldMemory());
    rows += lines.length;
    calls += lines.filter((line) => /,3,(?:yes|no)$/.test(line)).length;
  }
  return { rows: rows - 1, calls, grown: (weights.at(-1) ?? 0) - (weights[0] ?? 0) };
}

describe.each(databaseKinds)('on %s', (kind) => {
  let system: System;
  let owner: CookieWalker;
  let app: RegisteredApp;
  let database: TestDatabase | undefined;

  beforeAll(async () => {
    database = kind === 'postgres' ? await freshDatabase() : undefined;
    system = await startSystem({ env: database ? { DATABASE_URL: database.url } : {} });
    owner = await browserOf(system);
    app = await registerLegacyApp(system.bridge, 'https://large.example/cb', DANA.accountId);
    await fill(system, app, kind);
  });

  afterAll(async () => {
    await system.stop();
    await database?.drop();
  });

  const url = () => `${system.bridgeUrl}/apps/${app.clientId}/tokens.csv`;

  test('every token is in the file, and the process keeps none of them', async () => {
    const file = await read(owner, url(), true);
    expect([file.rows, file.calls]).toEqual([TOKENS + 1, TOKENS]);
    expect(file.grown).toBeLessThan(10);
  });

  test('nothing waits for the file', async () => {
    expect(await shareHeld(() => read(owner, url()), HELD_MOST)).toBeLessThan(HELD_MOST);
  });
});
