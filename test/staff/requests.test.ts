import { recordEvent } from '../../src/domain/history/record-event.ts';
import { newHexId } from '../../src/shared/ids.ts';
import { valueOf } from '../modern/support/settings.ts';
import { CHANNELS } from '../posts/support/posts.ts';
import { registerLegacyApp } from '../support/bridge/register-app.ts';
import { mappingOf } from '../support/bridge/waiting-token.ts';
import { startSystem, type System } from '../support/bridge/system.ts';
import { exchange, freshCode, issueToken, tokenOf } from '../support/callers/legacy-calls.ts';
import type { CookieWalker, Page } from '../support/callers/cookie-walker.ts';
import { rawForm, sendRaw } from '../support/callers/raw-request.ts';
import { browserOf, DANA, pressIn, wordsOf } from '../owners/support/people.ts';
import { staffBrowser } from './support/staff-browser.ts';

/** The id of a request, as its answer names it: support finds by it what the request changed. */

let system: System;
let sam: CookieWalker;
let dana: CookieWalker;

const OWN = { clientId: 'own-client', clientSecret: 'own-secret', name: 'Traced' };

beforeAll(async () => {
  system = await startSystem({
    ownClients: [OWN],
    env: { LEGACY_RATE_LIMIT: '0', PROFILES_FRESH_SECONDS: '0' },
  });
  dana = await browserOf(system, DANA);
  sam = await staffBrowser(system, 'reader');
});

afterAll(() => system.stop());

const url = (path: string) => `${system.bridgeUrl}/support${path}`;

const searchFor = async (text: string): Promise<Page> =>
  pressIn(sam, await sam.get(url('')), /^Search$/, { q: text });

const idOf = ({ headers }: { headers: Record<string, unknown> }) => String(headers['x-request-id']);

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

async function idOfToken(token: string): Promise<string> {
  const mapping = await mappingOf(system.bridge, token);
  return mapping?.id ?? '';
}

/** A new app with one token. */
async function connected(callback: string) {
  const app = await system.registerApp(callback);
  const token = await issueToken(system, { app });
  return { app, token, mappingId: await idOfToken(token) };
}

test('the id of an exchange leads to its token, whose history links the request', async () => {
  const app = await system.registerApp('https://exchanged.example/callback');
  const answer = await exchange(system, await freshCode(system, { app }), app);
  const mappingId = await idOfToken(tokenOf(answer));
  expect((await searchFor(`X-Request-Id: ${idOf(answer)}`)).location).toBe(`/support/mappings/${mappingId}`);
  const page = await sam.get(url(`/mappings/${mappingId}`));
  expect(page.body).toContain(`<a href="/support/requests/${idOf(answer)}">${idOf(answer)}</a>`);
  const request = await sam.get(url(`/requests/${idOf(answer)}`));
  expect(wordsOf(request)).toContain('The token was issued');
  expect(request.body).toContain(`/support/mappings/${mappingId}`);
});

test('the id of a write leads to its token, and its page shows what was written', async () => {
  const { token, mappingId } = await connected('https://writing.example/callback');
  const body = `profile_ids[]=${CHANNELS.twitter}&text=written`;
  const path = '/1/updates/create.json';
  const answer = await sendRaw(system.bridgeUrl, { method: 'POST', path, ...rawForm(body, bearer(token)) });
  expect((await searchFor(idOf(answer))).location).toBe(`/support/mappings/${mappingId}`);
  expect(wordsOf(await sam.get(url(`/requests/${idOf(answer)}`)))).toContain('new post');
});

test('the call for which a grant was refreshed when it ended leads to the token that stopped', async () => {
  const { app, token, mappingId } = await connected('https://ended.example/callback');
  const { durable } = system.bridge.context.store;
  await durable
    .updateTable('grants')
    .set({ access_expires_at: 0 })
    .where('client_id', '=', app.clientId)
    .execute();
  system.proxy.onTokenAnswer = () => ({
    status: 400,
    headers: { 'content-type': 'application/json' },
    body: Buffer.from('{"error":"invalid_grant"}'),
  });
  const answer = await sendRaw(system.bridgeUrl, { path: '/1/user.json', headers: bearer(token) });
  system.proxy.onTokenAnswer = undefined;
  expect(answer.status).toBe(401);
  expect((await searchFor(idOf(answer))).location).toBe(`/support/mappings/${mappingId}`);
  const words = wordsOf(await sam.get(url(`/requests/${idOf(answer)}`)));
  expect(words).toContain('The connection ended');
  expect(words).toContain('The token stopped working');
});

test('the consent of a person names the request with which the browser came back', async () => {
  const { app, mappingId } = await connected('https://consented.example/callback');
  const { durable } = system.bridge.context.store;
  const { request_id: id } = await durable
    .selectFrom('events')
    .select('request_id')
    .where('action', '=', 'granted')
    .where('client_id', '=', app.clientId)
    .executeTakeFirstOrThrow();
  const requests = await durable.selectFrom('authorization_requests').select('id').execute();
  expect(requests.map((row) => row.id)).not.toContain(id);
  expect((await searchFor(id ?? '')).location).toBe(`/support/mappings/${mappingId}`);
});

test('a request that changed an app alone leads to the app', async () => {
  const { clientId } = await registerLegacyApp(
    system.bridge,
    'https://changed.example/callback',
    DANA.accountId,
  );
  const page = await dana.get(`${system.bridgeUrl}/apps/${clientId}/secrets`);
  const made = await pressIn(dana, page, /^Make a new secret$/);
  const requestId = made.headers.get('x-request-id') ?? '';
  expect((await searchFor(requestId)).location).toBe(`/support/apps/${clientId}`);
  expect(wordsOf(await sam.get(url(`/requests/${requestId}`)))).not.toContain('left nothing here');
});

test('registering an app and entering its own client name their requests', async () => {
  const form = await dana.get(`${system.bridgeUrl}/apps/register`);
  const entries = { name: 'Traced', callbacks: 'https://traced.example/cb', contacts: '' };
  const registered = await pressIn(dana, form, /^Register app$/, entries);
  const clientId = valueOf(registered, 'client-id');
  const own = `${system.bridgeUrl}/apps/${clientId}/modern-client`;
  const press = async (button: RegExp, typed = {}) => {
    const { status, headers } = await pressIn(dana, await dana.get(own), button, typed);
    return [status, headers.get('x-request-id')];
  };
  const client = { modern_client_id: OWN.clientId, client_secret: OWN.clientSecret };
  const acts = [
    [200, registered.headers.get('x-request-id')],
    await press(/^Test and use this client$/, client),
    await press(/^Retire its secret/),
    await press(/^Stop using it$/),
    await press(/^Let hand-overs go on/, { keep_handovers: 'on' }),
  ];
  expect(acts.map(([status]) => status)).toEqual([200, 303, 303, 303, 303]);
  const { durable } = system.bridge.context.store;
  const entriesOf = durable.selectFrom('events').select('request_id').where('client_id', '=', clientId);
  const told = (await entriesOf.orderBy('id').execute()).map((entry) => entry.request_id);
  expect([...new Set(told)]).toEqual(acts.map(([, id]) => id));
});

const entryCount = ({ body }: Page) => body.split('class="request"').length - 1;

test('a request that left more than one page of entries says so, and leads to the others', async () => {
  const { clientId } = await system.registerApp('https://job.example/callback');
  const requestId = newHexId();
  const { context } = system.bridge;
  const change = {
    at: context.clock.now(),
    actor: `account:${DANA.accountId}`,
    action: 'secret_added',
    requestId,
  };
  await context.store.transaction(async (tx) => {
    for (let item = 1; item <= 101; item += 1)
      await recordEvent(context, tx, { ...change, reason: `item ${item}.`, clientId });
  });
  const first = await sam.get(url(`/requests/${requestId}`));
  expect([wordsOf(first), entryCount(first)]).toEqual([
    expect.stringContaining('This page has 100 entries of the request'),
    100,
  ]);
  const [, next = ''] = /href="(\?after=\d+)"/.exec(first.body) ?? [];
  const second = await sam.get(url(`/requests/${requestId}${next}`));
  expect([wordsOf(second).includes('the request left more'), entryCount(second)]).toEqual([false, 1]);
  expect(wordsOf(second)).toContain('This page has 1 later entry of the request');
});

test('of a request that changed nothing support is told where to look', async () => {
  const { token } = await connected('https://reading.example/callback');
  const answer = await sendRaw(system.bridgeUrl, { path: '/1/user.json', headers: bearer(token) });
  const found = await searchFor(idOf(answer));
  expect([found.status, wordsOf(found)]).toEqual([200, expect.stringContaining('is in the log alone')]);
  const page = await sam.get(url(`/requests/${idOf(answer)}`));
  expect([page.status, wordsOf(page)]).toEqual([
    404,
    expect.stringContaining('This request left nothing here'),
  ]);
});

test('an entry without a request shows none', async () => {
  const { app, mappingId } = await connected('https://without.example/callback');
  const { durable } = system.bridge.context.store;
  await durable
    .updateTable('events')
    .set({ request_id: null })
    .where('client_id', '=', app.clientId)
    .execute();
  const page = await sam.get(url(`/mappings/${mappingId}`));
  expect([page.status, page.body.includes('/support/requests/')]).toEqual([200, false]);
});
