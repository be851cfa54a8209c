import { extendApp } from '../../src/domain/lifecycle/changes/extend-app.ts';
import { listUndeliverable } from '../../src/domain/reminders/deliver-undeliverable.ts';
import type { StaffRole } from '../../src/domain/accounts/staff.ts';
import { newHexId } from '../../src/shared/ids.ts';
import { DAY } from '../../src/shared/lifetimes.ts';
import { mappingOf, SAM, DANA, waitingToken, wordsOf } from '../owners/support/people.ts';
import { setDate } from '../reminders/support/planning-ground.ts';
import type { CookieWalker } from '../support/callers/cookie-walker.ts';
import { startSystem, type System } from '../support/bridge/system.ts';
import { act, becomes, eventsOf, unidentifiedApp, unreachedMail } from './support/actions.ts';
import { staffBrowser } from './support/staff-browser.ts';

/** What staff does about a token, an app or a mail: by role, with a reason, once, and in the history. */

let system: System;
let sam: CookieWalker;
beforeAll(async () => {
  system = await startSystem();
  await setDate(system.bridge.context, 'sunset', '2096-01-01');
  sam = await staffBrowser(system, 'reader');
});
afterAll(() => system.stop());

const at = (path: string) => `${system.bridgeUrl}/support${path}`;
const ofToken = (id: string, action: string) => at(`/mappings/${id}/${action}`);
const waiting = (asked: Parameters<typeof waitingToken>[1]) => waitingToken(system, asked);
const BY_SAM = `account:${SAM.accountId}`;

/** Each extension is another, or it would be refused as given already. */
let lastDay = Date.parse('2098-01-01');

interface Case {
  action: string;
  needs: Exclude<StaffRole, 'reader'>;
  /** An address where the action makes sense. */
  path: () => Promise<string>;
  entries?: () => Record<string, string>;
}

const token = async (asked: Parameters<typeof waitingToken>[1], action: string) =>
  `/mappings/${(await waiting(asked)).id}/${action}`;

const CASES: Case[] = [
  { action: 'revoke', needs: 'agent', path: () => token({ accountId: DANA.accountId }, 'revoke') },
  { action: 'link', needs: 'agent', path: () => token({ accountId: DANA.accountId }, 'link') },
  {
    action: 'remind',
    needs: 'agent',
    path: () => token({ email: 'somebody@box.example' }, 'remind'),
    entries: () => ({ to: 'holder' }),
  },

  {
    action: 'assign',
    needs: 'agent',
    path: async () => {
      const app = { ...system.app, clientId: await unidentifiedApp(system) };
      return token({ app, accountId: DANA.accountId }, 'assign');
    },
    entries: () => ({ client_id: system.app.clientId }),
  },
  {
    action: 'pin',
    needs: 'lead',
    path: () => token({ email: 'pinned@box.example' }, 'pin'),
    entries: () => ({ account_id: DANA.accountId }),
  },
  {
    action: 'extend',
    needs: 'lead',
    path: async () => `/apps/${system.app.clientId}/extend`,
    entries: () => ({ date: 'sunset', until: '2098-01-01' }),
  },
  {
    action: 'unextend',
    needs: 'lead',
    path: async () => {
      const app = { clientId: system.app.clientId, name: 'sunset', actor: 'command' } as const;
      await extendApp(system.bridge.context, { ...app, until: (lastDay += DAY), reason: 'test' });
      return `/apps/${app.clientId}/unextend`;
    },
    entries: () => ({ date: 'sunset' }),
  },
  {
    action: 'settle',
    needs: 'agent',
    path: async () => `/mails/${await unreachedMail(system, `email:${newHexId()}@box.example`)}/settle`,
  },
];

const countEvents = async () => {
  const { durable } = system.bridge.context.store;
  const query = durable.selectFrom('events').select((eb) => eb.fn.countAll<number | string>().as('n'));
  return Number((await query.executeTakeFirstOrThrow()).n);
};

describe.each(CASES)('$action takes the role $needs', ({ needs, path, entries }) => {
  const below = (needs === 'lead' ? ['reader', 'agent'] : ['reader']) satisfies StaffRole[];

  test(`whoever has less sees no form, sends none, and changes nothing: ${below.join(', ')}`, async () => {
    const url = at(await path());
    await becomes(system, needs);
    const page = await sam.get(url);
    const form = sam.forms(page).find(({ method, action }) => method === 'post' && action === url);
    const fields = Object.fromEntries((form?.fields ?? []).map(({ name, value }) => [name, value]));
    for (const role of below) {
      await becomes(system, role);
      const before = await countEvents();
      expect((await sam.get(url)).status).toBe(403);
      const sent = await sam.post(
        url,
        { ...fields, ...entries?.(), reason: 'no right' },
        { origin: system.bridgeUrl },
      );
      expect(sent.status).toBe(403);
      expect(wordsOf(sent)).toContain(`It takes the role “${needs}”`);
      expect(await countEvents()).toBe(before);
    }
  });

  test('with the role the form asks for a reason, keeps what was typed, and does it', async () => {
    await becomes(system, needs);
    const url = at(await path());
    for (const reason of ['  ', 'x'.repeat(501), 'two\nlines']) {
      const refused = await act(sam, url, { ...entries?.(), reason });
      expect(refused.status).toBe(422);
      expect(wordsOf(refused)).toContain('Say why, in 1 to 500 printable characters');
      for (const value of Object.values(entries?.() ?? {})) expect(refused.body).toContain(value);
    }
    const done = await act(sam, url, entries?.());
    expect([200, 303]).toContain(done.status);
    expect(done.location ?? '').not.toContain('too-late');
  });

  test('a form without the hidden field of this session is refused', async () => {
    await becomes(system, 'lead');
    const url = at(await path());
    const before = await countEvents();
    const sent = await sam.post(url, { ...entries?.(), reason: 'forged' }, { origin: system.bridgeUrl });
    expect(sent.status).toBe(403);
    expect(await countEvents()).toBe(before);
  });
});

describe('what the actions do', () => {
  beforeAll(() => becomes(system, 'lead'));

  test('a token is revoked once, with who and why in its history', async () => {
    const { id } = await waiting({ accountId: DANA.accountId });
    expect(wordsOf(await sam.get(ofToken(id, 'revoke')))).toContain('every call with this token is refused');
    const page = await sam.get(ofToken(id, 'revoke'));
    expect(page.body).not.toMatch(/1\/[0-9a-f]{32}/);
    const done = await act(sam, ofToken(id, 'revoke'), { reason: ' the holder asked ' });
    expect(done.location).toBe(`/support/mappings/${id}?done=token-revoked`);
    const [event] = (await eventsOf(system, id)).filter(({ action }) => action === 'token_revoked');
    expect(event).toMatchObject({ actor: BY_SAM, reason: 'the holder asked' });
    expect(event?.request_id).toMatch(/^[0-9a-f]{24}$/);
    const form = sam.forms(page).find(({ action }) => action.endsWith('/revoke'));
    const fields = Object.fromEntries((form?.fields ?? []).map(({ name, value }) => [name, value]));
    const again = await sam.post(
      ofToken(id, 'revoke'),
      { ...fields, reason: 'twice' },
      { origin: system.bridgeUrl },
    );
    expect(again.location).toBe(`/support/mappings/${id}?done=token-ended`);
    expect((await eventsOf(system, id)).filter(({ action }) => action === 'token_revoked')).toHaveLength(1);
    expect((await sam.get(ofToken(id, 'revoke'))).location).toContain('done=token-ended');
  });

  test('a token in the reason is refused, and stands nowhere', async () => {
    const { id, token: whole } = await waiting({ accountId: DANA.accountId });
    const refused = await act(sam, ofToken(id, 'revoke'), { reason: `she sent ${whole} to me` });
    expect(refused.status).toBe(422);
    expect(wordsOf(refused)).toContain('looks like a token or secret');
    expect(refused.body).not.toContain(whole.slice(2));
    expect(await eventsOf(system, id)).toEqual([]);
    expect((await mappingOf(system, id)).state).toBe('unmapped');
  });

  test('the link is the one for the app and account, and opens nothing but a sign-in', async () => {
    const { id } = await waiting({ accountId: DANA.accountId });
    const made = await act(sam, ofToken(id, 'link'));
    const [link = ''] = /http\S+\/apps\/connect\/[0-9a-f]{24}/.exec(made.body) ?? [];
    expect(link).not.toBe('');
    expect(made.body).toMatch(/<textarea[^>]*readonly[^]*works whenever the app has to be connected/);
    expect((await act(sam, ofToken(id, 'link'))).body).toContain(link);
    const events = (await eventsOf(system, id)).filter(({ action }) => action === 'link_made');
    expect(events).toMatchObject([{ actor: BY_SAM, reason: 'ticket 4711', account_id: DANA.accountId }]);
    expect(wordsOf(await sam.get(link))).toContain('This link is for another account');
  });

  test('no link is made where no account is known, or nothing waits', async () => {
    const known = await waiting({ email: 'nobody@box.example' });
    const page = await sam.get(ofToken(known.id, 'link'));
    expect(wordsOf(page)).toContain('Send a reminder instead');
    expect(sam.forms(page).some(({ action }) => action.endsWith('/link'))).toBe(false);
    const { id: nobodys } = await waiting({});
    expect(wordsOf(await sam.get(ofToken(nobodys, 'link')))).toContain('import the token with its account');
    const active = await waiting({ accountId: DANA.accountId, state: 'revoked' });
    expect((await sam.get(ofToken(active.id, 'link'))).location).toContain('done=too-late');
  });

  test('a token of an unidentified program goes to the app that is named, and to no other', async () => {
    const app = { ...system.app, clientId: await unidentifiedApp(system) };
    const { id } = await waiting({ app, accountId: DANA.accountId });
    const refused = await act(sam, ofToken(id, 'assign'), { client_id: '<no such app>' });
    expect(refused.status).toBe(422);
    expect(wordsOf(refused)).toContain('No app that was registered or imported has this client id');
    expect(refused.body).toContain('&lt;no such app&gt;');
    expect(refused.body).toContain('value="ticket 4711"');
    const done = await act(sam, ofToken(id, 'assign'), { client_id: ` ${system.app.clientId} ` });
    expect(done.location).toBe(`/support/mappings/${id}?done=token-assigned`);
    expect(await eventsOf(system, id)).toMatchObject([
      { action: 'token_assigned', actor: BY_SAM, client_id: system.app.clientId },
    ]);
    expect((await sam.get(ofToken(id, 'assign'))).location).toContain('done=too-late');
  });

  test('what waits under an address is pinned to an account that was met here, once', async () => {
    const { id } = await waiting({ email: 'old@box.example' });
    const other = await waiting({ email: 'old@box.example' });
    const refused = await act(sam, ofToken(id, 'pin'), { account_id: 'f'.repeat(24) });
    expect(wordsOf(refused)).toContain('No account with this id was ever met here');
    expect((await mappingOf(system, id)).accountId).toBeNull();
    expect(wordsOf(await sam.get(ofToken(id, 'pin')))).toContain('old@box.example (2 tokens) belongs');
    const done = await act(sam, ofToken(id, 'pin'), { account_id: DANA.accountId.toUpperCase() });
    expect(done.location).toBe(`/support/mappings/${id}?done=account-pinned`);
    for (const one of [id, other.id]) {
      expect((await mappingOf(system, one)).accountId).toBe(DANA.accountId);
      expect(await eventsOf(system, one)).toMatchObject([
        { action: 'account_pinned', actor: BY_SAM, reason: 'ticket 4711' },
      ]);
    }
    expect((await sam.get(ofToken(other.id, 'pin'))).location).toContain('done=too-late');
  });

  test('an app gets more time and loses it again; the same once more changes nothing', async () => {
    const { clientId } = await system.registerApp('https://more-time.example/callback');
    const extend = at(`/apps/${clientId}/extend`);
    for (const until of ['2020-01-01', 'soon', '']) {
      const refused = await act(sam, extend, { date: 'sunset', until });
      expect(refused.status).toBe(422);
      expect(wordsOf(refused)).toContain('Enter a day that is ahead');
      expect(refused.body).toContain('value="ticket 4711"');
    }
    const entries = { date: 'sunset', until: '2097-03-04' };
    expect((await act(sam, extend, entries)).location).toBe(`/support/apps/${clientId}?done=extended`);
    const again = await act(sam, extend, entries);
    expect(again.status).toBe(422);
    expect(wordsOf(again)).toContain('until 2097-03-04T00:00:00Z already');
    const extended = () => system.bridge.context.lifecycle.current().extensions.get(clientId)?.sunset;
    expect(extended()).toBe(Date.parse('2097-03-04'));
    const unextend = at(`/apps/${clientId}/unextend`);
    expect(wordsOf(await sam.get(unextend))).toContain('applies to this app again');
    expect((await act(sam, unextend)).location).toContain('done=extension-ended');
    expect(extended()).toBeUndefined();
    expect((await sam.get(unextend)).location).toContain('done=too-late');
    const { durable } = system.bridge.context.store;
    const rows = await durable
      .selectFrom('events')
      .select(['action', 'actor'])
      .where('client_id', '=', clientId)
      .execute();
    const own = rows.filter(({ action }) => /exten/.test(action));
    expect(own.map(({ action }) => action)).toEqual(['app_extended', 'extension_ended']);
    expect(own.every(({ actor }) => actor === BY_SAM)).toBe(true);
  });

  test('a mail that reached nobody leaves the list when it is dealt with, and only once', async () => {
    const id = await unreachedMail(system, `account:${DANA.accountId}`);
    const listed = async () => (await listUndeliverable(system.bridge.context)).mails;
    expect(await listed()).toContainEqual(expect.objectContaining({ mailId: id }));
    const settle = at(`/mails/${id}/settle`);
    expect(wordsOf(await sam.get(settle))).toContain('no address is known');
    expect((await act(sam, settle)).location).toBe('/support/desks/undeliverable?done=mail-settled');
    expect(await listed()).not.toContainEqual(expect.objectContaining({ mailId: id }));
    expect((await sam.get(settle)).location).toContain('done=too-late');
    const { durable } = system.bridge.context.store;
    const event = await durable
      .selectFrom('events')
      .selectAll()
      .where('action', '=', 'mail_settled')
      .where('account_id', '=', DANA.accountId)
      .executeTakeFirstOrThrow();
    expect(event).toMatchObject({
      actor: BY_SAM,
      client_id: system.app.clientId,
      reason: `mail ${id}: ticket 4711`,
    });
  });

  test.each(['/mappings/unknown/revoke', '/apps/unknown/extend', '/mails/unknown/settle'])(
    'there is nothing at %s, and the page says what to do',
    async (path) => {
      const page = await sam.get(at(path));
      expect(page.status).toBe(404);
      expect(wordsOf(page)).toMatch(/There is no such (token|app|mail)/);
    },
  );
});
