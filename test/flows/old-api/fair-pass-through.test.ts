import { newHexId } from '../../../src/shared/ids.ts';
import { until } from '../../support/servers/held-answer.ts';
import { type OldAccount, type OldBackend, startOldBackend } from '../../support/servers/old-backend.ts';
import { sendRaw } from '../../support/callers/raw-request.ts';
import { startSystem, type System } from '../../support/bridge/system.ts';
import { addWaitingToken } from '../../support/bridge/waiting-token.ts';

/** Calls that the old API takes long to answer hold up nobody but those who make them. */

const accounts: OldAccount[] = [];
let old: OldBackend;
let system: System;

beforeAll(async () => {
  old = await startOldBackend({ accounts });
  system = await startSystem({ env: { LEGACY_BACKEND_URL: old.url, LEGACY_RATE_LIMIT: '0' } });
});

afterAll(async () => {
  await system.stop();
  await old.close();
});

const read = (token: string) =>
  sendRaw(system.bridgeUrl, { path: '/1/user.json', headers: { authorization: `Bearer ${token}` } });

async function newApp(): Promise<string> {
  const { clientId } = await system.registerApp('https://another.example/callback');
  return clientId;
}

async function tokenOf(clientId: string): Promise<string> {
  const { token } = await addWaitingToken(system.bridge, { clientId });
  accounts.push({ tokens: [token], user: { id: newHexId() } });
  return token;
}

const manyReads = (token: string, count: number) => Array.from({ length: count }, () => read(token));

async function endSlowOnes(calls: ReadonlyArray<ReturnType<typeof read>>): Promise<void> {
  await old.setBehaviour('down');
  for (const { status } of await Promise.all(calls)) expect(status).toBe(503);
  await old.setBehaviour('normal');
}

beforeEach(() => {
  old.requests.length = 0;
});

test('all calls that one account sends at once reach the old API at once, while nobody else waits', async () => {
  const token = await tokenOf(await newApp());
  await old.setBehaviour('slow');
  const calls = manyReads(token, 40);
  await until(() => old.requests.length === 40);
  await endSlowOnes(calls);
});

test('an app is answered while others wait for the old API with all the calls that they can make', async () => {
  const busy = [await tokenOf(await newApp()), await tokenOf(await newApp())];
  const other = await tokenOf(await newApp());
  await old.setBehaviour('slow');
  let answered = 0;
  const waiting = busy.flatMap((token) => manyReads(token, 40));
  for (const call of waiting) void call.finally(() => (answered += 1));
  await until(() => old.requests.length >= 50);
  await old.setBehaviour('normal');
  expect(await read(other)).toMatchObject({ status: 200 });
  expect(answered).toBe(0);
  await endSlowOnes(waiting);
});

test('an account is answered while another one of its app holds all the places that it can', async () => {
  const clientId = await newApp();
  const [busy, other] = [await tokenOf(clientId), await tokenOf(clientId)];
  await old.setBehaviour('slow');
  const waiting = manyReads(busy, 60);
  await until(() => old.requests.length >= 50);
  await old.setBehaviour('normal');
  expect(await read(other)).toMatchObject({ status: 200 });
  await endSlowOnes(waiting);
});
