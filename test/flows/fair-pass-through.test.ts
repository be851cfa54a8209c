import { newHexId } from '../../src/shared/ids.ts';
import { until } from '../support/held-answer.ts';
import { type OldAccount, type OldBackend, startOldBackend } from '../support/old-backend.ts';
import { sendRaw } from '../support/raw-request.ts';
import { startSystem, type System } from '../support/system.ts';
import { addWaitingToken } from '../support/waiting-token.ts';

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

async function tokenOfNewApp(): Promise<string> {
  const { clientId } = await system.registerApp('https://another.example/callback');
  const { token } = await addWaitingToken(system.bridge, { clientId });
  accounts.push({ tokens: [token], user: { id: newHexId() } });
  return token;
}

test('an app is answered while others wait for the old API with all the calls that they can make', async () => {
  const busy = [await tokenOfNewApp(), await tokenOfNewApp()];
  const other = await tokenOfNewApp();
  await old.setBehaviour('slow');
  let answered = 0;
  const waiting = busy.flatMap((token) =>
    Array.from({ length: 40 }, () => read(token).finally(() => (answered += 1))),
  );
  await until(() => old.requests.length >= 16);
  await old.setBehaviour('normal');
  expect(await read(other)).toMatchObject({ status: 200 });
  expect(answered).toBe(0);
  await old.setBehaviour('down');
  for (const { status } of await Promise.all(waiting)) expect(status).toBe(503);
});
