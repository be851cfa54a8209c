import { connect } from 'node:net';
import { newLegacyToken } from '../../../src/shared/ids.ts';
import { DAY } from '../../../src/shared/lifetimes.ts';
import { insertExtension } from '../../../src/store/lifecycle/extensions.ts';
import { setDate } from '../../../src/store/lifecycle/lifecycle-dates.ts';
import { storePostAnswer } from '../../../src/store/posts/post-answers.ts';
import { TEXT_FORM } from '../../../src/domain/posts/fresh-text.ts';
import { issueToken } from '../../support/callers/legacy-calls.ts';
import { rawForm, type RawRequest, sendRaw } from '../../support/callers/raw-request.ts';
import { startSystem, type System } from '../../support/bridge/system.ts';
import { samplesOf, sumOf } from '../../metrics/support/scrape.ts';
import { until } from '../../support/servers/held-answer.ts';
import { revokeOnlyToken, serveShortWay } from '../support/short-way.ts';

/**
 * The short way of a plain `profiles.json` (src/http/legacy/plain/plain-calls.ts). A mark in the kept text shows which way a
 * call took: only the short way answers with the mark.
 */

const PATH = '/1/profiles.json';
const MARK = '["kept"]';
const PER_MINUTE = 40;

let system: System;
let token: string;
let url: string;
let stop: () => void;

const answers = () => system.bridge.context.store.volatile;

const bearer = (value = token) => ({ headers: { authorization: `Bearer ${value}` } });

const call = (request: Partial<RawRequest> = bearer()) => sendRaw(url, { path: PATH, ...request });

/** Reads until a text is kept, and marks the text. */
async function mark(): Promise<void> {
  await answers().deleteFrom('told_profiles').execute();
  await until(async () => {
    await call();
    const row = await answers().selectFrom('told_profiles').select('text').executeTakeFirst();
    return row !== undefined;
  });
  await answers().updateTable('told_profiles').set({ text: MARK }).execute();
}

const takesShortWay = async (request?: Partial<RawRequest>) => (await call(request)).text === MARK;

/** All calls of `profiles.json` that the bridge has counted. */
async function allCounted(): Promise<number> {
  const { text } = await sendRaw(system.bridgeUrl, { path: '/metrics' });
  return sumOf(samplesOf(text), 'grantbridge_calls_total', { endpoint: 'profiles' });
}

beforeEach(async () => {
  system = await startSystem();
  token = await issueToken(system);
  ({ url, stop } = await serveShortWay(system, PER_MINUTE));
  await mark();
});

afterEach(async () => {
  stop();
  await system.stop();
});

const form = (text: string): Partial<RawRequest> => ({ method: 'POST', ...rawForm(text) });

const traced = (traceparent: string) => ({ headers: { ...bearer().headers, traceparent } });

test('a call with a trace takes the ordinary way, whatever the trace is', async () => {
  expect(await takesShortWay()).toBe(true);
  for (const traceparent of [`00-${'a1'.repeat(16)}-${'b2'.repeat(8)}-01`, 'x'])
    expect(await takesShortWay(traced(traceparent))).toBe(false);
  await mark();
  expect(await takesShortWay()).toBe(true);
});

test('a plain call takes the short way with its token in the header, the query or the body', async () => {
  expect(await takesShortWay()).toBe(true);
  expect(await takesShortWay({ path: `${PATH}?access_token=${encodeURIComponent(token)}` })).toBe(true);
  expect(await takesShortWay(form(`access_token=${encodeURIComponent(token)}`))).toBe(true);
  expect(await takesShortWay({ path: '/1/profiles', ...bearer() })).toBe(true);
  expect(await takesShortWay({ method: 'POST', ...bearer() })).toBe(true);
});

const counted = async () => {
  const { text } = await sendRaw(system.bridgeUrl, { path: '/metrics' });
  const labels = { endpoint: 'profiles', outcome: 'answered', answered_by: 'new' };
  return {
    header: sumOf(samplesOf(text), 'grantbridge_calls_total', { ...labels, carrier: 'header' }),
    query: sumOf(samplesOf(text), 'grantbridge_calls_total', { ...labels, carrier: 'query' }),
  };
};

test('its metrics are those of the ordinary way', async () => {
  const before = await counted();
  expect(await takesShortWay()).toBe(true);
  expect(await takesShortWay({ path: `${PATH}?access_token=${encodeURIComponent(token)}` })).toBe(true);
  const wanted = { header: before.header + 1, query: before.query + 1 };
  await until(async () => (await counted()).query >= wanted.query, 5000);
  expect(await counted()).toEqual(wanted);
});

test('a call whose caller leaves before its body is whole is counted as on the ordinary way', async () => {
  const before = await allCounted();
  const socket = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => undefined);
  const kind = 'Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 40';
  socket.write(`POST ${PATH} HTTP/1.1\r\nHost: localhost\r\n${kind}\r\n\r\ntext=`);
  await until(() => socket.bytesWritten > 0);
  socket.end();
  await until(async () => (await allCounted()) > before);
  expect(await allCounted()).toBe(before + 1);
});

test('a call with anything else in it takes the ordinary way', async () => {
  const others: Array<Partial<RawRequest>> = [
    { path: `${PATH}?subprofiles=1`, ...bearer() },
    { path: `${PATH}?access_token=${newLegacyToken()}`, ...bearer() },
    { path: `${PATH}?access_token=${newLegacyToken()}` },
    { method: 'HEAD', ...bearer() },
    { path: '/1/profiles.xml', ...bearer() },
    form(`access_token=${newLegacyToken()}`),
    { method: 'POST', body: '{', headers: { ...bearer().headers, 'content-type': 'application/json' } },
    {},
  ];
  for (const other of others)
    expect({ other, isShort: await takesShortWay(other) }).toEqual({ other, isShort: false });
});

test('a revoked token is refused by the next call', async () => {
  expect(await takesShortWay()).toBe(true);
  await revokeOnlyToken(system);
  expect(await call()).toMatchObject({ status: 401 });
});

test('a retired app is refused by the next call', async () => {
  await system.bridge.context.store.durable.updateTable('apps').set({ retired_at: 1 }).execute();
  expect(await call()).toMatchObject({ status: 401 });
});

test('a text of an earlier answer, or of other lengths of lists, is not told', async () => {
  await answers()
    .updateTable('answers')
    .set((eb) => ({ fetched_at: eb('fetched_at', '-', 1) }))
    .execute();
  expect(await takesShortWay()).toBe(false);
  await mark();
  expect(await takesShortWay()).toBe(true);
  const { grant_id: grantId } = await answers()
    .selectFrom('answers')
    .select('grant_id')
    .executeTakeFirstOrThrow();
  const list = { body: '[]', length: 3, fetched_at: system.bridge.context.clock.now() };
  await storePostAnswer(system.bridge.context.store, { grantId, what: 'pending x' }, list);
  expect(await takesShortWay()).toBe(false);
  await mark();
  expect(await takesShortWay()).toBe(true);
});

test('a text that an earlier version of the bridge made is not told', async () => {
  await mark();
  const { key } = await answers().selectFrom('told_profiles').select('key').executeTakeFirstOrThrow();
  const [version, ...rest] = key.split(' ');
  expect(Number(version)).toBeGreaterThan(1);
  await answers()
    .updateTable('told_profiles')
    .set({ key: rest.join(' ') })
    .execute();
  expect(await takesShortWay()).toBe(false);
});

test('an answer that is not fresh any more is asked for again, although its text is of this answer', async () => {
  const { settings, clock } = system.bridge.context;
  const ageBy = async (age: number) => {
    const fetchedAt = clock.now() - age;
    const key = `${TEXT_FORM} ${system.app.clientId} ${fetchedAt}`;
    const told = await answers().selectFrom('told_profiles').selectAll().executeTakeFirstOrThrow();
    await answers().updateTable('answers').set({ fetched_at: fetchedAt }).execute();
    await answers()
      .insertInto('told_profiles')
      .values({ ...told, fetched_at: fetchedAt, text: MARK, key })
      .execute();
  };
  await ageBy(settings.profilesFresh / 2);
  expect(await takesShortWay()).toBe(true);
  await ageBy(settings.profilesFresh);
  expect(await takesShortWay()).toBe(false);
});

test('a token in another state is refused by the next call, while its grant and the text are still there', async () => {
  const { durable } = system.bridge.context.store;
  await durable.updateTable('mappings').set({ state: 'revoked' }).where('state', '=', 'active').execute();
  expect(await call()).toMatchObject({ status: 401 });
});

test('calls on the short way count against the limit of calls, and are refused at the same number', async () => {
  const statuses: number[] = [];
  for (let made = 0; made <= PER_MINUTE; made += 1) statuses.push((await call()).status);
  expect(statuses).toContain(200);
  expect(statuses.at(-1)).toBe(429);
  expect(await call()).toMatchObject({ status: 429, headers: { 'retry-after': expect.any(String) } });
});

/** How many calls of this address with the token in the header are counted. */
async function countedCalls(): Promise<number> {
  await system.bridge.context.usage.flush();
  const rows = await answers().selectFrom('usage').select(['calls', 'carrier', 'endpoint']).execute();
  const ofHeader = rows.filter(({ carrier, endpoint }) => carrier === 'header' && endpoint === PATH);
  return ofHeader.reduce((sum, { calls }) => sum + calls, 0);
}

test('calls on the short way count as usage of their token', async () => {
  const before = await countedCalls();
  expect(await takesShortWay()).toBe(true);
  expect(await takesShortWay()).toBe(true);
  await until(async () => (await countedCalls()) === before + 2);
});

test('an app whose calls are watched, or which has dates of its own, takes the ordinary way', async () => {
  const { live, lifecycle, store, clock } = system.bridge.context;
  const [at, now] = [clock.now() + DAY, clock.now()];
  await setDate(store.durable, { name: 'sunset', at, changed_at: now, changed_by: 'test' });
  await lifecycle.refresh();
  expect((await call()).headers['sunset']).toBe(new Date(Math.floor(at / 1000) * 1000).toUTCString());
  expect(await takesShortWay()).toBe(true);
  await live.watch(system.app.clientId);
  expect(await takesShortWay()).toBe(false);
  await insertExtension(store.durable, {
    id: 'extension',
    client_id: system.app.clientId,
    name: 'sunset',
    until: at + DAY,
    reason: 'test',
    granted_by: 'test',
    granted_at: now,
  });
  await lifecycle.refresh();
  expect((await call()).headers['sunset']).toBe(new Date(Math.floor((at + DAY) / 1000) * 1000).toUTCString());
});
