import { listContactRows } from '../../../src/store/apps/shared-apps.ts';
import { OWNER_SHARES_MAX } from '../../../src/domain/apps/app-access.ts';
import { registerLegacyApp, type RegisteredApp } from '../../support/bridge/register-app.ts';
import { startSystem, type System } from '../../support/bridge/system.ts';
import type { CookieWalker, Page } from '../../support/callers/cookie-walker.ts';
import { browserOf, DANA, historyOf, pressIn, SAM, wordsOf } from '../support/people.ts';

/** A person leaves an app that was shared with them, and is not flooded with apps (docs/decisions/0035). */

let system: System;
let owner: CookieWalker;
let sam: CookieWalker;

beforeAll(async () => {
  system = await startSystem();
  [owner, sam] = [await browserOf(system), await browserOf(system, SAM)];
});

afterAll(() => system.stop());

const rows = () => system.bridge.context.store.durable;

// One owner shares no more than some with one address: what the test before left is nobody's.
beforeEach(async () => {
  await rows().deleteFrom('app_contacts').execute();
  await rows().updateTable('apps').set({ owner_account_id: null }).execute();
});

const newApp = () => registerLegacyApp(system.bridge, 'https://shared.example/cb', DANA.accountId);
const urlOf = ({ clientId }: RegisteredApp, path = '') => `${system.bridgeUrl}/apps/${clientId}${path}`;

async function add(app: RegisteredApp, address = SAM.login): Promise<void> {
  const page = await owner.get(urlOf(app, '/contacts'));
  await owner.follow(await pressIn(owner, page, /^Add$/, { address }));
}

/** The owner gives the only contact the pages; as a browser shows what came of it. */
async function give(app: RegisteredApp, access = 'read'): Promise<Page> {
  const page = await owner.get(urlOf(app, '/contacts'));
  return owner.follow(await pressIn(owner, page, /^Change/, { access }));
}

/** As the owner gave it, and Sam proved the address. */
async function share(app: RegisteredApp): Promise<void> {
  await add(app);
  await give(app);
  await rows().updateTable('app_contacts').set({ account_id: SAM.accountId }).execute();
}

async function leave(app: RegisteredApp, fields: Record<string, string> = {}): Promise<Page> {
  const page = await sam.get(urlOf(app, '/shared'));
  return sam.follow(await pressIn(sam, page, /^Leave$/, fields));
}

const home = async () => wordsOf(await sam.get(`${system.bridgeUrl}/apps`));
const contactsOf = ({ clientId }: RegisteredApp) => listContactRows(rows(), clientId);

test('who leaves an app sees it no more, gets no mails about it, and it cannot be shared with them again', async () => {
  const app = await newApp();
  await share(app);
  expect(await home()).toMatch(/shared with you you may see it Leave/);
  const left = await leave(app);
  expect(wordsOf(left)).toContain('You left the app.');
  expect(await home()).not.toContain('shared with you');
  expect((await sam.get(urlOf(app, '/contacts'))).status).toBe(404);
  expect(await contactsOf(app)).toEqual([]);
  expect((await historyOf(system, app.clientId)).slice(-3)).toEqual(
    ['access_taken', 'contact_removed', 'access_refused'].map((action) => `${action}: ${SAM.login}`),
  );

  await add(app, SAM.login.toUpperCase());
  const refused = wordsOf(await give(app, 'manage'));
  expect(refused).toContain('This person left the app, so it cannot be shared with them.');
  expect(refused).toContain(`/apps/${app.clientId}/shared`);
  expect((await contactsOf(app)).map(({ access }) => access)).toEqual([null]);
  expect(await home()).not.toMatch(/shared with you|waits under your e-mail/);
});

test('who left it can let its owner share it again', async () => {
  const app = await newApp();
  await share(app);
  await leave(app);
  const page = await sam.get(urlOf(app, '/shared'));
  expect(wordsOf(page)).toContain('Its owner cannot share it with you while this stands.');
  expect(wordsOf(await sam.follow(await pressIn(sam, page, /^Let its owner/)))).toContain('Tell them.');
  await add(app);
  expect(wordsOf(await give(app))).toContain('Once they have shown that the address is theirs');
  await rows().updateTable('app_contacts').set({ account_id: SAM.accountId }).execute();
  expect(await home()).toContain('shared with you');
});

/** As if the new API had named Dana with the other address at the sign-in. */
async function claimAddress(from: string, to: string): Promise<void> {
  const { volatile } = system.bridge.context.store;
  const { content } = await volatile
    .selectFrom('sessions')
    .select('content')
    .where('account_id', '=', DANA.accountId)
    .executeTakeFirstOrThrow();
  const claimed = content.replaceAll(from, to);
  expect(claimed).not.toBe(content);
  await volatile
    .updateTable('sessions')
    .set({ content: claimed })
    .where('account_id', '=', DANA.accountId)
    .execute();
}

/** Sends the form by which a person lets the owner share the app again, whether or not a page shows it. */
async function allowAgain(browser: CookieWalker, app: RegisteredApp): Promise<number> {
  const page = await browser.get(`${system.bridgeUrl}/apps/account`);
  const [form] = browser.forms(page);
  if (!form) throw new Error('no form shows how one is sent');
  const fields = Object.fromEntries(form.fields.map(({ name, value }) => [name, value]));
  const action = urlOf(app, '/shared/allow');
  return (await browser.submit({ ...form, action }, fields, page.url)).status;
}

test('another account that claims the address cannot let it be shared again', async () => {
  const app = await newApp();
  await share(app);
  await leave(app);
  // For the owner there is a page in any case: now nobody owns it.
  await rows().updateTable('apps').set({ owner_account_id: null }).execute();
  await claimAddress(DANA.login, SAM.login);
  try {
    expect(wordsOf(await owner.get(`${system.bridgeUrl}/apps/account`))).toContain(SAM.login);
    expect((await owner.get(urlOf(app, '/shared'))).status).toBe(404);
    expect(await allowAgain(owner, app)).toBe(404);
  } finally {
    await claimAddress(SAM.login, DANA.login);
  }
  expect((await historyOf(system, app.clientId)).at(-1)).toBe(`access_refused: ${SAM.login}`);
  expect(await allowAgain(sam, app)).toBe(303);
  expect((await historyOf(system, app.clientId)).at(-1)).toBe(`access_allowed: ${SAM.login}`);
});

/** As the new API says at a sign-in which address the account of Sam has. */
const nameSam = (email: string) =>
  rows().updateTable('accounts').set({ email }).where('account_id', '=', SAM.accountId).execute();

test('a refusal counts only while who left has the address: whoever has it next can be given the app', async () => {
  const app = await newApp();
  await share(app);
  await leave(app);
  await add(app);
  await nameSam('sam-elsewhere@example.com');
  try {
    expect(wordsOf(await give(app))).toContain('Once they have shown that the address is theirs');
    expect((await contactsOf(app)).map(({ access }) => access)).toEqual(['read']);
  } finally {
    await nameSam(SAM.login.toUpperCase());
  }
  expect(wordsOf(await give(app, 'manage'))).toContain('This person left the app');
});

test('one owner’s apps are left at once, and those of nobody else', async () => {
  const [first, second, others] = [await newApp(), await newApp(), await newApp()];
  for (const app of [first, second, others]) await share(app);
  await rows()
    .updateTable('apps')
    .set({ owner_account_id: '5e1f0c9a7b3d4e2f8a6c1d99' })
    .where('client_id', '=', others.clientId)
    .execute();
  expect(wordsOf(await sam.get(urlOf(first, '/shared')))).toContain('Also leave the other app');
  await leave(first, { all: 'on' });
  const counts = [first, second, others].map(async (app) => (await contactsOf(app)).length);
  expect(await Promise.all(counts)).toEqual([0, 0, 1]);
  for (const app of [first, second])
    expect((await historyOf(system, app.clientId)).at(-1)).toBe(`access_refused: ${SAM.login}`);
});

test('with the box left empty only the one app is left', async () => {
  const [first, second] = [await newApp(), await newApp()];
  for (const app of [first, second]) await share(app);
  await leave(first);
  expect([(await contactsOf(first)).length, (await contactsOf(second)).length]).toEqual([0, 1]);
});

test('one owner shares twenty apps with an address and no more, and those that were left count too', async () => {
  const apps: RegisteredApp[] = [];
  for (let n = 0; n <= OWNER_SHARES_MAX; n++) apps.push(await newApp());
  for (const app of apps.slice(0, -1)) await share(app);
  const [one, other, last] = [apps[0], apps[1], apps.at(-1)] as RegisteredApp[] as [
    RegisteredApp,
    RegisteredApp,
    RegisteredApp,
  ];
  await leave(one);
  await add(last);
  expect(wordsOf(await give(last))).toContain('That is the most. Nothing was changed.');
  // What is shared already can be changed.
  expect(wordsOf(await give(other, 'manage'))).toContain('Changed.');
  // What somebody left who has another address now takes no place of whoever has the address next.
  await nameSam('sam-elsewhere@example.com');
  try {
    expect(wordsOf(await give(last))).toContain('Once they have shown that the address is theirs');
  } finally {
    await nameSam(SAM.login);
  }
});

test('nobody leaves what is not shared with them', async () => {
  const app = await newApp();
  await add(app);
  for (const browser of [owner, sam]) expect((await browser.get(urlOf(app, '/shared'))).status).toBe(404);
  expect(await contactsOf(app)).toHaveLength(1);
});
