import { recordEvent } from '../../src/domain/history/record-event.ts';
import { extendApp } from '../../src/domain/lifecycle/changes/extend-app.ts';
import { DANA, mappingOf, pressIn, SAM, waitingToken, wordsOf } from '../owners/support/people.ts';
import { setDate } from '../reminders/support/planning-ground.ts';
import type { CookieWalker } from '../support/callers/cookie-walker.ts';
import { startSystem, type System } from '../support/bridge/system.ts';
import { act, eventsOf, unreachedMail } from './support/actions.ts';
import { staffBrowser } from './support/staff-browser.ts';

/** What staff decide holds for what their page showed, and for nothing that came to stand there since. */

let system: System;
let sam: CookieWalker;
beforeAll(async () => {
  system = await startSystem();
  await setDate(system.bridge.context, 'sunset', '2096-01-01');
  sam = await staffBrowser(system, 'lead');
});
afterAll(() => system.stop());

const at = (path: string) => `${system.bridgeUrl}/support${path}`;
const durable = () => system.bridge.context.store.durable;
const [JANUARY, MARCH, JUNE] = ['2097-01-01', '2097-03-01', '2097-06-01'].map((day) => Date.parse(day));

async function newApp(): Promise<string> {
  return (await system.registerApp(`https://shown.example/callback`)).clientId;
}

const timeOf = (clientId: string) =>
  system.bridge.context.lifecycle.current().extensions.get(clientId)?.sunset;

async function changesOf(clientId: string): Promise<string[]> {
  const rows = await durable()
    .selectFrom('events')
    .select('action')
    .where('client_id', '=', clientId)
    .where('action', 'in', ['app_extended', 'extension_ended'])
    .orderBy('id')
    .execute();
  return rows.map(({ action }) => action);
}

const extendBy = (clientId: string, until: number | undefined) =>
  extendApp(system.bridge.context, {
    clientId,
    name: 'sunset',
    until: until ?? 0,
    reason: 'they asked',
    actor: 'command',
  });

describe('more time for an app', () => {
  test('is given once, however often it is asked for at the same time', async () => {
    const clientId = await newApp();
    const answers = await Promise.allSettled([1, 2, 3, 4].map(() => extendBy(clientId, MARCH)));
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const answer of answers)
      if (answer.status === 'rejected') expect(String(answer.reason)).toContain('already');
    expect(await changesOf(clientId)).toEqual(['app_extended']);
  });

  test('is given once by a form that is sent four times', async () => {
    const clientId = await newApp();
    const form = await sam.get(at(`/apps/${clientId}/extend`));
    const entries = { date: 'sunset', until: '2097-03-01', reason: 'they asked' };
    const sent = await Promise.all([1, 2, 3, 4].map(() => pressIn(sam, form, /Give/, entries)));
    expect(sent.filter(({ location }) => location?.includes('too-late'))).toHaveLength(3);
    expect(await changesOf(clientId)).toEqual(['app_extended']);
  });

  test('that another lead has given meanwhile is neither shortened nor ended unseen', async () => {
    const clientId = await newApp();
    await extendBy(clientId, JANUARY);
    const [give, end] = await Promise.all(
      ['extend', 'unextend'].map((action) => sam.get(at(`/apps/${clientId}/${action}`))),
    );
    await extendBy(clientId, JUNE);
    const entries = { date: 'sunset', until: '2097-03-01', reason: 'they asked' };
    expect((await pressIn(sam, give!, /Give/, entries)).location).toContain('too-late');
    expect((await pressIn(sam, end!, /End the/, { reason: 'over' })).location).toContain('too-late');
    expect(timeOf(clientId)).toBe(JUNE);
    expect((await act(sam, at(`/apps/${clientId}/extend`), entries)).location).not.toContain('too-late');
    expect(timeOf(clientId)).toBe(MARCH);
  });
});

const pinPage = (id: string) => at(`/mappings/${id}/pin`);

describe('whose account it is', () => {
  test('is decided for the address that the page showed, and for no other', async () => {
    const { id } = await waitingToken(system, { email: 'one@shown.example' });
    const other = await waitingToken(system, { email: 'two@shown.example' });
    const still = await waitingToken(system, { email: 'one@shown.example' });
    const form = await sam.get(pinPage(id));
    const changed = { account_email: 'two@shown.example' };
    await durable().updateTable('mappings').set(changed).where('id', '=', id).execute();
    const entries = { account_id: SAM.accountId, reason: 'her passport' };
    expect((await pressIn(sam, form, /^Pin/, entries)).location).toContain('too-late');
    for (const one of [id, other.id, still.id]) expect((await mappingOf(system, one)).accountId).toBeNull();
    expect((await act(sam, pinPage(id), entries)).location).toContain('account-pinned');
    for (const one of [id, other.id]) expect((await mappingOf(system, one)).accountId).toBe(SAM.accountId);
  });

  test('is never filled in from an address, which proves nothing; the account is named beside it', async () => {
    const email = 'victim@shown.example';
    await durable().updateTable('accounts').set({ email }).where('account_id', '=', SAM.accountId).execute();
    const { id } = await waitingToken(system, { email });
    const page = await sam.get(pinPage(id));
    expect(wordsOf(page)).toContain(SAM.accountId);
    expect(page.body).not.toContain(`value="${SAM.accountId}"`);
  });
});

test('a second link within a minute leaves its own reason in the history; the same form twice does not', async () => {
  const { id } = await waitingToken(system, { accountId: DANA.accountId });
  for (const reason of ['ticket 1', 'ticket 1', 'ticket 2']) {
    const made = await act(sam, at(`/mappings/${id}/link`), { reason });
    expect(made.status).toBe(200);
  }
  const made = (await eventsOf(system, id)).filter(({ action }) => action === 'link_made');
  expect(made.map(({ reason }) => reason)).toEqual(['ticket 1', 'ticket 2']);
});

test('who holds the token that support acts on stands in the history as support, and the link says what it mends', async () => {
  const { id } = await waitingToken(system, { accountId: SAM.accountId });
  const made = wordsOf(await act(sam, at(`/mappings/${id}/link`)));
  expect(made).toContain('works again, and the app itself needs no change for that');
  expect(made).toContain('Calls for changing posting times stay refused');
  const shown = wordsOf(await sam.get(at(`/mappings/${id}`)));
  expect(shown).toMatch(/First made .*, not used yet\. It stays the same each time\./);
  expect(shown).toMatch(/Support gave out the link to connect again .*\(as support\)/);
  expect(shown).not.toContain('(the account holder)');
});

describe('mails to a person', () => {
  test('each have a row, however many apps one of them is about', async () => {
    const { accountId } = SAM;
    const day = async (apps: string[]) => unreachedMail(system, `account:${accountId}`, apps);
    const first = await day([await newApp()]);
    const earlier = { created_at: 1, day: '2026-01-01', address: 'first@shown.example' };
    await durable().updateTable('mails').set(earlier).where('id', '=', first).execute();
    await day(await Promise.all(Array.from({ length: 40 }, newApp)));
    const shown = wordsOf(await sam.get(at(`/accounts/${accountId}`)));
    expect(shown).toContain('and 20 more');
    expect(shown).toContain('first@shown.example');
  });

  test('that the company’s staff or a program settled name who did it', async () => {
    const person = `account:${DANA.accountId}`;
    const settled = { settled_at: Date.now(), settled_by: 'company:https://idp.shown.example#u-17' };
    const id = await unreachedMail(system, person);
    await durable().updateTable('mails').set(settled).where('id', '=', id).execute();
    const shown = wordsOf(await sam.get(at(`/accounts/${DANA.accountId}`)));
    expect(shown).toContain('(u-17 at https://idp.shown.example, ');
  });
});

test('what the owner of an app did stands on its page as the owner’s', async () => {
  const [clientId, owner] = [await newApp(), `account:${DANA.accountId}`];
  const own = { owner_account_id: DANA.accountId };
  await durable().updateTable('apps').set(own).where('client_id', '=', clientId).execute();
  const { context } = system.bridge;
  const entry = { at: Date.now(), actor: owner, action: 'secret_added', reason: 'by a form', clientId };
  await context.store.transaction((tx) => recordEvent(context, tx, { ...entry, requestId: null }));
  const shown = wordsOf(await sam.get(at(`/apps/${clientId}`)));
  expect(shown).toContain('(the app’s owner)');
  expect(shown).not.toContain('(the account holder)');
});
