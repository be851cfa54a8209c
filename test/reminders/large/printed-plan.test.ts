import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { migrateDatabase } from '../../../src/cli/commands/database/migrate.ts';
import { printPlan } from '../../../src/cli/commands/reminders-plan.ts';
import { withContext } from '../../../src/cli/commands/with-context.ts';
import { commandSettings } from '../../domain/support/command-settings.ts';
import { setDate } from '../support/planning-ground.ts';

/** `reminders plan` prints while it reads: its answer for a large installation is larger than the memory. */

const PEOPLE = 2000;
const PIECE_MOST = 100_000;
const ON = '2027-01-10';

const before = process.env;
const varDir = mkdtempSync(join(tmpdir(), 'printed-plan-'));

beforeAll(async () => {
  process.env = commandSettings(varDir);
  await migrateDatabase({});
  await withContext(async ({ context }) => {
    const { durable } = context.store;
    const numbers = sql`(with recursive n (n) as (select 1 union all select n + 1 from n where n < ${sql.lit(PEOPLE)}) select n from n) as n`;
    await sql`insert into apps (client_id, name, source, created_at) values ('app', 'App', 'imported', 0)`.execute(
      durable,
    );
    await sql`insert into mappings (id, token_digest, client_id, account_email, state, source, created_at, updated_at, last_used_at)
      select 'token-' || n, 'token-' || n, 'app', 'person-' || n || '@example.org', 'unmapped', 'imported', 0, 0,
        ${Date.parse(ON)} from ${numbers}`.execute(durable);
    await setDate(context, 'retirement', '2027-02-01T00:00:00Z');
  });
});
afterAll(() => {
  process.env = before;
  rmSync(varDir, { recursive: true, force: true });
});

async function printed(json: boolean): Promise<string[]> {
  const all: string[] = [];
  await printPlan({ on: ON, json }, async (pieces) => {
    for await (const piece of pieces) all.push(piece);
  });
  return all;
}

test('the JSON comes in pieces, and together they are one object on one line', async () => {
  const pieces = await printed(true);
  expect(pieces.length).toBeGreaterThan(5);
  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(PIECE_MOST);
  const text = pieces.join('');
  expect(text.trimEnd()).not.toContain('\n');
  const { people, ...head } = JSON.parse(text);
  expect(head).toEqual({
    at: `${ON}T21:00:00.000Z`,
    is_sending: true,
    mails: PEOPLE,
    without_address: 0,
    later: 0,
  });
  expect(people).toHaveLength(PEOPLE);
  expect(people[0]).toMatchObject({ zone: 'UTC', is_now: true, due: [{ client_id: 'app', stage: '30' }] });
});

test('the text ends with the counts', async () => {
  const lines = (await printed(false)).join('').split('\n');
  expect(lines.at(-2)).toBe(`At ${ON}T21:00:00.000Z: ${PEOPLE} mails now, 0 people later.`);
  expect(lines).toHaveLength(2 * PEOPLE + 3);
});

test('a reader who stops early is not told of everybody', async () => {
  let read = 0;
  await printPlan({ on: ON }, async (pieces) => {
    for await (const piece of pieces) {
      read += piece.split('\n').length;
      break;
    }
  });
  expect(read).toBeLessThan(PEOPLE);
});
