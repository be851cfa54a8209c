import { setTimeout as delay } from 'node:timers/promises';
import { type Plan, plan } from '../lifecycle/support/lifecycle-rows.ts';
import { purgeShortLived } from '../../src/domain/purge-expired.ts';
import { exchange, freshCode, tokenOf } from '../support/callers/legacy-calls.ts';
import { CookieWalker } from '../support/callers/cookie-walker.ts';
import { until } from '../support/servers/held-answer.ts';
import { sendRaw } from '../support/callers/raw-request.ts';
import { registerLegacyApp, type RegisteredApp } from '../support/bridge/register-app.ts';
import { SettableClock } from '../support/bridge/settable-clock.ts';
import { testMode } from '../support/jest/test-mode.ts';
import { forgetHints } from '../support/jest/forgotten-hints.ts';
import { type EventStream, openEventStream } from './support/event-stream.ts';
import { agentsIn, agentsOf, askAndLeave, markOf, refusalOf, rowOf, toldAfter } from './support/live-rows.ts';
import { browserOf, DANA, pressIn, SAM, waitingToken, wordsOf } from './support/people.ts';
import { startSecond } from './support/second-bridge.ts';
import { startTwoBridges, type TwoBridges } from './support/two-bridges.ts';

/** "Is it me?": people see the calls of their app while they come, wherever they come, and nobody else does. */

const MINUTE = 60_000;

const clock = new SettableClock();
const open: EventStream[] = [];
let two: TwoBridges;
let system: TwoBridges['system'];
let other: TwoBridges['other'];
let dana: CookieWalker;
let sam: CookieWalker;
let app: RegisteredApp;
/** Of Sam, for Dana's app; the old API answers it. */
let token: string;

beforeAll(async () => {
  two = await startTwoBridges(clock);
  ({ system, other, dana, sam } = two);
});

afterAll(() => two.stop());

beforeEach(async () => {
  clock.advance(1000);
  app = await registerLegacyApp(system.bridge, 'https://mine.example/cb', DANA.accountId);
  token = await two.passedToken(app);
});

afterEach(() => {
  for (const stream of open.splice(0)) stream.cut();
});

const page = () => `${system.bridgeUrl}/apps/${app.clientId}/live`;

/** Opens the page, as a browser with script: answers the stream that it asks for. */
async function lookOn(browser: CookieWalker = dana, headers: Record<string, string> = {}) {
  const { body } = await browser.get(page());
  const address = /sse-connect="([^"]+)"/.exec(body)?.[1] ?? '';
  const stream = await openEventStream(browser, `${system.bridgeUrl}${address}`, headers);
  open.push(stream);
  return stream;
}

async function call(
  given: string,
  { at = system.bridgeUrl, path = '/1/profiles.json', agent = 'cron/1.0' } = {},
) {
  const headers = { authorization: `Bearer ${given}`, 'user-agent': agent };
  clock.advance(1);
  return sendRaw(at, { path, headers });
}

const writtenCalls = ({ clientId } = app) =>
  system.bridge.context.store.volatile
    .selectFrom('live_calls')
    .selectAll()
    .where('client_id', '=', clientId)
    .execute();

const untilWritten = (count: number, of = app) =>
  until(async () => (await writtenCalls(of)).length === count);

/** Resolves when the other process knows what the people of the first one look at. */
const knownEverywhere = () =>
  testMode.isSpawned ? delay(1200) : until(() => other.context.live.isWatched(app.clientId));

test('a call at one process is seen within a second by who looks on at another', async () => {
  const stream = await lookOn();
  await knownEverywhere();
  const send = async () => expect((await call(token, { at: other.url })).status).toBe(200);
  expect(await toldAfter(stream, send)).toBeLessThan(1000);
  const [rows = ''] = await stream.until('calls', 1);
  expect(stream.headers).toMatchObject({
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store, no-transform',
    'x-accel-buffering': 'no',
  });
  expect(rows).toContain('GET');
  expect(rows.replaceAll('<wbr>', '')).toContain('/1/profiles.json');
  for (const words of ['cron/1.0', '127.0.0.0/24', 'old API', 'answered (200)', 'sent in the header'])
    expect(rows).toContain(words);
  expect(rows).toContain(`1/${token.slice(2, 6)}…${token.slice(-4)}`);
  expect(rows).not.toContain(token);
});

test('a connection that was cut goes on where it was, without a gap and without a repetition', async () => {
  const before = await lookOn();
  await knownEverywhere();
  await call(token, { agent: 'cron/1.0' });
  await call(token, { at: other.url, agent: 'cron/1.1' });
  expect((await agentsIn(before, 2)).toSorted()).toEqual(['cron/1.0', 'cron/1.1']);
  before.cut();
  await call(token, { at: other.url, agent: 'cron/2.0' });
  await call(token, { agent: 'cron/2.1' });
  await untilWritten(4);
  const after = await openEventStream(dana, `${page()}/events`, { 'last-event-id': before.lastId() ?? '' });
  open.push(after);
  expect(await agentsIn(after, 2)).toEqual(['cron/2.1', 'cron/2.0']);
  await call(token, { agent: 'cron/3.0' });
  expect(await agentsIn(after, 3)).toEqual(['cron/2.1', 'cron/2.0', 'cron/3.0']);
  const told = async () => (await after.until('count', 1)).at(-1);
  await until(async () => (await told()) === '5 new calls shown since you opened this page.');
});

test('what the page shows at first does not come again, and a page without script shows the same', async () => {
  await dana.get(page());
  await call(token, { agent: 'cron/1.0' });
  await untilWritten(1);
  const stream = await lookOn();
  await call(token, { agent: 'cron/1.1' });
  expect(agentsOf(await stream.until('calls', 1))).toEqual(['cron/1.1']);
  const paused = await dana.get(`${page()}?pause=on`);
  expect(agentsOf([paused.body])).toEqual(['cron/1.1', 'cron/1.0']);
  expect(paused.body).not.toContain('sse-connect');
  const reloading = await dana.get(`${page()}?reload=on&since=${clock.now() - 500}`);
  expect(reloading.headers.get('refresh')).toBe('5');
  expect((await dana.get(page())).headers.get('refresh')).toBeNull();
});

test('a token that is served, one that is refused and an exchange each say who answered', async () => {
  const own = await registerLegacyApp(system.bridge, system.app.callback, DANA.accountId);
  app = own;
  const stream = await lookOn();
  expect((await call(own.ownerToken, { agent: 'cron/1.0' })).status).toBe(401);
  const given = { ...own, callback: system.app.callback };
  const code = await freshCode(system, { app: given });
  const issued = tokenOf(await exchange(system, code, given));
  expect((await call(issued, { agent: 'cron/2.0' })).status).toBe(200);
  const seen = async () => (await stream.until('calls', 1)).join('\n');
  await agentsIn(stream, 2);
  const rows = await seen();
  expect(markOf(/cron\/1\.0/, rows)).toBe('refused');
  expect(markOf(/cron\/2\.0/, rows)).toBe('new API');
  expect(markOf(/oauth2\//, rows)).toBe('new API');
  expect(rows).toContain('no token, but the app’s own secret');
  expect(rows).toContain(`not connected yet (401). <a href="/apps/${own.clientId}">Where to connect it</a>`);
  expect(rows).not.toContain(issued);
});

test('a holder of a token sees the own calls alone, and a stranger is told of no such app', async () => {
  const another = await two.passedToken(app, DANA.accountId);
  const [owner, holder] = [await lookOn(), await lookOn(sam)];
  await call(another, { agent: 'cron/1.0' });
  await call(token, { agent: 'cron/2.0' });
  expect(agentsOf(await holder.until('calls', 1))).toEqual(['cron/2.0']);
  expect((await agentsIn(owner, 2)).toSorted()).toEqual(['cron/1.0', 'cron/2.0']);
  expect(agentsOf(await holder.until('calls', 1))).toEqual(['cron/2.0']);
  app = await registerLegacyApp(system.bridge, 'https://theirs.example/cb', DANA.accountId);
  for (const address of [page(), `${page()}/events`]) expect((await sam.get(address)).status).toBe(404);
  expect((await dana.get(`${system.bridgeUrl}/apps/none/live/events`)).status).toBe(404);
});

test('who is not signed in is sent to the sign-in, and the stream of a page is refused', async () => {
  const nobody = new CookieWalker();
  expect((await nobody.get(page())).location).toContain('/sign-in');
  expect((await nobody.get(`${page()}/events`)).status).toBe(401);
});

test('signing out, and losing the app, end what is still open, with words', async () => {
  const browser = await browserOf(system, SAM);
  const [left, lost] = [await lookOn(browser), await lookOn()];
  await pressIn(browser, await browser.get(`${system.bridgeUrl}/apps`), /Sign out/);
  const { durable } = system.bridge.context.store;
  const owner = { owner_account_id: null };
  await durable.updateTable('apps').set(owner).where('client_id', '=', app.clientId).execute();
  const [words = ''] = await left.until('end', 1);
  expect(words).toContain('You were signed out');
  await lost.until('end', 1);
  await Promise.all([left.ended, lost.ended]);
});

test('who was signed out everywhere is told of no call that comes afterwards', async () => {
  const browser = await browserOf(system, SAM);
  const stream = await lookOn(browser);
  await call(token, { agent: 'cron/0.1' });
  await agentsIn(stream, 1);
  const away = await browserOf(system, SAM);
  await pressIn(away, await away.get(`${system.bridgeUrl}/apps/account`), /everywhere/);
  await call(token);
  await stream.until('end', 1);
  expect(await agentsIn(stream, 1)).toEqual(['cron/0.1']);
  sam = await browserOf(system, SAM);
});

test('browsers that left while their stream began hold no place', async () => {
  const cookie = dana.cookieHeader(page());
  for (const wait of [0, 0, 1, 1, 2, 2, 3, 3, 4, 5, 6, 8])
    await askAndLeave(`${page()}/events`, cookie, wait);
  for (let n = 0; n < 3; n += 1) await until(async () => (await lookOn()).status === 200);
});

test('after ten minutes it rests, and a click goes on', async () => {
  const stream = await lookOn();
  clock.advance(10 * MINUTE);
  const [words = ''] = await stream.until('end', 1);
  expect(words).toContain(`<a href="/apps/${app.clientId}/live">Go on</a>`);
});

test('three pages of one person can be open at a time', async () => {
  for (let n = 0; n < 3; n += 1) expect((await lookOn()).status).toBe(200);
  expect((await lookOn()).status).toBe(429);
  expect((await lookOn(sam)).status).toBe(200);
  open.shift()?.cut();
  await until(async () => (await lookOn()).status === 200);
});

test('nothing is written of an app that nobody looks at, or that nobody looks at any more', async () => {
  await call(token);
  await dana.get(page());
  clock.advance(2 * MINUTE);
  await call(token);
  const unwatched = app;
  app = await registerLegacyApp(system.bridge, 'https://watched.example/cb', DANA.accountId);
  const { token: watched } = await waitingToken(system, { app, accountId: SAM.accountId });
  await dana.get(page());
  await call(watched);
  // Calls are written in their order.
  await untilWritten(1);
  expect(await writtenCalls(unwatched)).toEqual([]);
});

test('after ten minutes a call is shown no more, and soon it is not there any more', async () => {
  await dana.get(page());
  await call(token);
  await untilWritten(1);
  expect(agentsOf([(await dana.get(page())).body])).toEqual(['cron/1.0']);
  clock.advance(10 * MINUTE + 1);
  const empty = await dana.get(page());
  expect(agentsOf([empty.body])).toEqual([]);
  expect(wordsOf(empty)).toContain('No call to show');
  expect(wordsOf(empty)).toContain('Calls that came while nobody had this page open are not shown.');
  expect(await writtenCalls()).not.toEqual([]);
  await purgeShortLived(system.bridge.context);
  expect(await writtenCalls()).toEqual([]);
});

test('a process that stops lets those who look on go at once, and keeps what it was told last', async () => {
  const stopping = await startSecond(system, { clock, env: {} });
  const stream = await openEventStream(dana, `${stopping.url}/apps/${app.clientId}/live/events`);
  expect((await call(token, { at: stopping.url })).status).toBe(401);
  // Without an old API nobody reads what is called here before it is answered.
  const path = '/1/nothing.json';
  expect((await call(token, { at: stopping.url, path })).status).toBe(404);
  const shown = async () => (await dana.get(`${stopping.url}/apps/${app.clientId}/live`)).body;
  await until(async () => (await shown()).includes('this address is not served (404)'));
  const began = performance.now();
  await stopping.close();
  await stream.ended;
  expect(performance.now() - began).toBeLessThan(10_000);
  const written = (await writtenCalls()).map(({ endpoint, status }) => `${status} ${endpoint}`);
  expect(written.toSorted()).toEqual(['401 /1/profiles.json', `404 ${path}`]);
});

test('a call that the end of all or its rehearsal refuses is shown, with which of them it was', async () => {
  const [stream, holder] = [await lookOn(), await lookOn(sam)];
  await knownEverywhere();
  await forgetHints(system.bridge, app.clientId);
  const now = clock.now();
  const window = { rehearses: 'sunset', startsAt: now, endsAt: now + MINUTE } as const;
  const refused = async (agent: string, planned: Plan) => {
    await plan(system.bridge, planned);
    expect((await call(token, { agent })).status).toBe(410);
  };
  await refused('cron/1.0', { brownouts: [{ ...window, clientId: app.clientId }] });
  await refused('cron/2.0', { brownouts: [window] });
  await refused('cron/3.0', { dates: { sunset: now } });
  await plan(system.bridge, {});
  await agentsIn(stream, 3);
  const rows = (await stream.until('calls', 1)).join('');
  expect(refusalOf(/cron\/1/, rows)).toMatch(
    /^the app’s own rehearsal runs: answered as before after it \(410\)/,
  );
  expect(refusalOf(/cron\/2/, rows)).toMatch(/^a planned test outage.*: answered as before after it \(410\)/);
  expect(refusalOf(/cron\/3/, rows)).toMatch(
    /^the old API has ended \(410\)\. <a href="\/apps\/[0-9a-f]+">How to move/,
  );
  // The holder of a token cannot move the app.
  await agentsIn(holder, 3);
  const seen = (await holder.until('calls', 1)).join('');
  expect(refusalOf(/cron\/3/, seen)).toMatch(/^the old API has ended \(410\)<\/td>/);
  // Such a token is known by its first call, which nobody read before its answer.
  expect(rowOf(/cron\/2/, rows)).toContain(`1/${token.slice(2, 6)}…${token.slice(-4)}`);
});
