import { createSecretBrake, LOOKS } from '../../../src/modern/secret-brake.ts';
import { CLIENT_SECRET, CONFIDENTIAL, post, PUBLIC } from '../support/modern.ts';
import { modern, withModernPerTest } from '../support/running-modern.ts';

withModernPerTest();

const introspect = (secret: string, client = CONFIDENTIAL) =>
  post(modern.server.url, '/token/introspection', {
    client_id: client,
    client_secret: secret,
    token: 'unknown',
  });

const refresh = (extra: object) =>
  post(modern.server.url, '/token', { grant_type: 'refresh_token', refresh_token: 'unknown', ...extra });

test('right secrets are never slowed down', async () => {
  const answers = await Promise.all(Array.from({ length: 40 }, () => introspect(CLIENT_SECRET)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
});

const guessWrong = async (count: number): Promise<number[]> => {
  const statuses: number[] = [];
  // oxlint-disable-next-line no-await-in-loop -- one after the other, as somebody would guess
  for (let n = 0; n < count; n += 1) statuses.push((await introspect(`wrong ${n}`)).status);
  return statuses;
};

test('the right secret does not wait for wrong ones of its address, though it was never seen there', async () => {
  const statuses = await guessWrong(25);
  expect(statuses).toEqual([...Array<number>(20).fill(401), ...Array<number>(5).fill(429)]);
  expect((await introspect(CLIENT_SECRET)).status).toBe(200);
  expect(await guessWrong(1)).toEqual([429]);
});

test('after 3,000 wrong ones in a minute none is looked at', () => {
  const brake = createSecretBrake();
  for (let guess = 0; guess < 2999; guess += 1) brake.countWrong('an app', '127.0.0.1');
  expect(brake.wait('an app', '127.0.0.1')).toBe(0);
  brake.countWrong('an app', '127.0.0.1');
  expect(brake.wait('an app', '127.0.0.1')).toBeGreaterThan(0);
  expect(brake.wait('an app', '127.0.0.2')).toBe(0);
});

test('after so many wrong ones not even the right secret is looked at, at any endpoint', async () => {
  for (let guess = 0; guess < LOOKS; guess += 1) modern.brakes.secrets.countWrong(CONFIDENTIAL, '127.0.0.1');
  const right = { client_id: CONFIDENTIAL, client_secret: CLIENT_SECRET };
  const answers = [await refresh(right), await introspect(CLIENT_SECRET)];
  for (const { status, headers, body } of answers) {
    expect([status, body]).toEqual([429, { error: 'slow_down', error_description: expect.any(String) }]);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  }
  expect((await refresh({ client_id: PUBLIC })).body['error']).toBe('invalid_grant');
});

test('twenty wrong secrets for one client are followed by 429, at every endpoint and for no other client', async () => {
  for (let guess = 0; guess < 20; guess += 1) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other, as somebody would guess
    expect((await introspect(`wrong ${guess}`)).status).toBe(401);
  }
  const { status, headers, body } = await refresh({ client_id: CONFIDENTIAL, client_secret: 'wrong again' });
  expect([status, body]).toEqual([429, { error: 'slow_down', error_description: expect.any(String) }]);
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(60);
  const right = await refresh({ client_id: CONFIDENTIAL, client_secret: CLIENT_SECRET });
  expect(right.body['error']).toBe('invalid_grant');
  expect((await refresh({ client_id: PUBLIC })).body['error']).toBe('invalid_grant');
  expect((await refresh({ client_id: 'nobody', client_secret: 'x' })).body['error']).toBe('invalid_client');
});
