import { newestUnconfirmed } from '../../src/domain/handover/unconfirmed.ts';
import { keyFor, programOf } from '../staff-api/support/api-client.ts';
import { extendApp } from '../../src/domain/lifecycle/changes/extend-app.ts';
import { newHexId } from '../../src/shared/ids.ts';
import { DAY } from '../../src/shared/lifetimes.ts';
import { TOO_LATE } from '../../src/domain/tokens/standing/words.ts';
import { waitingToken, wordsOf } from '../owners/support/people.ts';
import { setDate } from '../reminders/support/planning-ground.ts';
import type { CookieWalker, Page } from '../support/callers/cookie-walker.ts';
import { registerLegacyApp } from '../support/bridge/register-app.ts';
import { SettableClock } from '../support/bridge/settable-clock.ts';
import { startSystem, type System } from '../support/bridge/system.ts';
import { act, becomes, unreachedMail } from './support/actions.ts';
import { counted, linesOf } from './support/desk-rows.ts';
import { deadGrant, keepExtension, keepGrant, setState } from './support/grants.ts';
import { staffBrowser } from './support/staff-browser.ts';

/** What the desks tell staff to do: only what can be done, is needed still, and is theirs to do. */

const clock = new SettableClock(Date.parse('2026-11-22T10:00:00Z'));
let system: System;
let sam: CookieWalker;

beforeAll(async () => {
  // Nobody asks it; while it is there, an extension of the retirement changes something.
  system = await startSystem({ clock, env: { LEGACY_BACKEND_URL: 'http://127.0.0.1:9' } });
  sam = await staffBrowser(system, 'lead');
});

afterAll(() => system.stop());

const rows = () => system.bridge.context.store.durable;
const at = (path: string) => `${system.bridgeUrl}/support${path}`;

async function open(desk: string): Promise<Page> {
  const page = await sam.get(at(`/desks${desk}`));
  expect(page.status).toBe(200);
  return page;
}

const extensions = async () => linesOf(await open('/extensions'));

test('died today: who has connected again, or has no token left, does not have to connect again', async () => {
  const now = clock.now();
  const again = await deadGrant(system, 'refused', now);
  await keepGrant(system, { client_id: again.clientId, account_id: again.accountId });
  await setState(system, again.mappingId, 'active');
  const ended = await deadGrant(system, 'refused', now);
  await setState(system, ended.mappingId, 'revoked');
  // One of two tokens was revoked: the link is for the one that waits.
  const half = await deadGrant(system, 'refused', now);
  const app = { ...system.app, clientId: half.clientId };
  const state = 'reauthorization_required';
  const { id: waiting } = await waitingToken(system, { app, accountId: half.accountId, state });
  await setState(system, half.mappingId, 'revoked');
  const page = await open('/died-today');
  expect(page.body).toContain(`/support/mappings/${waiting}/link"`);
  for (const { accountId } of [again, ended]) expect(page.body).not.toContain(accountId);
  const refused = await open('/died-today?cause=refused');
  expect(refused.body).toContain(`/support/mappings/${again.mappingId}"`);
  for (const { mappingId } of [again, ended, half])
    expect(refused.body).not.toContain(`/support/mappings/${mappingId}/link"`);
  expect(wordsOf(refused).match(/Nothing to do: its holder has connected again/g)).toHaveLength(2);
});

test('once the old API has ended, no desk leads to a link, a reminder or a pin, and says why', async () => {
  await rows().deleteFrom('progress').execute();
  const { clientId, mappingId } = await deadGrant(system, 'refused', clock.now());
  await waitingToken(system, { email: 'too-late@example.com' });
  const { id: spared } = await waitingToken(system, {
    app: { ...system.app, clientId },
    email: 'in@time.example',
  });
  await rows()
    .insertInto('progress')
    .values(counted(system.app.clientId, '2026-11-22', 7))
    .execute();
  await unreachedMail(system, 'email:too-late@example.com');
  const ended = new Date(clock.now() - DAY).toISOString();
  await setDate(system.bridge.context, 'sunset', ended);
  for (const desk of ['died-today', 'no-account', 'undeliverable', 'waiting']) {
    const page = await open(`/${desk}`);
    expect(page.body).not.toMatch(/href="[^"]*\/(link|pin|remind)"/);
    expect(linesOf(page).join()).toContain(TOO_LATE);
    expect(wordsOf(page)).not.toMatch(/ha(s|ve) to connect again|tokens to connect/);
  }
  const reminding = await sam.get(at(`/mappings/${mappingId}/remind`));
  expect(wordsOf(reminding)).toContain(TOO_LATE);
  const token = await sam.get(at(`/mappings/${mappingId}`));
  expect(token.body).not.toMatch(/href="[^"]*\/(link|pin|remind)"/);
  // One app was given more time.
  const more = { clientId, name: 'sunset', actor: 'command', reason: 'test' } as const;
  await extendApp(system.bridge.context, { ...more, until: clock.now() + 40 * DAY });
  expect((await open('/died-today')).body).toContain(`/support/mappings/${mappingId}/link"`);
  expect((await open('/no-account')).body).toContain(`/support/mappings/${spared}/remind"`);
  await rows().updateTable('lifecycle_dates').set({ at: null }).execute();
  for (const table of ['extensions', 'progress'] as const) await rows().deleteFrom(table).execute();
  await system.bridge.context.lifecycle.refresh();
});

test('waiting: of a program that nobody registered the app is to be found out', async () => {
  const { clientId } = await registerLegacyApp(system.bridge, 'https://program.example/cb');
  await rows().updateTable('apps').set({ source: 'observed' }).where('client_id', '=', clientId).execute();
  await rows()
    .insertInto('progress')
    .values(counted(clientId, '2026-11-22', 7))
    .execute();
  const line = linesOf(await open('/waiting')).find((words) => words.includes('7 people'));
  expect(line).toMatch(/Find out which app it is; open its tokens and assign them\.$/);
});

test('extensions: one that gives no more time says so, and no date has come by its end', async () => {
  for (const days of [5, 20, -2, -20])
    await keepExtension(system, { until: clock.now() + days * DAY, reason: 'the season' });
  for (const line of await extensions()) expect(line).toContain('No retirement is set for all');
  const tenDaysAgo = new Date(clock.now() - 10 * DAY).toISOString();
  await setDate(system.bridge.context, 'retirement', tenDaysAgo);
  const [soon, later, just, long] = await extensions();
  for (const line of [soon, later]) expect(line).toContain('Ask the owner whether the app will have moved');
  expect(just).toContain('The retirement has come for this app');
  expect(long).toContain('It ends before the date of all, so it gives no more time. Nothing changed');
  await rows().updateTable('lifecycle_dates').set({ at: null }).execute();
  await system.bridge.context.lifecycle.refresh();
});

test('who may not do what a desk names sees which role it takes, and no link to it', async () => {
  await waitingToken(system, { email: 'nobody@example.com' });
  await becomes(system, 'reader');
  const takes = { 'died-today': ['agent'], 'no-account': ['agent', 'lead'], extensions: ['lead'] };
  for (const [desk, roles] of Object.entries(takes)) {
    const page = await open(`/${desk}`);
    expect(page.body).not.toMatch(/href="[^"]*\/(link|pin|remind|extend|settle)"/);
    for (const role of roles) expect(wordsOf(page)).toContain(`(takes “${role}”)`);
  }
  await becomes(system, 'lead');
});

test('a mail that reached nobody leads to a token of its reader that waits, or to none', async () => {
  const { clientId } = await registerLegacyApp(system.bridge, 'https://again.example/cb');
  await rows().updateTable('apps').set({ name: 'Unreached' }).where('client_id', '=', clientId).execute();
  // The token that came with the registration waits too.
  await rows().deleteFrom('mappings').where('client_id', '=', clientId).execute();
  const app = { ...system.app, clientId };
  const [half, whole] = [newHexId(), newHexId()];
  await waitingToken(system, { app, accountId: half, state: 'revoked' });
  const { id: waits } = await waitingToken(system, { app, accountId: half });
  const { id: ended } = await waitingToken(system, { app, accountId: whole, state: 'revoked' });
  await unreachedMail(system, `account:${half}`, [clientId]);
  await unreachedMail(system, `account:${whole}`, [clientId]);
  const ownersMail = await unreachedMail(system, `account:${newHexId()}`, [clientId]);
  await rows().updateTable('reminders').set({ role: 'owner' }).where('mail_id', '=', ownersMail).execute();
  const { body } = await open('/undeliverable?find=Unreached');
  const steps = [...body.matchAll(/\/support\/mappings\/(\w+)\/remind"/g)].map(([, id]) => id);
  expect(steps).toEqual([waits, waits]);
  expect(steps).not.toContain(ended);
});

test('a hand-over before one that the app has confirmed waits for nobody', async () => {
  const first = await keepGrant(system, { state: 'dead', dead_cause: 'handed_over' });
  const later = await keepGrant(system, {
    state: 'dead',
    dead_cause: 'handed_over',
    client_id: first.clientId,
    account_id: first.accountId,
  });
  const handed = (id: string, ago: number, confirmed_at: number | null) => ({
    grant_id: id,
    client_id: first.clientId,
    account_id: first.accountId,
    version: 1,
    migrated_tokens: 1,
    handed_at: clock.now() - ago,
    confirmed_at,
  });
  const { key } = await keyFor(system, 'reader');
  const openNow = async () => {
    const { pairs } = await newestUnconfirmed(system.bridge.context, 100);
    const told = [
      (await open('/hand-overs')).body,
      (await programOf(system, key).get('/handovers')).text,
      JSON.stringify(pairs),
    ].map((text) => text.includes(first.accountId));
    return [...new Set(told)];
  };
  await rows()
    .insertInto('handovers')
    .values(handed(first.id, 2 * DAY, null))
    .execute();
  expect(await openNow()).toEqual([true]);
  await rows()
    .insertInto('handovers')
    .values(handed(later.id, DAY, clock.now()))
    .execute();
  expect(await openNow()).toEqual([false]);
});

test('of a mail about two apps the history of each has who dealt with it and why', async () => {
  const { clientId } = await system.registerApp('https://second.example/callback');
  const id = await unreachedMail(system, 'email:two-apps@box.example', [system.app.clientId, clientId]);
  await act(sam, at(`/mails/${id}/settle`), { reason: 'she was called' });
  for (const app of [system.app.clientId, clientId]) {
    const words = wordsOf(await sam.get(at(`/apps/${app}`)));
    expect(words).toMatch(/Support dealt with a mail that reached nobody – .*she was called/);
  }
});

test('a person of a mail is named as on the desk, and the history of the app does without ids', async () => {
  const [accountId, now] = [newHexId(), clock.now()];
  const account = { account_id: accountId, name: 'Eve Unreached', updated_at: now };
  await rows().insertInto('accounts').values(account).execute();
  const id = await unreachedMail(system, `account:${accountId}`);
  const words = wordsOf(await sam.get(at(`/mails/${id}/settle`)));
  expect(words).toContain('For Eve Unreached Address');
  expect(words).not.toContain(accountId);
  await act(sam, at(`/mails/${id}/settle`), { reason: 'she was called' });
  const history = wordsOf(await sam.get(at(`/apps/${system.app.clientId}`)));
  expect(history).toContain('Support dealt with a mail that reached nobody – she was called');
  expect(history).not.toContain(id);
});
