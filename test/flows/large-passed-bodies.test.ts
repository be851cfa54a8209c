import { randomBytes } from 'node:crypto';
import { newHexId, newLegacyToken } from '../../src/shared/ids.ts';
import { type OldAccount, type OldBackend, startOldBackend } from '../support/old-backend.ts';
import { rawForm, sendRaw } from '../support/raw-request.ts';
import { startSystem, type System } from '../support/system.ts';
import { addWaitingToken } from '../support/waiting-token.ts';

/** Large bodies of calls that the old API answers go there as they came, for known tokens alone. */

const accounts: OldAccount[] = [];
let old: OldBackend;
let system: System;
let token: string;

beforeAll(async () => {
  old = await startOldBackend({ accounts });
  system = await startSystem({ env: { LEGACY_BACKEND_URL: old.url, LEGACY_RATE_LIMIT: '0' } });
  ({ token } = await addWaitingToken(system.bridge, { clientId: system.app.clientId }));
  accounts.push({ tokens: [token], user: { id: newHexId() } });
  await old.setBehaviour({ status: 200, body: '{"success":true}' });
});

afterAll(async () => {
  await system.stop();
  await old.close();
});

beforeEach(() => {
  old.requests.length = 0;
});

const FILE = Buffer.concat([
  Buffer.from('--b\r\nContent-Disposition: form-data; name="media[photo]"; filename="a.jpg"\r\n\r\n'),
  randomBytes(9 * 1024 * 1024),
  Buffer.from('\r\n--b--\r\n'),
]);

const send = (authorization: string, path = '/1/updates/create.json') =>
  sendRaw(system.bridgeUrl, {
    method: 'POST',
    path,
    headers: { authorization, 'content-type': 'multipart/form-data; boundary=b' },
    body: FILE,
  });

test.each(['/1/updates/create.json', '/1/some/upload.json'])('a file of 9 MB for %s', async (path) => {
  expect(await send(`Bearer ${token}`, path)).toMatchObject({ status: 200, json: { success: true } });
  const [seen] = old.requests;
  expect(old.requests).toHaveLength(1);
  expect(seen?.body.equals(FILE)).toBe(true);
});

test('a token that nobody knows, or that stands in the body, sends 256 kB at most', async () => {
  expect((await send(`Bearer ${newLegacyToken()}`)).status).toBe(413);
  const form = new URLSearchParams({ access_token: token, text: 'x'.repeat(300_000) }).toString();
  const answer = await sendRaw(system.bridgeUrl, {
    method: 'POST',
    path: '/1/updates/create.json',
    ...rawForm(form),
  });
  expect([answer.status, answer.json]).toMatchObject([413, { success: false, code: 413 }]);
  expect(old.requests).toEqual([]);
});
