import { newLegacyToken } from '../../src/shared/ids.ts';
import { browserOf, DANA, historyOf, pressIn, waitingToken, wordsOf } from '../owners/support/people.ts';
import type { CookieWalker, Page } from '../support/callers/cookie-walker.ts';
import { registerLegacyApp } from '../support/bridge/register-app.ts';
import { setDate } from '../reminders/support/planning-ground.ts';
import { startSystem, type System } from '../support/bridge/system.ts';
import { act, eventsOf, unidentifiedApp } from './support/actions.ts';
import { staffBrowser } from './support/staff-browser.ts';

/** What looks like a secret and was typed is kept nowhere and shown on no page; a long id is no secret. */

/** As long as a token. */
const LONG_ID = 'abc0123456789abc0123456789abc0123456';

let system: System;
let dana: CookieWalker;
let lead: CookieWalker;
let token: string;
/** The token without its beginning, which is in every form of it. */
let rest: string;

beforeAll(async () => {
  system = await startSystem();
  await setDate(system.bridge.context, 'sunset', '2096-01-01');
  dana = await browserOf(system, DANA);
  lead = await staffBrowser(system, 'lead');
  const app = { client_id: LONG_ID, name: 'Long id app', source: 'imported' as const, created_at: 0 };
  await system.bridge.context.store.durable.insertInto('apps').values(app).execute();
});

afterAll(() => system.stop());

beforeEach(() => {
  token = newLegacyToken();
  rest = token.slice(2);
});

const at = (path: string) => `${system.bridgeUrl}${path}`;

const forms: Array<[string, (token: string) => string]> = [
  ['in JSON with an escaped slash', (t) => `{"access_token":"${t.replace('/', String.raw`\/`)}"}`],
  ['after a hyphen', (t) => `secret-${t.slice(2)}`],
  ['after a slash', (t) => `see /${t.slice(2)}`],
  ['with a soft hyphen in it', (t) => `${t.slice(0, 18)}\u00AD${t.slice(18)}`],
];

test.each(forms)('a token %s is no reason, and is not shown again', async (_, write) => {
  const { id } = await waitingToken(system, { accountId: DANA.accountId });
  const page = await act(lead, at(`/support/mappings/${id}/revoke`), { reason: write(token) });
  expect(page.status).toBe(422);
  expect(wordsOf(page)).toContain('looks like a token or secret');
  expect(page.body).not.toContain(rest.slice(16));
  expect(await eventsOf(system, id)).toEqual([]);
});

async function register(entries: Record<string, string>): Promise<Page> {
  const fields = { name: 'A planner', callbacks: 'https://a.example/cb', contacts: '', ...entries };
  return pressIn(dana, await dana.get(at('/apps/register')), /^Register/, fields);
}

test('a token is the contact of no app, whether the app is new or not', async () => {
  const refused = await register({ contacts: `${rest}@people.example` });
  expect(refused.status).toBe(422);
  expect(refused.body).not.toContain(rest);
  expect((await register({ contacts: 'dev@people.example' })).status).toBe(200);
});

test('the callback of an app may have a long id of its own in its path, and no token', async () => {
  expect((await register({ callbacks: `https://a.example/hook/${rest}/back` })).status).toBe(200);
  const refused = [
    `https://a.example/1/${rest}`,
    `https://a.example/cb?token=${rest}`,
    `https://a.example/1%2F${rest}`,
  ];
  for (const callbacks of refused) expect((await register({ callbacks })).status).toBe(422);
});

test('where a contact that an import brought is taken away, the history does not repeat a token', async () => {
  const { clientId } = await registerLegacyApp(system.bridge, 'https://mine.example/cb', DANA.accountId);
  const address = `${rest}@people.example`;
  const { durable } = system.bridge.context.store;
  await durable.insertInto('app_contacts').values({ client_id: clientId, address }).execute();
  await pressIn(dana, await dana.get(at(`/apps/${clientId}/contacts`)), /^Remove/);
  const history = await historyOf(system, clientId);
  expect(history.at(-1)).toMatch(
    /^contact_removed: an address that is not repeated here \(fingerprint [0-9a-f]{24}\)$/,
  );
});

test('the long client id of a known app stands in its form again, an unknown one does not', async () => {
  const app = { ...system.app, clientId: await unidentifiedApp(system) };
  const { id } = await waitingToken(system, { app });
  const assign = (client_id: string) =>
    act(lead, at(`/support/mappings/${id}/assign`), { client_id, reason: '' });
  const again = await assign(LONG_ID);
  expect(again.status).toBe(422);
  expect(again.body).toContain(`value="${LONG_ID}"`);
  expect((await assign(rest)).body).not.toContain(rest);
});

test('the page of an app with a long client id keeps its links when the id is typed there', async () => {
  const page = await act(lead, at(`/support/apps/${LONG_ID}/extend`), {
    reason: `for ${LONG_ID}`,
    until: '',
  });
  expect(page.status).toBe(422);
  expect(page.body).toContain(`href="/support/apps/${LONG_ID}"`);
  expect(wordsOf(page)).toContain(`Long id app (${LONG_ID})`);
});
