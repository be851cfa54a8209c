import type { Store } from '../../src/store/driver/store.ts';
import type { Answer } from '../support/servers/forward.ts';
import { holdAnswer, until } from '../support/servers/held-answer.ts';
import { issueToken, read } from '../support/callers/legacy-calls.ts';
import {
  type ProgrammableMainApi,
  startProgrammableMainApi,
} from '../support/servers/programmable-main-api.ts';
import { sendRaw } from '../support/callers/raw-request.ts';
import { SettableClock } from '../support/bridge/settable-clock.ts';
import { openStoreBreaker, type StoreBreaker } from '../support/database/store-breaker.ts';
import { startSystem, type System } from '../support/bridge/system.ts';

/** When the main API is asked, and what is answered without asking it. */

const clock = new SettableClock();
let system: System;

const profiles = (token: string) => read(system, '/1/profiles.json', token);

const volatile = (): Store['volatile'] => system.bridge.context.store.volatile;

const answers = () => volatile().selectFrom('answers').select('fetched_at').execute();

const deauthorize = (token: string) =>
  sendRaw(system.bridgeUrl, { method: 'POST', path: `/user/deauthorize?access_token=${token}` });

const withHeaders = (headers: Answer['headers']) => (_call: unknown, answer: Answer) => ({
  ...answer,
  headers: { ...answer.headers, ...headers },
});

const budget = (left: number, seconds: number) => ({
  ratelimit: `"100-in-15min";r=${left};t=${seconds}`,
  'ratelimit-policy': '"100-in-15min";q=100;w=900',
});

/** A token, and how often the main API was asked since. */
async function freshToken() {
  const token = await issueToken(system);
  const before = system.proxy.readings().length;
  return { token, asked: () => system.proxy.readings().length - before };
}

/** A token whose account was read once, with these headers in the answer. */
async function readOnce(headers: Answer['headers'] = {}) {
  const issued = await freshToken();
  system.proxy.onOtherAnswer = withHeaders(headers);
  expect((await profiles(issued.token)).status).toBe(200);
  system.proxy.onOtherAnswer = undefined;
  if (Object.keys(headers).length > 0) await system.bridge.untilShared();
  return { ...issued, first: issued.asked() };
}

const namesOf = ({ json }: { json: unknown }) =>
  (json as Array<{ id: string }>).map(({ id }) => id.replace('channel-of-', ''));

describe('the cache', () => {
  let breaker: StoreBreaker;

  beforeAll(async () => {
    const env = { PROFILES_STALE_SECONDS: '600', LEGACY_RATE_LIMIT: '0' };
    system = await startSystem({ clock, env });
    breaker = await openStoreBreaker(system.bridge.database);
  });

  afterAll(async () => {
    await breaker.close();
    await system.stop();
  });

  beforeEach(async () => {
    // past every pause and window that an earlier test set
    clock.advance(1_000_000);
    system.proxy.onOtherAnswer = undefined;
    await volatile().deleteFrom('answers').execute();
  });

  test('reads within sixty seconds share one answer of the main API, the one after them gets another', async () => {
    const { token, asked, first } = await readOnce();
    expect(first).toBeGreaterThan(0);
    clock.advance(59_000);
    const second = await profiles(token);
    expect([second.status, second.headers['age']]).toEqual([200, undefined]);
    expect((await read(system, '/1/user.json', token)).status).toBe(200);
    expect(asked()).toBe(first);
    clock.advance(2_000);
    expect((await profiles(token)).status).toBe(200);
    expect(asked()).toBe(first + 1);
  });

  test('while the main API fails the last answer serves with its age up to the limit, and then it is 503', async () => {
    const { token } = await readOnce();
    system.proxy.onOtherAnswer = () => ({ status: 500, headers: {}, body: Buffer.from('no') });
    clock.advance(599_000);
    const last = await profiles(token);
    expect([last.status, last.headers['age']]).toEqual([200, '599']);
    clock.advance(2_000);
    const over = await profiles(token);
    expect(over.status).toBe(503);
    expect(over.json).toMatchObject({ error: expect.any(String), code: 1000 });
    expect(Number(over.headers['retry-after'])).toBeGreaterThan(0);
  });

  test('a deauthorization drops the answer', async () => {
    const { token } = await readOnce();
    expect(await answers()).toHaveLength(1);
    expect((await deauthorize(token)).status).toBe(200);
    expect(await answers()).toEqual([]);
  });

  test('an answer that comes after a deauthorization is not kept', async () => {
    const { token } = await readOnce();
    clock.advance(61_000);
    const held = holdAnswer(system.proxy, 'onOtherAnswer');
    const call = profiles(token);
    await until(() => held.answer !== undefined);
    await deauthorize(token);
    system.proxy.onOtherAnswer = undefined;
    held.release();
    await call;
    expect(await answers()).toEqual([]);
  });

  test.each<[string, (work: () => Promise<void>) => Promise<void>]>([
    ['written', (work) => breaker.whileFailing('insert on answers', work)],
    ['read', (work) => breaker.whileMissing('answers', work)],
  ])('a cache that cannot be %s costs no caller an answer', async (_what, failing) => {
    const { token, asked } = await freshToken();
    await failing(async () => {
      const statuses = [(await profiles(token)).status, (await profiles(token)).status];
      expect(statuses).toEqual([200, 200]);
    });
    expect(asked()).toBeGreaterThanOrEqual(2);
    expect(await answers()).toEqual([]);
  });

  test('a cache that is away fails neither a new consent nor a deauthorization', async () => {
    await readOnce();
    await breaker.whileMissing('answers', async () => {
      const token = await issueToken(system);
      expect(await deauthorize(token)).toMatchObject({
        status: 200,
        text: '{"success":true,"message":"Access successfully revoked!"}',
      });
      expect((await profiles(token)).status).toBe(401);
    });
  });

  test('an answer that a wrong clock dated into the future is neither served nor in the way of a newer one', async () => {
    const { token, asked, first } = await readOnce();
    await volatile()
      .updateTable('answers')
      .set({ fetched_at: clock.now() + 7 * 86_400_000 })
      .execute();
    expect((await profiles(token)).status).toBe(200);
    expect(asked()).toBeGreaterThan(first);
    expect(await answers()).toEqual([{ fetched_at: clock.now() }]);
  });

  test('with a tenth of the budget left an answer stays fresh for five minutes', async () => {
    const { token, asked, first } = await readOnce(budget(10, 900));
    clock.advance(299_000);
    expect((await profiles(token)).headers['age']).toBeUndefined();
    expect(asked()).toBe(first);
    clock.advance(2_000);
    await profiles(token);
    expect(asked()).toBe(first + 1);
  });

  test('with half of the budget left nothing changes', async () => {
    const { token, asked, first } = await readOnce(budget(50, 900));
    clock.advance(61_000);
    await profiles(token);
    expect(asked()).toBe(first + 1);
  });

  test('when the window reopens an answer is fresh for sixty seconds again', async () => {
    const { token, asked, first } = await readOnce(budget(10, 100));
    clock.advance(99_000);
    await profiles(token);
    expect(asked()).toBe(first);
    clock.advance(2_000);
    await profiles(token);
    expect(asked()).toBe(first + 1);
  });

  test('a used-up budget sends nothing for any account until its window reopens', async () => {
    const app = await system.registerApp('https://unread.example/callback');
    const unread = await issueToken(system, { app });
    const { token, asked } = await readOnce();
    clock.advance(61_000);
    system.proxy.onOtherAnswer = withHeaders(budget(0, 100));
    expect((await profiles(token)).headers['age']).toBeUndefined();
    system.proxy.onOtherAnswer = undefined;
    await system.bridge.untilShared();
    const first = asked();
    const refused = await profiles(unread);
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, '100']);
    clock.advance(99_000);
    expect((await profiles(unread)).status).toBe(503);
    expect(asked()).toBe(first);
    clock.advance(2_000);
    expect((await profiles(unread)).status).toBe(200);
  });
});

describe('an account with organizations that come and go', () => {
  let api: ProgrammableMainApi;

  beforeAll(async () => {
    api = await startProgrammableMainApi();
    system = await startSystem({ clock, env: { MODERN_API_URL: api.url, LEGACY_RATE_LIMIT: '0' } });
  });

  afterAll(async () => {
    await system.stop();
    await api.close();
  });

  beforeEach(() => {
    clock.advance(61_000);
    api.onRequest = undefined;
    api.refusal = 'NOT_FOUND';
  });

  test('45 organizations are all read in their order, twenty in a request', async () => {
    api.organizations = Array.from({ length: 45 }, (_, index) => `o${index}`);
    const token = await issueToken(system);
    api.asked = [];
    expect(namesOf(await profiles(token))).toEqual(api.organizations);
    expect(api.asked).toEqual([0, 20, 20, 5]);
    clock.advance(61_000);
    api.asked = [];
    expect(namesOf(await profiles(token))).toEqual(api.organizations);
    expect(api.asked).toEqual([20, 20, 5]);
  });

  test.each(['NOT_FOUND', 'FORBIDDEN'] as const)(
    'an organization that is %s since the last read is asked for no more, and a new one is read',
    async (refusal) => {
      api.refusal = refusal;
      api.organizations = ['a', 'b'];
      const token = await issueToken(system);
      await profiles(token);
      api.organizations = ['a', 'c'];
      clock.advance(61_000);
      const answer = await profiles(token);
      expect(answer.headers['age']).toBeUndefined();
      expect(namesOf(answer)).toEqual(['a', 'c']);
    },
  );

  test('a new organization takes its own place before one that was known', async () => {
    api.organizations = ['b'];
    const token = await issueToken(system);
    await profiles(token);
    api.organizations = ['a', 'b'];
    clock.advance(61_000);
    expect(namesOf(await profiles(token))).toEqual(['a', 'b']);
  });

  test.each(['NOT_FOUND', 'FORBIDDEN'] as const)(
    'an organization that is %s between two requests of one read gives the last known answer',
    async (refusal) => {
      api.refusal = refusal;
      api.organizations = ['a'];
      const token = await issueToken(system);
      await profiles(token);
      api.organizations = ['a', 'b'];
      api.onRequest = (asked) => {
        if (asked.includes('b')) api.organizations = ['a'];
      };
      clock.advance(61_000);
      const answer = await profiles(token);
      expect([answer.status, answer.headers['age']]).toEqual([200, '61']);
      expect(namesOf(answer)).toEqual(['a']);
    },
  );

  test('an organization that the account has and may not read says that a scope is missing', async () => {
    api.refusal = 'FORBIDDEN';
    api.onRequest = (asked) => {
      api.organizations = asked.includes('b') ? ['a'] : ['a', 'b'];
    };
    const { status } = await profiles(await issueToken(system));
    expect(status).toBe(403);
  });
});
