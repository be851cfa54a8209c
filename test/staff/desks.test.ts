import { newHexId } from '../../src/shared/ids.ts';
import type { PersonRole } from '../../src/store/tables/lifecycle.ts';
import { browserOf, DANA, waitingToken, wordsOf } from '../owners/support/people.ts';
import type { CookieWalker, Page } from '../support/callers/cookie-walker.ts';
import { registerLegacyApp } from '../support/bridge/register-app.ts';
import { SettableClock } from '../support/bridge/settable-clock.ts';
import { startSystem, type System } from '../support/bridge/system.ts';
import { counted, linesOf, mail } from './support/desk-rows.ts';
import { deadGrant, keepExtension, keepGrant } from './support/grants.ts';
import { endSunset, keepSunset } from './support/sunsets.ts';
import { staffBrowser } from './support/staff-browser.ts';

/** The desks: each lists what asks for somebody, in the order of urgency, with where to look and what to do next. */

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

const clock = new SettableClock(Date.parse('2026-11-22T10:00:00Z'));
let system: System;
let staff: CookieWalker;

beforeAll(async () => {
  system = await startSystem({ clock });
  staff = await staffBrowser(system, 'lead');
});

afterAll(() => system.stop());

const rows = () => system.bridge.context.store.durable;

async function open(address: string): Promise<Page> {
  const page = await staff.get(`${system.bridgeUrl}/support/desks${address}`);
  expect(page.status).toBe(200);
  return page;
}

test('empty desks say that it is good news', async () => {
  const page = await open('');
  expect(wordsOf(page)).toContain('Every desk is empty');
  expect(page.body.match(/Good news/g)).toHaveLength(8);
  for (const desk of page.body.match(/(?<=href="\/support\/desks)\/[a-z-]+/g) ?? [])
    expect(wordsOf(await open(desk))).toContain('Good news');
});

test('an unknown desk is a page that says where to go', async () => {
  const page = await staff.get(`${system.bridgeUrl}/support/desks/elsewhere`);
  expect(page.status).toBe(404);
  expect(page.body).toContain('href="/support/desks">All desks</a>');
});

test('in doubt: the next to expire comes first, with when and what happens then', async () => {
  const now = clock.now();
  const doubt = { state: 'in_doubt', doubt_since: now - MINUTE, presented_at: now - MINUTE } as const;
  const later = await keepGrant(system, { ...doubt, access_expires_at: now + 90 * MINUTE });
  const soon = await keepGrant(system, { ...doubt, access_expires_at: now + 43 * MINUTE });
  const sibling = await keepGrant(system, { ...doubt, access_expires_at: now - MINUTE });
  const { clientId } = await registerLegacyApp(system.bridge, 'https://b.example/cb');
  const alive = await keepGrant(system, { client_id: clientId, account_id: sibling.accountId });
  await keepGrant(system, { state: 'presenting', presented_at: now - 1000 });
  const stuck = await keepGrant(system, {
    state: 'presenting',
    presented_at: now - MINUTE,
    access_expires_at: now + DAY,
  });
  const page = await open('/in-doubt');
  const [first, second, third, fourth, ...none] = linesOf(page);
  expect(first).toMatch(/expired .*503.* only if the new API says that it is still valid/);
  expect(second).toMatch(
    /in 43 minutes 22 Nov 2026, 10:43 UTC Calls are answered until then.* once more, unless/,
  );
  expect(third).toContain('in 1 hour');
  expect(fourth).toContain('sent, no answer yet');
  expect(none).toEqual([]);
  for (const { mappingId, clientId: app, accountId } of [soon, later, sibling, stuck]) {
    expect(page.body).toContain(`/support/mappings/${mappingId}"`);
    expect(page.body).toContain(`/support/apps/${app}"`);
    expect(page.body).toContain(`/support/accounts/${accountId}"`);
  }
  expect(page.body).not.toMatch(/sealed-(access|refresh)-pair/);
  await rows().updateTable('mappings').set({ grant_id: null }).execute();
  await rows().deleteFrom('grants').where('id', '<>', alive.id).execute();
});

test('died today: what broke since midnight UTC, and how many ended of each cause', async () => {
  const midnight = Date.parse('2026-11-22T00:00:00Z');
  await deadGrant(system, 'refused', midnight - 1);
  const first = await deadGrant(system, 'refused', midnight);
  const second = await deadGrant(system, 'lost', midnight + MINUTE);
  const replaced = await deadGrant(system, 'replaced', midnight + 2 * MINUTE);
  const page = await open('/died-today?zone=UTC');
  const mappings = [...page.body.matchAll(/\/support\/mappings\/(\w+)"/g)].map(([, id]) => id);
  expect(mappings).toEqual([second.mappingId, first.mappingId]);
  expect(page.body).toContain(`/support/mappings/${first.mappingId}/link"`);
  expect(wordsOf(page)).toMatch(/Refused by the new API 1 Lost answer 1 .*Replaced by a newer connection 1/);
  const one = await open('/died-today?zone=UTC&cause=replaced');
  expect(one.body).toContain(replaced.mappingId);
  expect(one.body).not.toContain(`${replaced.mappingId}/link`);
  expect(linesOf(one)).toHaveLength(1);
});

test('undeliverable: whom, about what and why, to be settled or sent again; a settled one is gone', async () => {
  const accountId = newHexId();
  const account = { account_id: accountId, name: 'Tom Becker', updated_at: clock.now() };
  await rows().insertInto('accounts').values(account).execute();
  const { id: mappingId } = await waitingToken(system, { accountId });
  const reminder = (mailId: string, person: string) => ({
    id: newHexId(),
    mail_id: mailId,
    person,
    client_id: system.app.clientId,
    role: 'holder' as PersonRole,
    stage: '30',
    planned_for: 'retirement:2026-12-22',
    created_at: clock.now(),
  });
  const [open1, settled] = [newHexId(), newHexId()];
  const person = `account:${accountId}`;
  await rows()
    .insertInto('mails')
    .values([mail({ id: open1, person }), mail({ id: settled, person: 'account:x', settled_at: 1 })])
    .execute();
  await rows()
    .insertInto('reminders')
    .values([reminder(open1, person)])
    .execute();
  const page = await open('/undeliverable');
  const [line, ...none] = linesOf(page);
  expect(line).toMatch(
    /^Tom Becker gone@example\.com .*30-day reminder of the date, as holder of a token Mailbox unknown/,
  );
  expect(none).toEqual([]);
  expect(page.body).toContain(`/support/mails/${open1}/settle"`);
  expect(page.body).toContain(`/support/mappings/${mappingId}/remind"`);
});

test('no account: tokens by address or old user id, the most first, and no address in a link', async () => {
  const email = 'nobody@example.com';
  const [{ id }] = [await waitingToken(system, { email }), await waitingToken(system, { email })];
  await waitingToken(system, { email, state: 'revoked' });
  const byId = await waitingToken(system, {});
  await rows()
    .updateTable('mappings')
    .set({ legacy_account_id: 'old-17' })
    .where('id', '=', byId.id)
    .execute();
  const page = await open('/no-account');
  expect(linesOf(page)).toEqual([
    expect.stringMatching(
      /^nobody@example\.com 2 tokens 1\/.{4}….{4} .* Send a reminder .* Pin to an account$/,
    ),
    expect.stringMatching(/^Old user id old-17 1 token .* import the pair of both ids\.$/),
  ]);
  expect(page.body).toMatch(new RegExp(`/support/mappings/(${id}|\\w{24})/pin"`));
  expect(page.body).toMatch(new RegExp(`/support/mappings/(${id}|\\w{24})/remind"`));
  expect(page.body).not.toMatch(/href="[^"]*(nobody|%40)/);
});

test('hand-overs: unconfirmed ones with the days until the pair is erased', async () => {
  const handed = async (ago: number, confirmed: number | null) => {
    const { id, clientId, accountId } = await keepGrant(system, {
      state: 'dead',
      dead_cause: 'handed_over',
      dead_at: clock.now() - ago,
    });
    const kept = { grant_id: id, client_id: clientId, account_id: accountId, version: 1, migrated_tokens: 2 };
    await rows()
      .insertInto('handovers')
      .values({ ...kept, handed_at: clock.now() - ago, confirmed_at: confirmed })
      .execute();
  };
  await handed(DAY, null);
  await handed(5 * DAY, null);
  await handed(2 * DAY, clock.now());
  await handed(8 * DAY, null);
  const lines = linesOf(await open('/hand-overs'));
  expect(lines.map((line) => /in \d days/.exec(line)?.[0])).toEqual(['in 2 days', 'in 6 days']);
});

test('waiting: apps by the people who wait, by the newest count of each', async () => {
  const [few, many] = [
    await registerLegacyApp(system.bridge, 'https://few.example/cb'),
    await registerLegacyApp(system.bridge, 'https://many.example/cb'),
  ];
  // The job has counted at the start.
  await rows().deleteFrom('progress').execute();
  await rows()
    .insertInto('progress')
    .values([
      counted(few.clientId, '2026-11-20', 900),
      counted(few.clientId, '2026-11-21', 3),
      counted(many.clientId, '2026-11-01', 1200),
      counted(system.app.clientId, '2026-11-20', 5),
      counted(system.app.clientId, '2026-11-22', 0),
    ])
    .execute();
  const page = await open('/waiting');
  const apps = [...page.body.matchAll(/\/support\/apps\/(\w+)"/g)].map(([, id]) => id);
  expect(apps).toEqual([many.clientId, few.clientId]);
  expect(linesOf(page)[0]).toContain('1,200 people 1,200 tokens to connect 1 token connected');
});

test('waiting: an owner who is known by an address alone is named with it', async () => {
  const { clientId } = await registerLegacyApp(system.bridge, 'https://addressed.example/cb');
  await rows()
    .updateTable('apps')
    .set({ owner_account_id: null, owner_email: 'olga@owner.example' })
    .where('client_id', '=', clientId)
    .execute();
  await rows()
    .insertInto('progress')
    .values(counted(clientId, '2026-11-22', 3))
    .execute();
  const line = linesOf(await open('/waiting')).find((one) => one.includes('olga@'));
  expect(line).toContain('Write to its owner: olga@owner.example (not proven).');
  await rows().deleteFrom('progress').where('client_id', '=', clientId).execute();
});

test('waiting: the app whose people can still be helped comes before a thousand others that have ended', async () => {
  await rows().deleteFrom('progress').execute();
  const apps = Array.from({ length: 1_001 }, (_, place) => `many${String(place).padStart(20, '0')}`);
  const last = await registerLegacyApp(system.bridge, 'https://last.example/cb');
  for (const client_id of apps) {
    const app = { client_id, name: 'Ended', owner_account_id: null, owner_email: null, retired_at: null };
    await rows()
      .insertInto('apps')
      .values({ ...app, source: 'registered', created_at: 0 })
      .execute();
    await rows()
      .insertInto('progress')
      .values(counted(client_id, '2026-11-21', 5))
      .execute();
  }
  await rows()
    .insertInto('progress')
    .values(counted(last.clientId, '2026-11-21', 1))
    .execute();
  await keepSunset(system, { at: clock.now() - DAY, exceptFor: last.clientId });
  const page = await open('/waiting');
  expect(page.body).toContain(`/support/apps/${last.clientId}"`);
  expect(/\/support\/apps\/(\w+)"/.exec(page.body)?.[1]).toBe(last.clientId);
  expect(wordsOf(page)).toMatch(/All 1,002 .*Too late to connect 1,001 .* 1 to 50 of 1,002 /);
  expect(wordsOf(await open(''))).toContain('Apps with people who wait 1,002');
  await endSunset(system);
  await rows().deleteFrom('progress').execute();
  await rows().deleteFrom('apps').where('client_id', 'in', apps).execute();
});

test('extensions: those that end within 30 days, then those that ended within 30 days', async () => {
  const extend = (days: number, reason: string, ended_at: number | null = null) =>
    keepExtension(system, { until: clock.now() + days * DAY, reason, ended_at });
  await extend(-20, 'long over');
  await extend(-31, 'forgotten');
  await extend(-2, 'just over');
  await extend(20, 'ends later');
  await extend(5, '<b>ends</b> soon');
  await extend(31, 'far');
  await extend(4, 'taken back', clock.now());
  const retired = await extend(6, 'given up');
  await rows().updateTable('apps').set({ retired_at: 1 }).where('client_id', '=', retired).execute();
  const page = await open('/extensions');
  const found = linesOf(page).map(
    (line) => /ends later|&lt;b&gt;ends|just over|long over|forgotten|far|taken/.exec(line)?.[0],
  );
  expect(found).toEqual(['&lt;b&gt;ends', 'ends later', 'just over', 'long over']);
});

test('a long desk comes in pages of 50, and goes on where it was though rows have left it', async () => {
  await rows().deleteFrom('reminders').execute();
  await rows().deleteFrom('mails').execute();
  const mails = Array.from({ length: 1010 }, (_, place) =>
    mail({ person: `email:p${place}@example.com`, ended_at: place }),
  );
  for (let start = 0; start < mails.length; start += 505)
    await rows()
      .insertInto('mails')
      .values(mails.slice(start, start + 505))
      .execute();
  expect(wordsOf(await open(''))).toContain('Mails that reached nobody 1,010');
  const first = await open('/undeliverable');
  expect(wordsOf(first)).toContain('1 to 50 of 1,010');
  expect(linesOf(first)).toHaveLength(50);
  expect(linesOf(first)[49]).toContain('p960@');
  await rows().deleteFrom('mails').where('ended_at', '=', 960).execute();
  const next = /href="\/support\/desks\/undeliverable(\?after=[^"]+)"/.exec(first.body)?.[1] ?? '';
  expect(linesOf(await open(`/undeliverable${next}`))[0]).toContain('p959@');
  const found = await open('/undeliverable?find=p100');
  const places = linesOf(found).map((line) => Number(/p(\d+)/.exec(line)?.[1]));
  expect(places).toEqual([1009, 1008, 1007, 1006, 1005, 1004, 1003, 1002, 1001, 1000, 100]);
});

test('who is not of the staff sees no desk', async () => {
  const dana = await browserOf(system, DANA);
  const page = await dana.get(`${system.bridgeUrl}/support/desks/no-account`);
  expect(page.status).toBe(403);
  expect(page.body).not.toContain('nobody@example.com');
});
