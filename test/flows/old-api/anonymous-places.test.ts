import { newHexId } from '../../../src/shared/ids.ts';
import { until } from '../../support/servers/held-answer.ts';
import { type OldAccount, type OldBackend, startOldBackend } from '../../support/servers/old-backend.ts';
import { type RawAnswer, sendRaw } from '../../support/callers/raw-request.ts';
import { startSystem, type System } from '../../support/bridge/system.ts';
import { addWaitingToken } from '../../support/bridge/waiting-token.ts';

/** Calls without a token have eight places at the old API, which no address takes alone, and none of anybody else's. */

const accounts: OldAccount[] = [];
let old: OldBackend;
let system: System;

beforeAll(async () => {
  old = await startOldBackend({ accounts });
  system = await startSystem({
    env: { LEGACY_BACKEND_URL: old.url, LEGACY_RATE_LIMIT: '0', TRUST_PROXY: '127.0.0.1' },
  });
});

afterAll(async () => {
  await system.stop();
  await old.close();
});

beforeEach(async () => {
  old.requests.length = 0;
  await old.setBehaviour('slow');
});

const https = { 'x-forwarded-proto': 'https' };

const callFrom = (address: string) =>
  sendRaw(system.bridgeUrl, {
    path: '/1/info/configuration.json',
    headers: { ...https, 'x-forwarded-for': address },
  });

const statusesOf = (answers: RawAnswer[]) => answers.map(({ status }) => status);

test('eight are under way at once, the next is told to come again, and a call with a token finds its place', async () => {
  const calls = Array.from({ length: 12 }, (_, n) => callFrom(`203.0.${n}.1`));
  const early: number[] = [];
  for (const call of calls) void call.then(({ status }) => early.push(status));
  await until(() => early.length === 4);
  expect(early).toEqual([503, 503, 503, 503]);
  expect(old.requests).toHaveLength(8);
  const { token } = await addWaitingToken(system.bridge, { clientId: system.app.clientId });
  accounts.push({ tokens: [token], user: { id: newHexId() } });
  const known = sendRaw(system.bridgeUrl, {
    path: '/1/user.json',
    headers: { ...https, authorization: `Bearer ${token}` },
  });
  await until(() => old.requests.length === 9);
  await old.setBehaviour('down');
  expect(statusesOf(await Promise.all([...calls, known]))).toEqual(Array.from({ length: 13 }, () => 503));
});

test('one address has half of them, and another one finds a place', async () => {
  const calls = Array.from({ length: 10 }, () => callFrom('203.0.113.1'));
  await until(() => old.requests.length === 4);
  const other = callFrom('198.51.100.1');
  await until(() => old.requests.length === 5);
  const early = await Promise.race([Promise.all(calls.slice(4)), Promise.all(calls)]);
  expect(new Set(statusesOf(early))).toEqual(new Set([503]));
  expect(old.requests).toHaveLength(5);
  await old.setBehaviour('down');
  await Promise.all([...calls, other]);
});
