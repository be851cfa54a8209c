import type { DueStage } from '../../../src/domain/reminders/people.ts';
import { DAY } from '../../../src/shared/lifetimes.ts';
import { countCallsSince } from '../../../src/store/usage/known-calls.ts';
import { DANA, waitingToken } from '../../owners/support/people.ts';
import { SettableClock } from '../../support/bridge/settable-clock.ts';
import { startSystem, type System } from '../../support/bridge/system.ts';
import {
  DANA_PERSON,
  type Letter,
  letterTo,
  NOW,
  RETIREMENT,
  seen,
  setDates,
  SUNSET,
  toHolder,
  toOwner,
} from '../support/letters.ts';

/** Mails about very much stay small, and the process goes on with everything else while they are written. */

let system: System;

beforeAll(async () => {
  // Waiting tokens have something to lose.
  const env = { LEGACY_BACKEND_URL: 'http://127.0.0.1:9' };
  system = await startSystem({ clock: new SettableClock(NOW), env });
  await countCallsSince(system.bridge.context.store, 0);
  await setDates(system, { retirement: RETIREMENT, sunset: SUNSET });
});
afterAll(() => system.stop());

const APPS = 1000;

const idOf = (index: number) => index.toString(16).padStart(24, '0');

function chunks<Row>(rows: readonly Row[], size = 500): Row[][] {
  return Array.from({ length: Math.ceil(rows.length / size) }, (_, at) =>
    rows.slice(at * size, (at + 1) * size),
  );
}

/** As many apps and tokens of Dana's as there are numbers, all like the one that the system has. */
async function makeApps(): Promise<void> {
  const { durable } = system.bridge.context.store;
  const { id } = await waitingToken(system, { accountId: DANA.accountId });
  const app = await durable
    .selectFrom('apps')
    .selectAll()
    .where('client_id', '=', system.app.clientId)
    .executeTakeFirstOrThrow();
  const token = await durable
    .selectFrom('mappings')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  const numbers = Array.from({ length: APPS }, (_, index) => index);
  for (const part of chunks(numbers)) {
    await durable
      .insertInto('apps')
      .values(part.map((index) => ({ ...app, client_id: idOf(index), name: `App ${index}` })))
      .execute();
    await durable
      .insertInto('mappings')
      .values(
        part.map((index) => ({
          ...token,
          id: `e${idOf(index).slice(1)}`.padEnd(id.length, '0'),
          token_digest: `of ${index}`,
          client_id: idOf(index),
        })),
      )
      .execute();
  }
}

/** The later an app, the later its date, so that the first ones are the most urgent. */
const dueOf = (index: number): DueStage =>
  toHolder(
    { clientId: idOf(index), name: `App ${index}` } as never,
    index % 100 === 99 ? { stage: 'unused' } : { at: RETIREMENT + (index % 7) * DAY },
  );

/** CPU time of this process so far, in milliseconds: other processes share the machine. */
function spent(): number {
  const { user, system: kernel } = process.cpuUsage();
  return (user + kernel) / 1000;
}

/** What the work took, and how often everything else had its turn meanwhile. */
async function watched<Result>(work: () => Promise<Result>) {
  let turns = 0;
  const turn = () => {
    turns += 1;
    next = setImmediate(turn);
  };
  let next = setImmediate(turn);
  const start = spent();
  const result = await work();
  const took = spent() - start;
  clearImmediate(next);
  return { result, took, turns };
}

const appAt = (name: string, index: number) => ({ clientId: idOf(500 + index), name }) as never;

test('a thousand apps are five cards, forty rows and a number, written soon and in short turns', async () => {
  await makeApps();
  const due = Array.from({ length: APPS }, (_, index) => dueOf(index));
  const runs: Array<{ took: number; turns: number; result: Letter }> = [];
  // The first time compiles; of a few the best one counts.
  for (let run = 0; run < 4; run++) runs.push(await watched(() => letterTo(system, DANA_PERSON, due)));
  const letter = runs[0]!.result;
  // A virtual machine counts what it waited for a real one, so the bound is wider than the second that is meant.
  expect(Math.min(...runs.map(({ took }) => took))).toBeLessThan(5000);
  // One for the calls of each card, one after it, and two at the end: a count is the same on a crowded machine.
  expect(Math.min(...runs.map(({ turns }) => turns))).toBeGreaterThanOrEqual(12);

  const { subject, text, html, calendar = '' } = letter;
  expect(subject).toBe(
    '990 apps stop working, the first in 14 days (1 February 2027), and 10 more apps to look at',
  );
  expect(text.match(/^“App \d+”$/gm)).toHaveLength(5);
  expect(html.match(/<h2[^>]*><a/g)).toHaveLength(5);
  expect(text.match(/^- “App \d+”: stops working in 1[4-7] days$/gm)?.length).toBe(40);
  expect(html.match(/“App \d+”<\/td><td[^>]*>stops working in 1[4-7] days</g)).toHaveLength(40);
  expect(text).toContain(`- and 955 more apps\n  See all your apps:\n  ${system.bridgeUrl}/apps\n`);
  expect(html).toContain(`href="${system.bridgeUrl}/apps"`);
  // The retirement and the sunset of each.
  expect(calendar.match(/BEGIN:VEVENT/g)).toHaveLength(10);
  // Gmail cuts a mail at 102 kB, and what is below is not read.
  expect(Buffer.byteLength(html)).toBeLessThan(60_000);
});

test('a mail of five owned apps with all their calls, and forty rows, is no longer than mail programs show', async () => {
  const owned = Array.from({ length: 5 }, (_, index) =>
    toOwner({ clientId: idOf(index), name: `Owned ${'x'.repeat(30)} ${index}` } as never, { at: NOW + DAY }),
  );
  const rest = Array.from({ length: 300 }, (_, index) => dueOf(index + 10));
  for (const index of [0, 1, 2, 3, 4])
    for (const call of [0, 1, 2, 3, 4, 5])
      await seen(system, `e${idOf(index).slice(1)}`, [
        { endpoint: `/1/profiles/:id/updates/pending${call}.json`, calls: 1_000_000, user_agent: `A${call}` },
      ]);
  const { html } = await letterTo(system, DANA_PERSON, [...owned, ...rest]);
  expect(html.match(/<h2[^>]*><a/g)).toHaveLength(5);
  expect(html).toContain('updates/pending4.json');
  expect(Buffer.byteLength(html)).toBeLessThan(60_000);
});

test('the lines of apps without a card say what is due, the most urgent first', async () => {
  const held = Array.from({ length: 5 }, (_, index) =>
    toHolder({ clientId: idOf(index), name: `App ${index}` } as never, { stage: 'died' }),
  );
  const { text } = await letterTo(system, DANA_PERSON, [
    ...held,
    toHolder(appAt('Unused', 1), { stage: 'unused' }),
    toOwner(appAt('Owned', 2)),
    toHolder(appAt('Woken', 3), { stage: 'woken' }),
    toHolder(appAt('Dead', 4), { stage: 'died' }),
    toHolder(appAt('https://evil.example/login', 5), { at: NOW - DAY }),
    toHolder(appAt('Both', 6), { at: RETIREMENT }),
    toOwner(appAt('Both', 6), { milestone: 'sunset', at: SUNSET }),
  ]);
  expect(text.slice(text.indexOf('More apps')).split('\n--------')[0]).toBe(
    [
      'More apps to look at:',
      '- “Dead”: has stopped working, connect it again',
      '- “https :// evil. example/login”: has stopped working',
      '- “Both”: stops working in 14 days',
      '- “Owned”: 12 tokens of its users stop working in 14 days',
      '- “Woken”: is in use again, connect it',
      '- “Unused”: has a token that seems not needed',
      '- You find them with all your apps.',
      '  See all your apps:',
      `  ${system.bridgeUrl}/apps`,
      '',
    ].join('\n'),
  );
});

test('of very many tokens of an app, those that were used last are the evidence, and the mail says so', async () => {
  const { durable } = system.bridge.context.store;
  const { id } = await waitingToken(system, { accountId: DANA.accountId });
  const token = await durable
    .selectFrom('mappings')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  const app = await durable
    .selectFrom('apps')
    .selectAll()
    .where('client_id', '=', system.app.clientId)
    .executeTakeFirstOrThrow();
  const clientId = 'b'.repeat(24);
  await durable
    .insertInto('apps')
    .values({ ...app, client_id: clientId })
    .execute();
  const tokenId = (index: number) => `d${index}`.padEnd(id.length, 'f');
  const numbers = Array.from({ length: 2000 }, (_, index) => index);
  const add = (part: readonly number[]) =>
    durable
      .insertInto('mappings')
      .values(
        part.map((index) => ({
          ...token,
          id: tokenId(index),
          token_digest: `many ${index}`,
          client_id: clientId,
          last_used_at: NOW - index * 1000,
        })),
      )
      .execute();
  for (const part of chunks(numbers)) await add(part);
  // One of each statement, and the last one.
  for (const index of [0, 700, 1999]) await seen(system, tokenId(index), [{ calls: 10 }]);
  const owner = { clientId, name: 'Crowd' } as never;
  const whole = (await letterTo(system, DANA_PERSON, [toOwner(owner)])).text.replace(/\s+/g, ' ');
  expect(whole).toContain('Calls to the old API in the last 30 days: 30 /1/profiles.json');
  await add([2000]);
  await seen(system, tokenId(2000), [{ calls: 100 }]);
  const cut = (await letterTo(system, DANA_PERSON, [toOwner(owner)])).text.replace(/\s+/g, ' ');
  expect(cut).toContain('Calls to the old API in the last 30 days: 130 /1/profiles.json');
  await countCallsSince(system.bridge.context.store, NOW - 3_600_000);
  const since = (await letterTo(system, DANA_PERSON, [toOwner(owner)])).text.replace(/\s+/g, ' ');
  expect(since).toContain('in the last 30 days, at least these: 130 /1/profiles.json');
  expect(since).toMatch(/Calls are counted since \d+ \w+ \d{4} at [^;]+; some may be missing\./);
});
