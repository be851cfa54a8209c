import { give } from '../../../src/cli/commands/apps/give.ts';
import { undoEntry } from '../../../src/cli/commands/history/undo.ts';
import { addSecret } from '../../../src/domain/apps/app-secrets.ts';
import { giveApp, STAYS_AFTER_GIFT } from '../../../src/domain/accounts/give-app.ts';
import { takeEntryBack } from '../../../src/domain/take-back/take-back.ts';
import { pinAccountIn } from '../../../src/domain/accounts/pin-account.ts';
import { settleUnreached } from '../../../src/domain/support/actions/actions-settle.ts';
import { newHexId } from '../../../src/shared/ids.ts';
import { ensureAccount, upsertAccount } from '../../../src/store/accounts/accounts.ts';
import { browserOf, DANA, historyOf, pressIn, SAM, wordsOf } from '../../owners/support/people.ts';
import { type RegisteredApp, registerLegacyApp } from '../../support/bridge/register-app.ts';
import { authorize } from '../../support/callers/authorize.ts';
import { databaseKinds } from '../../support/jest/test-mode.ts';
import type { CookieWalker } from '../../support/callers/cookie-walker.ts';
import { OWN_CLIENT } from '../../exchange/support/own-client.ts';
import { act, unreachedMail } from '../support/actions.ts';
import { TakeBackWorld } from './support/take-back-world.ts';

/** An app whose owner is lost gets another one, by the operator or by a lead. */

const BY = { actor: 'command', requestId: null };
const UNKNOWN = 'a'.repeat(24);

/** An account as its holder's sign-in leaves it. */
const accountWith = (id: string) => ({
  account_id: id,
  email: `${id}@box.example`,
  name: null,
  timezone: null,
  updated_at: 0,
});

const pageOf = ({ clientId }: RegisteredApp) => `/support/apps/${clientId}`;

describe.each(databaseKinds)('on %s', (kind) => {
  const world = new TakeBackWorld();
  let sam: CookieWalker;
  beforeAll(async () => {
    await world.startOn(kind);
    sam = await browserOf(world.system, SAM);
  });
  afterAll(() => world.stop());

  const newApp = (owner: string = DANA.accountId) =>
    registerLegacyApp(world.system.bridge, `https://${newHexId()}.example/callback`, owner);
  const appRow = ({ clientId }: RegisteredApp) =>
    world.db.selectFrom('apps').selectAll().where('client_id', '=', clientId).executeTakeFirstOrThrow();
  const ownerToken = ({ clientId }: RegisteredApp) => {
    const ofApp = world.db.selectFrom('mappings').selectAll().where('client_id', '=', clientId);
    return ofApp.where('source', '=', 'registration').executeTakeFirstOrThrow();
  };
  const gives = ({ clientId }: { clientId: string }, to = SAM.accountId, reason = 'she has left') =>
    world.command(() => give({ to, reason, by: 'Kim' }, [clientId]));
  const undo = (entry: number) =>
    world.command(() => undoEntry({ reason: 'not his', by: 'Kim' }, [String(entry)]));
  const secretsOf = async (browser: CookieWalker, { clientId }: RegisteredApp) =>
    (await browser.get(world.at(`/apps/${clientId}/secrets`))).status;
  const connectsSam = (app: RegisteredApp) =>
    authorize({ bridgeUrl: world.system.bridgeUrl, app, person: SAM });
  const standing = async (app: RegisteredApp) => [await appRow(app), await ownerToken(app)];

  test('by command: the new owner has the pages from the next request on, and the former one has not', async () => {
    const app = await newApp();
    const before = await standing(app);
    expect([await secretsOf(world.dana, app), await secretsOf(sam, app)]).toEqual([200, 404]);
    const given = await gives(app);
    expect(given).toMatchObject({
      ok: true,
      json: { client_id: app.clientId, owner: SAM.accountId, before: DANA.accountId, changed: true },
    });
    expect(given.lines.join(' ')).toContain(STAYS_AFTER_GIFT);
    expect([await secretsOf(world.dana, app), await secretsOf(sam, app)]).toEqual([404, 200]);
    expect((await ownerToken(app)).account_id).toBe(DANA.accountId);
    expect((await historyOf(world.system, app.clientId)).at(-1)).toBe(
      `owner_changed: from account ${DANA.accountId}: she has left`,
    );

    const entry = await world.entry('owner_changed');
    expect(given.lines.at(-1)).toContain(`history undo ${entry}`);
    expect(await undo(entry)).toMatchObject({ ok: true, json: { what: 'give', changes: 1 } });
    expect(await standing(app)).toEqual(before);
    expect([await secretsOf(world.dana, app), await secretsOf(sam, app)]).toEqual([200, 404]);
    await world.chainIsWhole();
  });

  test('the same account again, an unknown one, no app and no reason change nothing', async () => {
    const app = await newApp();
    const count = (await world.entries()).length;
    expect(await gives(app, DANA.accountId)).toMatchObject({ ok: true, json: { changed: false } });
    await expect(gives(app, UNKNOWN)).rejects.toThrow('No account with this id is known here');
    const imported = newHexId();
    await ensureAccount(world.db, imported, 0);
    await expect(gives(app, imported)).rejects.toThrow('No account with this id is known here');
    await expect(gives(app, SAM.login)).rejects.toThrow('No account with this id is known here');
    await expect(gives({ clientId: UNKNOWN })).rejects.toThrow('No app that was registered');
    await expect(gives(app, SAM.accountId, ' ')).rejects.toThrow('reason: 1 to 500 printable characters');
    expect((await appRow(app)).owner_account_id).toBe(DANA.accountId);
    expect(await world.entries()).toHaveLength(count);
  });

  test('of several that give it at once, each takes it from the owner that the one before gave it to, or is refused', async () => {
    const app = await newApp();
    const others = Array.from({ length: 6 }, () => newHexId());
    for (const other of others) await upsertAccount(world.db, accountWith(other));
    const asked = { clientId: app.clientId, reason: 'at once', actor: 'command', requestId: null };
    const gifts = await Promise.all(others.map((to) => giveApp(world.context, { ...asked, to })));
    const given = gifts.filter((gift) => typeof gift !== 'string');
    expect(gifts.filter((gift) => typeof gift === 'string' && gift !== 'other owner')).toEqual([]);
    expect(new Set(given.map(({ before }) => before)).size).toBe(given.length);
    const owner = (await appRow(app)).owner_account_id;
    expect(given.map(({ accountId }) => accountId)).toContain(owner);
  });

  test('an app that waits under an address: its owner token never acts as the new owner, and mails go to the new owner alone', async () => {
    const app = await newApp('gone@old-app.example');
    const before = await standing(app);
    await connectsSam(app);
    const given = await gives(app);
    expect(given.json).toMatchObject({ before: null });
    expect(await appRow(app)).toMatchObject({ owner_account_id: SAM.accountId, owner_email: null });
    await connectsSam(app);
    expect(await world.status(app.ownerToken)).toBe(401);
    expect((await ownerToken(app)).account_id).toBeNull();
    expect(given.lines.join(' ')).toContain(STAYS_AFTER_GIFT);
    await undo(await world.entry('owner_changed'));
    expect(await standing(app)).toEqual(before);
    await world.chainIsWhole();
  });

  test('a lead gives it on the page of the app, and not from a page that showed another owner', async () => {
    const app = await newApp();
    const page = world.at(`${pageOf(app)}/give`);
    expect((await world.lead.get(world.at(pageOf(app)))).body).toContain('Give it to another account');
    const unknown = await act(world.lead, page, { account_id: UNKNOWN });
    expect([unknown.status, wordsOf(unknown)]).toEqual([422, expect.stringContaining('was ever met here')]);
    const same = await act(world.lead, page, { account_id: DANA.accountId });
    expect([same.status, wordsOf(same)]).toEqual([422, expect.stringContaining('owns the app already')]);
    const old = await world.lead.get(page);
    expect(wordsOf(old)).toContain(STAYS_AFTER_GIFT);
    const given = await act(world.lead, page, { account_id: SAM.accountId });
    expect(given.location).toBe(`${pageOf(app)}?done=app-given`);
    const fields = { account_id: DANA.accountId, reason: 'a page of before' };
    const late = await pressIn(world.lead, old, /Give it to this account/, fields);
    expect(late.location).toBe(`${pageOf(app)}?done=too-late`);
    expect((await appRow(app)).owner_account_id).toBe(SAM.accountId);
    const shown = wordsOf(await world.lead.follow(given));
    expect(shown).toContain('The app was given to another account');
    expect(shown).toContain('Take back the new owner');
  });

  test('an own client and a secret that the former owner was entering are not kept for the new one', async () => {
    const app = await newApp();
    const form = await world.dana.get(world.at(`/apps/${app.clientId}/modern-client`));
    const asked = { clientId: app.clientId, to: SAM.accountId, reason: 'meanwhile' };
    let gift: ReturnType<typeof giveApp> | undefined;
    const giveDuring = async <T>(_call: unknown, answer: T) => {
      gift ??= giveApp(world.context, { ...asked, ...BY });
      await gift;
      return answer;
    };
    Object.assign(world.system.proxy, { onTokenAnswer: giveDuring, onOtherAnswer: giveDuring });
    const entries = { modern_client_id: OWN_CLIENT.clientId, client_secret: OWN_CLIENT.clientSecret };
    const entered = await pressIn(world.dana, form, /^Test and use this client$/, entries);
    Object.assign(world.system.proxy, { onTokenAnswer: undefined, onOtherAnswer: undefined });
    expect(await gift).toMatchObject({ accountId: SAM.accountId });
    expect([entered.status, wordsOf(entered)]).toEqual([
      404,
      expect.stringContaining('no such app of yours'),
    ]);
    expect((await appRow(app)).modern_client_id).toBeNull();
    const secret = { clientId: app.clientId, ownerId: DANA.accountId, ...BY };
    expect(await addSecret(world.context, secret)).toBe('other owner');
    expect(await addSecret(world.context, { ...secret, ownerId: SAM.accountId })).toHaveProperty('secret');
  });

  test('gifts of a lead who owns the app in between are taken back one after the other', async () => {
    const app = await newApp(SAM.accountId);
    const before = await standing(app);
    const lead = { actor: `account:${DANA.accountId}`, requestId: null };
    const other = newHexId();
    await upsertAccount(world.db, accountWith(other));
    const entries: number[] = [];
    for (const to of [DANA.accountId, other]) {
      await giveApp(world.context, { clientId: app.clientId, to, reason: 'as agreed', ...lead });
      entries.unshift(await world.entry('owner_changed'));
    }
    for (const entryId of entries)
      await takeEntryBack(world.context, { entryId, role: 'lead', reason: 'not so', ...lead });
    expect(await standing(app)).toEqual(before);
  });

  test('what a lead who got it does as staff with the same app does not keep the gift', async () => {
    const app = await newApp();
    const { clientId } = app;
    const lead = { actor: `account:${SAM.accountId}`, requestId: null };
    await giveApp(world.context, { clientId, to: SAM.accountId, reason: 'a slip', ...lead });
    const entry = await world.entry('owner_changed');
    const mailId = await unreachedMail(world.system, `account:${DANA.accountId}`, [clientId]);
    expect(await settleUnreached(world.context, { mailId, reason: 'phoned', ...lead })).toBe(true);
    expect(await world.whyNot(entry)).toBeUndefined();
    const email = `${newHexId()}@box.example`;
    const shared = { client_id: clientId, address: email, access: 'read' as const, access_email: email };
    await world.db.insertInto('app_contacts').values(shared).execute();
    const pin = { email, accountId: DANA.accountId, how: 'known by phone', ...lead };
    await world.context.store.transaction((tx) => pinAccountIn(world.context, tx, pin));
    expect(await world.entry('access_proven')).toBeGreaterThan(entry);
    expect(await world.whyNot(entry)).toBeUndefined();
  });

  test('it is not taken back once the new owner has changed the app', async () => {
    const app = await newApp();
    await gives(app);
    const entry = await world.entry('owner_changed');
    const contacts = await sam.get(world.at(`/apps/${app.clientId}/contacts`));
    await sam.follow(await pressIn(sam, contacts, /^Add$/, { address: 'new@box.example' }));
    expect(await world.whyNot(entry)).toBe('Its new owner has changed the app since.');
    await expect(undo(entry)).rejects.toThrow('Its new owner has changed the app since.');
    expect((await appRow(app)).owner_account_id).toBe(SAM.accountId);
  });
});
