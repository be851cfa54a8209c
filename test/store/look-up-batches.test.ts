import { sql } from 'kysely';
import { lookUp } from '../../src/store/driver/look-up.ts';
import { type DatabaseListener, NOBODY_LISTENS } from '../../src/store/driver/connection-use.ts';
import { openStore } from '../../src/store/driver/open-store.ts';
import type { Store } from '../../src/store/driver/store.ts';
import { findToldCall } from '../../src/store/posts/told-profiles.ts';
import { findToldList } from '../../src/store/posts/told-lists.ts';
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

const idOf = (app: number) => app.toString(16).padStart(24, 'c');

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

  beforeAll(async () => {
    place = await choosePlace(kind);
    const listener: DatabaseListener = { ...NOBODY_LISTENS, ran: () => (statements += 1) };
    store = await openStore(place.location, listener);
    const rows = Array.from({ length: 40 }, (_, app) => ({
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

  test.each([1, 2, 4, 5, 16, 17, 40])('%s look-ups each find their own row, or none', async (count) => {
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

  test('sixteen look-ups are one statement, and forty are three', async () => {
    for (const [count, expected] of [
      [16, 1],
      [40, 3],
    ] as const) {
      const before = statements;
      await Promise.all(Array.from({ length: count }, (_, app) => find(app)));
      expect(statements - before).toBe(expected);
    }
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
    const planned = await store.rows<{ name: string; anew: number; once: number }>(
      `select name, custom_plans as anew, generic_plans as once from pg_prepared_statements
        where statement like $1 order by length(statement)`,
      ['%asked.number%mappings%'],
    );
    expect(planned).toMatchObject([
      { anew: 5, once: 15 },
      { anew: 5, once: 15 },
    ]);
    for (const [index, { name }] of planned.entries()) {
      const values = Array.from({ length: (index + 1) * 4 }, () => `'x'`).join(', ');
      const plan = await store.rows<Record<string, string>>(`explain execute "${name}"(${values})`, []);
      const text = plan.flatMap((row) => Object.values(row)).join('\n');
      expect(text).toContain('Index Scan using mappings_token_digest_key');
      expect(text).not.toMatch(/Seq Scan on (mappings|told_|post_answers)/);
    }
  });
});
