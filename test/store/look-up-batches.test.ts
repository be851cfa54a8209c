import { sql } from 'kysely';
import { lookUp } from '../../src/store/driver/look-ups/look-up.ts';
import { type DatabaseListener, NOBODY_LISTENS } from '../../src/store/driver/connection-use.ts';
import { openStore } from '../../src/store/driver/open-store.ts';
import type { Store } from '../../src/store/driver/store.ts';
import { findToldCall } from '../../src/store/posts/told-profiles.ts';
import { findToldList } from '../../src/store/posts/told-lists.ts';
import { until } from '../support/servers/held-answer.ts';
import { choosePlace, databaseKinds, type Place } from './support/stores.ts';

/** Look-ups that are made at one time: each finds its own row, and PostgreSQL is asked once for all. */

interface FoundApp {
  client_id: string;
  name: string;
}

const APP = lookUp(
  2,
  ([client, name]) => `select client_id, name from apps where client_id = ${client} and name = ${name}`,
);
const BROKEN = lookUp(
  1,
  ([client]) =>
    `select client_id from apps where client_id = ${client} and 1 / (length(name) - length(name)) = 1`,
);

const SLEEPING = lookUp(1, ([seconds]) => `select pg_sleep(${seconds}::float8)`);

interface PreparedStatements {
  all: Array<{ anew: number; once: number; plan: unknown }>;
}

/** What the connection of the last look-up has prepared, the shortest first. */
const PREPARED = lookUp(
  1,
  ([pattern]) => `select json_agg(found) as all from (
    select custom_plans as anew, generic_plans as once, plan_of(name, cardinality(parameter_types)) as plan
    from pg_prepared_statements where statement like ${pattern} order by length(statement)) as found`,
);

/** The plan of a prepared statement, by a function: only its own connection knows the statement. */
const PLAN_OF = sql`create function plan_of(name text, parameters int) returns json language plpgsql as $$
  declare plan json;
  begin
    execute format('explain (format json) execute %I(%s)', name, array_to_string(array_fill('''x'''::text, array[parameters]), ', '))
      into plan;
    return plan;
  end $$`;

const idOf = (app: number) => app.toString(16).padStart(24, '0');

const TOKEN = {
  client_id: idOf(0),
  state: 'unmapped',
  source: 'imported',
  created_at: 0,
  updated_at: 0,
} as const;

/** Thousands of tokens, in one transaction. */
async function fillTables(store: Store): Promise<void> {
  const numbers = Array.from({ length: 4000 }, (_, number) => number.toString(16).padStart(24, '0'));
  const mappings = numbers.map((id) => ({ ...TOKEN, id, token_digest: id }));
  await store.durable.insertInto('mappings').values(mappings).execute();
}

describe.each(databaseKinds)('on %s', (kind) => {
  let place: Place;
  let store: Store;
  let statements = 0;
  const waits: number[] = [];

  beforeAll(async () => {
    place = await choosePlace(kind);
    const listener: DatabaseListener = {
      ...NOBODY_LISTENS,
      ran: () => (statements += 1),
      waited: (milliseconds) => waits.push(milliseconds),
    };
    store = await openStore(place.location, listener);
    const rows = Array.from({ length: 300 }, (_, app) => ({
      client_id: idOf(app),
      name: `App ${app}`,
      source: 'imported' as const,
      created_at: 1,
    }));
    await store.durable.insertInto('apps').values(rows).execute();
  });

  afterAll(async () => {
    await store.close();
    await place.remove();
  });

  const find = async (app: number, name = `App ${app}`) => store.firstSoon<FoundApp>(APP, [idOf(app), name]);

  test.each([1, 2, 5, 16, 40, 64, 65, 300])('%s look-ups each find their own row, or none', async (count) => {
    const asked = Array.from({ length: count }, (_, app) => [find(app), find(app, 'another name')]).flat();
    const found = await Promise.all(asked);
    const names = Array.from({ length: count }, (_, app) => [`App ${app}`, undefined]).flat();
    expect(found.map((row) => row?.name)).toEqual(names);
  });

  test('the same look-up twice finds its row twice', async () => {
    const found = await Promise.all([find(3), find(3), find(4)]);
    expect(found.map((row) => row?.name)).toEqual(['App 3', 'App 3', 'App 4']);
  });

  test('a character that PostgreSQL cannot hold finds nothing, and takes nothing from the others', async () => {
    const found = await Promise.all([find(1), find(2, 'a\0b'), find(3)]);
    expect(found.map((row) => row?.name)).toEqual(['App 1', undefined, 'App 3']);
  });

  if (kind === 'sqlite') return;

  /** Four statements, each of 64 look-ups that take so many seconds. */
  const sleeping = (seconds: number) =>
    Array.from({ length: 4 * 64 }, (_, n) => store.firstSoon(SLEEPING, [String(seconds + n / 1e6)]));

  test('sixty-four look-ups are one statement, and what comes while all statements are under way gathers', async () => {
    for (const [count, expected] of [
      [16, 1],
      [64, 1],
      [65, 2],
      // Four statements of 64, then one of the rest.
      [300, 5],
    ] as const) {
      const before = statements;
      await Promise.all(Array.from({ length: count }, (_, app) => find(app)));
      expect(statements - before).toBe(expected);
    }
  });

  test('how long a look-up waits for its statement is told, and is nothing afterwards', async () => {
    const slow = sleeping(0.03);
    const next = find(1);
    await until(async () => store.connectionWait() > 100);
    const later = Promise.all([store.firstSoon(SLEEPING, ['0']), store.firstSoon(SLEEPING, ['0'])]);
    expect(store.connectionWait()).toBeGreaterThan(100);
    expect(store.connections().waiting).toBe(2);
    expect((await next)?.name).toBe('App 1');
    await Promise.all([...slow, later]);
    expect(store.connectionWait()).toBe(0);
    // Of the one that waited, as long as it waited.
    expect(Math.max(...waits)).toBeGreaterThan(100);
  });

  test('a look-up that has waited for five seconds fails, whatever the others still do, and the next one goes on', async () => {
    const slow = sleeping(0.11);
    let isOver = false;
    const all = Promise.all(slow).then(() => (isOver = true));
    const begun = performance.now();
    await expect(find(1)).rejects.toThrow('a look-up waited too long for a connection');
    expect(performance.now() - begun).toBeGreaterThan(4900);
    expect(isOver).toBe(false);
    await all;
    expect((await find(1))?.name).toBe('App 1');
  }, 20_000);

  test('equal look-ups are one, and do not hold up another', async () => {
    const before = statements;
    const found = await Promise.all([...Array.from({ length: 1000 }, () => find(7)), find(8)]);
    expect(new Set(found.map((row) => row?.name))).toEqual(new Set(['App 7', 'App 8']));
    expect(statements - before).toBe(1);
  });

  test('a fault of the statement is told to each call, and the next look-up goes on', async () => {
    const broken = [0, 1, 2].map((app) => store.firstSoon(BROKEN, [idOf(app)]));
    const ends = await Promise.allSettled(broken);
    expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect((await find(5))?.name).toBe('App 5');
  });

  test('the statements of the short way are planned once, and read no whole table when the tokens come later', async () => {
    // An analysis of the filled table in between would hide a plan from the time of the empty one.
    await sql`alter table mappings set (autovacuum_enabled = false)`.execute(store.durable);
    const calls = ['one', 'two', 'three'];
    for (let n = 0; n < 20; n += 1) {
      await Promise.all(calls.map(async (digest) => findToldCall(store, `${digest} ${n}`)));
      await Promise.all(calls.map(async (digest) => findToldList(store, `${digest} ${n}`, 'pending id')));
    }
    await fillTables(store);
    await PLAN_OF.execute(store.durable);
    const planned = await store.firstSoon<PreparedStatements>(PREPARED, ['%asked.number%mappings%']);
    const statement = { anew: 5, once: 15 };
    expect(planned?.all).toMatchObject([statement, statement]);
    for (const { plan } of planned?.all ?? []) {
      const text = JSON.stringify(plan);
      expect(text).toContain('"Index Name":"mappings_token_digest_key"');
      expect(text).not.toMatch(/"Seq Scan"[^{}]*"Relation Name":"(mappings|told_|post_answers)/);
    }
  });
});
