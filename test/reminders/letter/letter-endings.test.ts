import { chunksOf } from '../../../src/shared/chunks-of.ts';
import { newHexId, newLegacyToken } from '../../../src/shared/ids.ts';
import { DAY } from '../../../src/shared/lifetimes.ts';
import { DANA, waitingToken } from '../../owners/support/people.ts';
import { registerLegacyApp } from '../../support/bridge/register-app.ts';
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
import { flat, withoutOldBackend, worlds } from '../support/letter-worlds.ts';

/** What a date takes from whom: what is refused already, what a connection does not carry over, and which date counts. */

let system: System;
const clock = new SettableClock(NOW);

beforeAll(async () => {
  system = await startSystem({ clock, env: { LEGACY_BACKEND_URL: 'http://127.0.0.1:9' } });
});
afterAll(() => system.stop());
beforeEach(async () => {
  clock.set(NOW);
  await setDates(system, { retirement: RETIREMENT, sunset: SUNSET });
});

const newApp = () => registerLegacyApp(system.bridge, 'https://ends.example/cb', DANA.accountId);
const daysIn = ({ calendar = '' }: Letter) =>
  [...calendar.matchAll(/DTSTART:(\d{8})/g)].map(([, day]) => day);

async function tokens(states: ReadonlyArray<'unmapped' | 'reauthorization_required'>, source = 'imported') {
  const app = await newApp();
  const { durable } = system.bridge.context.store;
  for (const state of states) {
    const { id } = await waitingToken(system, { app, accountId: DANA.accountId, state });
    await durable
      .updateTable('mappings')
      .set({ source: source as 'issued' })
      .where('id', '=', id)
      .execute();
  }
  return app;
}

test.each([
  ['a dead grant', ['reauthorization_required'], 'imported'],
  ['a token that the bridge issued', ['unmapped'], 'issued'],
] as const)('%s is refused now, and the mail counts down to nothing', async (_what, states, source) => {
  const app = await tokens(states, source);
  const letter = await letterTo(system, DANA_PERSON, [toHolder(app)]);
  expect(letter.subject).toBe('“Report tool” is refused now: connect it');
  expect(flat(letter)).toContain('Is refused now: connect it and it works again.');
  // The owner's token, which came with the registration and was never used, is none of the mail.
  expect(flat(letter)).toContain('The token ends with');
  expect(flat(letter)).toContain('Why you get this: its calls are refused now');
  expect(flat(letter)).not.toMatch(/[Ss]tops? working|from then on/);
  expect(daysIn(letter)).toEqual(['20270601']);
  const sunset = toHolder(app, { milestone: 'sunset', at: SUNSET });
  expect(flat(await letterTo(system, DANA_PERSON, [sunset]))).toContain(
    'Is refused now: connect it and it works again until the old API ends, on 1 June 2027 at 02:00',
  );
});

test('without an old backend what waits is refused, with one it is not', async () => {
  const app = await tokens(['unmapped']);
  const said = async (where: System) => (await letterTo(where, DANA_PERSON, [toHolder(app)])).subject;
  expect(await said(withoutOldBackend(system))).toBe('“Report tool” is refused now: connect it');
  expect(await said(system)).toBe('“Report tool” stops working in 14 days (1 February 2027)');
  const woken = await letterTo(withoutOldBackend(system), DANA_PERSON, [toHolder(app, { stage: 'woken' })]);
  expect(flat(woken)).toContain('but is refused: connect it and it works again.');
  const unused = await letterTo(withoutOldBackend(system), DANA_PERSON, [toHolder(app, { stage: 'unused' })]);
  expect(flat(unused)).toContain('If you do need it, connect the app instead. ');
});

test('the owner of an app that seems not to be used reads when it would end', async () => {
  const app = await tokens(['unmapped']);
  const said = async (due: Parameters<typeof toOwner>[1]) =>
    flat(await letterTo(system, DANA_PERSON, [toOwner(app, { ...due, stage: 'unused' })]));
  expect(await said({ milestone: 'retirement', at: RETIREMENT })).toContain(
    'read on how to move before 1 February 2027: then users who have not connected it are refused.',
  );
  expect(await said({ milestone: 'sunset', at: SUNSET })).toContain(
    'read on how to move before 1 June 2027: then the old API ends.',
  );
});

/** Further tokens like the one of the app with this state. */
async function addLike(clientId: string, state: 'reauthorization_required', count: number): Promise<void> {
  const { store, vault } = system.bridge.context;
  const one = await store.durable
    .selectFrom('mappings')
    .selectAll()
    .where('client_id', '=', clientId)
    .where('state', '=', state)
    .executeTakeFirstOrThrow();
  const own = () => ({ id: newHexId(), token_digest: vault.digest(newLegacyToken()) });
  const rows = Array.from({ length: count }, () => ({ ...one, ...own() }));
  for (const some of chunksOf(rows, 250)) await store.durable.insertInto('mappings').values(some).execute();
}

test('a thousand refused tokens are written as 1,000', async () => {
  const app = await tokens(['unmapped', 'reauthorization_required']);
  await addLike(app.clientId, 'reauthorization_required', 999);
  const letter = await letterTo(system, DANA_PERSON, [toHolder(app, { part: { waiting: 1001 } })]);
  expect(flat(letter)).toContain('1,000 of them are refused already');
});

test('of several tokens it is said how many are refused already', async () => {
  const app = await tokens(['unmapped', 'reauthorization_required', 'unmapped']);
  const letter = await letterTo(system, DANA_PERSON, [toHolder(app, { part: { waiting: 3 } })]);
  expect(letter.subject).toContain('stops working in 14 days');
  expect(flat(letter)).toContain('1 of them is refused already: once the app is connected, it works again.');
  const part = { tokens: { waiting: 3, active: 1 }, accounts: { waiting: 1, active: 1 } };
  const owner = await letterTo(system, DANA_PERSON, [toOwner(app, { part })]);
  expect(owner.subject).toBe('“Report tool”: 2 tokens stop working in 14 days (1 February 2027)');
  expect(flat(owner)).toMatch(/Not connected yet: 3 tokens of 1 user - 1 token is refused now /);
  const all = { tokens: { waiting: 1, active: 1 }, accounts: { waiting: 1, active: 1 } };
  const none = await letterTo(system, DANA_PERSON, [toOwner(app, { part: all })]);
  expect(none.subject).toBe('“Report tool”: 1 token is refused now');
  expect(flat(none)).toContain('1 token of its users is refused now: once connected, it works again.');
});

test('an owner is told which calls a connection does not carry over the retirement', async () => {
  const app = await tokens(['unmapped']);
  const { id } = await system.bridge.context.store.durable
    .selectFrom('mappings')
    .select('id')
    .where('client_id', '=', app.clientId)
    .where('source', '=', 'imported')
    .executeTakeFirstOrThrow();
  const paths = ['profiles.json', 'profiles/:id', 'user', 'user/deauthorize.json', 'analytics.json'];
  await seen(
    system,
    id,
    [...paths, 'profiles/:id/analytics.json'].map((path) => ({ endpoint: `/1/${path}` })),
  );
  const part = {
    tokens: { waiting: 0, active: 1 },
    accounts: { waiting: 0, active: 1 },
    passedAt: NOW - DAY,
  };
  const letter = await letterTo(system, DANA_PERSON, [toOwner(app, { part })]);
  expect(letter.subject).toBe('“Report tool”: some calls stop working in 14 days (1 February 2027)');
  const said = flat(letter).replaceAll('\u2060', '');
  expect(said).toContain('Some of its calls stop working in 14 days: on 1 February 2027');
  expect(said).toContain(
    'These calls end with the retirement for connected tokens too: /1/analytics.json, /1/profiles/:id/analytics.json Wh',
  );
  expect(
    flat(await letterTo(withoutOldBackend(system), DANA_PERSON, [toOwner(app, { part })])),
  ).not.toContain('These calls end');
});

/** The mails of one app to its holder after these calls, which its only token made. */
async function afterCalls(state: 'unmapped' | 'reauthorization_required', paths: readonly string[]) {
  const app = await newApp();
  const { id } = await waitingToken(system, { app, accountId: DANA.accountId, state });
  const calls = paths.map((path) => ({ endpoint: `/1/${path}`, outcome: 'refused' }));
  await seen(system, id, calls);
  return async (where: System, due: Parameters<typeof toHolder>[1] = {}) =>
    flat(await letterTo(where, DANA_PERSON, [toHolder(app, due)])).replaceAll('\u2060', '');
}

const MIXED = ['user.json', 'analytics.json'];
const NOT_BACK =
  'Connecting does not bring back one kind of call that it makes. Whoever makes this app has to change it.';
const ALL_BACK = /works again|answered again|needs no change/;

test('without an old backend a holder is promised no call that a connection does not bring back', async () => {
  const said = await afterCalls('unmapped', MIXED);
  const without = withoutOldBackend(system);
  const refused = await said(without);
  expect(refused).toContain('Is refused now: connect it to bring back what the new API answers.');
  expect(refused).toContain(NOT_BACK);
  expect(await said(without, { milestone: 'sunset', at: SUNSET })).toContain(
    'connect it to bring back what the new API answers until the old API ends, on 1 June 2027',
  );
  for (const stage of ['calendar', 'died', 'woken'] as const) {
    expect(await said(without, { stage })).not.toMatch(ALL_BACK);
    expect(await said(without, { stage })).toContain(NOT_BACK);
  }
  const served = await afterCalls('unmapped', ['user.json']);
  expect(await served(without)).toContain('Is refused now: connect it and it works again.');
  expect(await served(without)).not.toContain('Connecting does not bring back');
});

test('with an old backend such calls come back until the retirement, and the holder reads of both', async () => {
  const said = await afterCalls('reauthorization_required', MIXED);
  const before = await said(system);
  expect(before).toContain('Is refused now: connect it and it works again.');
  expect(before).toContain(
    'From 1 February 2027 on one kind of call that it makes is refused, connected or not. Whoever makes',
  );
  expect(before).not.toContain('needs no change');
  await setDates(system, { sunset: SUNSET });
  expect(await said(system)).not.toContain('are refused, connected or not');
  await setDates(system, { retirement: RETIREMENT, sunset: SUNSET });
  clock.set(RETIREMENT + DAY / 2);
  expect(await said(system)).toContain('connect it to bring back what the new API answers.');
  expect(await said(system)).toContain(NOT_BACK);
  clock.set(SUNSET);
  expect(await said(system)).not.toContain('Connecting');
});

test('without an old backend only the sunset is there to be rehearsed', async () => {
  const app = await tokens(['unmapped']);
  const due = toOwner(app, { milestone: 'retirement', at: RETIREMENT });
  const said = async (where: System) => flat(await letterTo(where, DANA_PERSON, [due]));
  expect(await said(withoutOldBackend(system))).toContain('Rehearse the date');
  await setDates(system, { retirement: RETIREMENT });
  expect(await said(system)).toContain('Rehearse the date');
  expect(await said(withoutOldBackend(system))).not.toContain('Rehearse the date');
});

test('a retirement that more time moves behind the sunset is not spoken of', async () => {
  const [now, sunset] = [Date.parse('2026-12-20T09:00:00Z'), Date.parse('2027-02-01T00:00:00Z')];
  clock.set(now);
  await setDates(system, { retirement: Date.parse('2027-01-01T00:00:00Z'), sunset });
  const app = await tokens(['unmapped']);
  const { store, lifecycle } = system.bridge.context;
  await store.durable
    .insertInto('extensions')
    .values({
      id: app.clientId,
      client_id: app.clientId,
      name: 'retirement',
      until: Date.parse('2027-02-20T00:00:00Z'),
      reason: 'asked',
      granted_by: 'test',
      granted_at: now,
    })
    .execute();
  await lifecycle.refresh();
  const due = toHolder(app, { stage: 'woken', plannedFor: String(now - 2 * DAY) });
  const letter = await letterTo(system, DANA_PERSON, [due]);
  expect(flat(letter)).toContain('and stops working in 43 days: on 1 February 2027');
  expect(flat(letter)).not.toMatch(/1 January|20 February|more time/);
  expect(daysIn(letter)).toEqual(['20270201']);
});

test('a short test outage that a date has overtaken is not spoken of', async () => {
  const at = Date.parse('2027-01-20T12:00:00Z');
  const { store, lifecycle } = system.bridge.context;
  const planned = { client_id: null, text: 'A test.', planned_by: 'test', planned_at: NOW };
  await store.durable
    .insertInto('brownouts')
    .values({
      ...planned,
      id: 'overtaken',
      rehearses: 'retirement',
      starts_at: at - 3_600_000,
      ends_at: at + 7_200_000,
    })
    .execute();
  const app = await tokens(['unmapped']);
  const said = async () => {
    await lifecycle.refresh();
    return flat(await letterTo(system, DANA_PERSON, [toOwner(app)]));
  };
  clock.set(at - 1_800_000);
  expect(await said()).toContain('Short test outages (brownouts) before that');
  await setDates(system, { retirement: at, sunset: SUNSET });
  clock.set(at + 1_800_000);
  expect(await said()).not.toContain('Short test outages');
});

describe('in each world', () => worlds({ system: () => system, clock }));
