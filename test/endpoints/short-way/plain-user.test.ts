import { HOUR } from '../../../src/shared/lifetimes.ts';
import { issueToken } from '../../support/callers/legacy-calls.ts';
import { rawForm, type RawRequest, sendRaw } from '../../support/callers/raw-request.ts';
import { startSystem, type System } from '../../support/bridge/system.ts';
import { samplesOf, sumOf } from '../../metrics/support/scrape.ts';
import { until } from '../../support/servers/held-answer.ts';
import { revokeOnlyToken, serveShortWay } from '../support/short-way.ts';

/**
 * The short way of a plain `user.json` (src/http/legacy/plain). A mark in the kept text shows which way a call took: only
 * the short way answers with the mark.
 */

const PATH = '/1/user.json';
const MARK = '{"kept":true}';

let system: System;
let token: string;
let url: string;
let stop: () => void;

const volatile = () => system.bridge.context.store.volatile;

const bearer = () => ({ headers: { authorization: `Bearer ${token}` } });

const call = (request: Partial<RawRequest> = {}) => sendRaw(url, { path: PATH, ...bearer(), ...request });

const keptRow = () => volatile().selectFrom('told_users').selectAll().executeTakeFirst();

/** Reads until a text is kept, and marks the text. Returns the text before the mark. */
async function mark(): Promise<string> {
  await volatile().deleteFrom('told_users').execute();
  await until(async () => {
    await call();
    return (await keptRow()) !== undefined;
  });
  const text = (await keptRow())?.text ?? '';
  // A call before may still keep its text.
  await until(async () => {
    await volatile().updateTable('told_users').set({ text: MARK }).execute();
    return takesShortWay();
  });
  return text;
}

const takesShortWay = async (request?: Partial<RawRequest>) => (await call(request)).text === MARK;

beforeEach(async () => {
  system = await startSystem();
  token = await issueToken(system);
  ({ url, stop } = await serveShortWay(system));
});

afterEach(async () => {
  stop();
  await system.stop();
});

test('a plain call takes the short way with its token in the header, the query or the body', async () => {
  const { text } = await call();
  expect(await mark()).toBe(text);
  const encoded = encodeURIComponent(token);
  expect(await takesShortWay()).toBe(true);
  expect(await takesShortWay({ path: '/1/user' })).toBe(true);
  expect(await takesShortWay({ path: `${PATH}?access_token=${encoded}`, headers: {} })).toBe(true);
  expect(await takesShortWay({ method: 'POST', ...rawForm(`access_token=${encoded}`) })).toBe(true);
  expect(await takesShortWay({ path: '/1/user.xml' })).toBe(false);
  expect(await takesShortWay({ path: '/1/profiles.json' })).toBe(false);
});

test('a text is told to its own app alone, and while its answer is fresh', async () => {
  await mark();
  const { clock, settings } = system.bridge.context;
  const row = await volatile().selectFrom('told_users').selectAll().executeTakeFirstOrThrow();
  const shortWith = async (values: object) => {
    await volatile()
      .updateTable('told_users')
      .set({ ...row, text: MARK, ...values })
      .execute();
    return takesShortWay();
  };
  for (const values of [
    { key: 'another app' },
    { fetched_at: clock.now() - settings.profilesFresh },
    { fetched_at: clock.now() + HOUR },
  ]) {
    // A call before may still keep its text.
    await until(() => shortWith({}));
    expect({ values, isShort: await shortWith(values) }).toEqual({ values, isShort: false });
  }
  await until(() => shortWith({}));
});

test('a text goes with its answer, and an answer that is not fresh leaves none', async () => {
  await mark();
  const old = system.bridge.context.clock.now() - system.bridge.context.settings.profilesFresh;
  await volatile().updateTable('answers').set({ fetched_at: old }).execute();
  expect(await keptRow()).toBeUndefined();
  const { json } = await call();
  expect(json).toMatchObject({ secret_email: expect.any(String) });
  expect(await mark()).toBe(JSON.stringify(json));
});

test('a very long text is not kept', async () => {
  await call();
  const answers = volatile().selectFrom('answers').select('body');
  const { body } = await answers.executeTakeFirstOrThrow();
  const keptAfter = async (length: number) => {
    const longer = JSON.parse(body) as { account: { name: string } };
    longer.account.name = 'x'.repeat(length);
    await volatile()
      .updateTable('answers')
      .set({ body: JSON.stringify(longer) })
      .execute();
    for (let made = 0; made < 3; made += 1) expect((await call()).text.length).toBeGreaterThan(length);
    return (await keptRow()) !== undefined;
  };
  expect([await keptAfter(300 * 1024), await keptAfter(1000)]).toEqual([false, true]);
});

test('a revoked token is refused by the next call', async () => {
  await mark();
  expect(await takesShortWay()).toBe(true);
  await revokeOnlyToken(system);
  expect(await call()).toMatchObject({ status: 401 });
});

const counted = async () => {
  await system.bridge.context.usage.flush();
  const rows = await volatile().selectFrom('usage').select('calls').where('endpoint', '=', PATH).execute();
  const labels = { endpoint: 'user', outcome: 'answered', answered_by: 'new', carrier: 'header' };
  const { text } = await sendRaw(system.bridgeUrl, { path: '/metrics' });
  const calls = sumOf(samplesOf(text), 'grantbridge_calls_total', labels);
  return { calls, used: rows.reduce((sum, row) => sum + row.calls, 0) };
};

test('calls on the short way are counted, and count as usage, as those of the ordinary way', async () => {
  await mark();
  // A call is counted after its answer was sent.
  await until(async () => {
    const { calls, used } = await counted();
    return calls > 0 && calls === used;
  });
  const before = await counted();
  expect(await takesShortWay()).toBe(true);
  expect(await takesShortWay()).toBe(true);
  const wanted = { calls: before.calls + 2, used: before.used + 2 };
  await until(async () => {
    const now = await counted();
    return now.calls >= wanted.calls && now.used >= wanted.used;
  }, 5000);
  expect(await counted()).toEqual(wanted);
});
