import { issueToken, read } from '../support/legacy-calls.ts';
import { SettableClock } from '../support/settable-clock.ts';
import { startSystem, type System } from '../support/system.ts';

/** A token endpoint that answers 429 is left alone for as long as it asked. */

const clock = new SettableClock();
let system: System;

beforeAll(async () => {
  system = await startSystem({ clock, env: { PROFILES_FRESH_SECONDS: '0', LEGACY_RATE_LIMIT: '0' } });
});

afterAll(() => system.stop());

const profiles = (token: string) => read(system, '/1/profiles.json', token);

const askedToWait = {
  status: 429,
  headers: { 'content-type': 'application/json', 'retry-after': '20' },
  body: Buffer.from('{}'),
};

/** Two tokens of two apps whose access tokens have ended; the first was asked to wait twenty seconds. */
async function oneAskedToWait() {
  const app = await system.registerApp('https://other-app.example/callback');
  const tokens = [await issueToken(system), await issueToken(system, { app })] as const;
  for (const token of tokens) expect((await profiles(token)).status).toBe(200);
  clock.advance(3_700_000);
  const before = system.proxy.refreshes().length;
  system.proxy.onTokenAnswer = () => askedToWait;
  await profiles(tokens[0]);
  system.proxy.onTokenAnswer = undefined;
  return { tokens, sent: () => system.proxy.refreshes().length - before };
}

test('Retry-After is obeyed to the second, for every grant', async () => {
  const { tokens, sent } = await oneAskedToWait();
  clock.advance(19_000);
  for (const token of tokens) expect((await profiles(token)).headers['age']).toBeDefined();
  expect(sent()).toBe(1);
  clock.advance(2_000);
  for (const token of tokens) expect((await profiles(token)).headers['age']).toBeUndefined();
  expect(sent()).toBe(3);
});
