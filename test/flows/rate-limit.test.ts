import { issueToken, read } from '../support/callers/legacy-calls.ts';
import { SettableClock } from '../support/bridge/settable-clock.ts';
import { startSystem, type System } from '../support/bridge/system.ts';

/** Sixty calls a minute for one app and account, as the old API had. */

const statuses = async (system: System, token: string, calls: number) => {
  const answers = await Promise.all(
    Array.from({ length: calls }, (_, call) =>
      read(system, call % 2 ? '/1/user.json' : '/1/profiles.json', token),
    ),
  );
  return answers.map(({ status }) => status);
};

const refusedOf = async (system: System, token: string, calls: number) =>
  (await statuses(system, token, calls)).filter((status) => status === 429).length;

describe('with the limit of the old API', () => {
  const clock = new SettableClock();
  let system: System;

  beforeAll(async () => {
    system = await startSystem({ clock });
  });

  afterAll(() => system.stop());

  test('the 61st call in a minute is 429 with Retry-After, by whichever token of the pair; another app is served', async () => {
    const token = await issueToken(system);
    const sameTwo = await issueToken(system);
    const app = await system.registerApp('https://other.example/callback');
    const another = await issueToken(system, { app });
    expect(await statuses(system, token, 59)).toEqual(Array.from({ length: 59 }, () => 200));
    expect((await read(system, '/1/profiles.json', sameTwo)).status).toBe(200);
    await system.bridge.untilShared();
    for (const [path, one] of [
      ['/1/profiles.json', token],
      ['/1/user.json', sameTwo],
      ['/user/deauthorize', token],
    ] as const) {
      const answer = await read(system, path, one);
      expect(answer.status).toBe(429);
      expect(answer.json).toEqual({ error: expect.any(String), code: 429 });
      expect(answer.headers['retry-after']).toMatch(/^([1-9]|[1-5]\d|60)$/);
    }
    expect((await read(system, '/1/profiles.json', another)).status).toBe(200);
  });

  test('the minute begins with the first call and ends to the millisecond; refused calls do not prolong it', async () => {
    const app = await system.registerApp('https://to-the-millisecond.example/callback');
    const token = await issueToken(system, { app });
    await statuses(system, token, 40);
    clock.advance(59_000);
    expect(await refusedOf(system, token, 20)).toBe(0);
    await system.bridge.untilShared();
    expect(await refusedOf(system, token, 10)).toBe(10);
    clock.advance(999);
    const last = await read(system, '/1/user.json', token);
    expect([last.status, last.headers['retry-after']]).toEqual([429, '1']);
    clock.advance(1);
    expect(await refusedOf(system, token, 60)).toBe(0);
    await system.bridge.untilShared();
    expect(await refusedOf(system, token, 1)).toBe(1);
  });

  test('calls with an unknown token count against nobody, and are 401 however many', async () => {
    expect(new Set(await statuses(system, `1/${'0'.repeat(32)}`, 70))).toEqual(new Set([401]));
  });
});

test.each([
  ['0', 'turns the limit off', 0],
  ['3', 'refuses the fourth call', 67],
])('LEGACY_RATE_LIMIT=%s %s', async (limit, _effect, refused) => {
  const system = await startSystem({ env: { LEGACY_RATE_LIMIT: limit } });
  try {
    const token = await issueToken(system);
    expect(await refusedOf(system, token, 3)).toBe(0);
    await system.bridge.untilShared();
    expect(await refusedOf(system, token, 67)).toBe(refused);
  } finally {
    await system.stop();
  }
});
