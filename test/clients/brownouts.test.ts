import { DAY, MINUTE } from '../../src/shared/lifetimes.ts';
import { plan } from '../lifecycle/support/lifecycle-rows.ts';
import { type ClientProcess, startClient } from '../support/bridge/client-process.ts';
import { type OldAddresses, serveOldAddresses } from '../support/servers/connect-proxy.ts';
import { freePort } from '../support/servers/free-port.ts';
import { type OldBackend, startOldBackend } from '../support/servers/old-backend.ts';
import { startSystem, type System } from '../support/bridge/system.ts';
import { addWaitingToken } from '../support/bridge/waiting-token.ts';
import { type OldClient, signIn } from './old-client.ts';

/**
 * What old clients make of the answers that come with the end of the old API, and with its rehearsals
 * (docs/decisions/0012).
 */

const TEXT = 'The old API is switched off for an hour';
const CALLBACK_PATH = '/auth/bufferapp/callback';

let old: OldBackend;
let system: System;
let addresses: OldAddresses;
let origin: string;
let bufferNode: ClientProcess;
let nodeBuffer: ClientProcess;
let passport: ClientProcess;
/** Waits for its owner. */
let token: string;

beforeAll(async () => {
  const port = await freePort();
  origin = `http://127.0.0.1:${port}`;
  old = await startOldBackend({ accounts: [] });
  const env = { LEGACY_BACKEND_URL: old.url };
  system = await startSystem({ callback: origin + CALLBACK_PATH, env });
  addresses = await serveOldAddresses(system.bridgeUrl);
  const { clientId: CLIENT_ID, clientSecret: CLIENT_SECRET } = system.app;
  const variables = { PORT: String(port), CLIENT_ID, CLIENT_SECRET };
  [bufferNode, nodeBuffer, passport] = await Promise.all([
    startClient('buffer-node.cjs', addresses),
    startClient('node-buffer.cjs', addresses),
    startClient('passport-bufferapp.cjs', addresses, variables),
  ]);
  ({ token } = await addWaitingToken(system.bridge, { clientId: CLIENT_ID }));
});

afterAll(async () => {
  await Promise.all([bufferNode, nodeBuffer, passport].map((client) => client.stop()));
  await addresses.close();
  await system.stop();
  await old.close();
});

const callBufferNode = () => bufferNode.ask({ token, call: 'user' });

const callNodeBuffer = () => nodeBuffer.ask({ token, method: 'get', path: '/user.json' });

/** A window around now. */
function brownoutOf(rehearses: 'retirement' | 'sunset') {
  const now = system.bridge.context.clock.now();
  return { rehearses, startsAt: now - MINUTE, endsAt: now + MINUTE, text: TEXT };
}

/** Signs in, with what is planned once the app has its code. */
async function signInDuring(planned: Parameters<typeof plan>[1]) {
  await plan(system.bridge, {});
  const client: OldClient = {
    system,
    client: passport,
    seen: addresses.seen,
    origin,
    stop: () => Promise.resolve(),
  };
  const { browser, callback } = await signIn(client, '/auth/bufferapp');
  await plan(system.bridge, planned);
  return browser.get(callback);
}

test('in a brownout of the retirement the clients report its text with the 401', async () => {
  await plan(system.bridge, { brownouts: [brownoutOf('retirement')] });
  const said = expect.stringContaining(`${TEXT}. This is a planned brownout.`);
  expect(await callBufferNode()).toEqual({ error: said, errorCode: 401, httpCode: 401 });
  expect(await callNodeBuffer()).toMatchObject({
    error: 'Status Code: 401',
    data: { error: said, code: 401, reauthorize: { link: expect.any(String) } },
  });
});

test('after the retirement the clients report the recorded refusal', async () => {
  await plan(system.bridge, { dates: { retirement: Date.now() - DAY } });
  const error = 'The provided access token is invalid';
  expect(await callBufferNode()).toEqual({ error, errorCode: 401, httpCode: 401 });
  expect(await callNodeBuffer()).toMatchObject({ error: 'Status Code: 401', data: { error, code: 401 } });
});

test('in a brownout of the sunset and after it the clients report the 410 with its text', async () => {
  const sunset = Date.parse('2024-02-29');
  for (const [planned, text] of [
    [{ brownouts: [brownoutOf('sunset')] }, TEXT],
    [{ dates: { sunset } }, 'This API ended on 2024-02-29 (UTC).'],
  ] as const) {
    await plan(system.bridge, { ...planned });
    const said = expect.stringContaining(text);
    expect(await callBufferNode()).toEqual({ error: said, errorCode: 410, httpCode: 410 });
    expect(await callNodeBuffer()).toMatchObject({
      error: 'Status Code: 410',
      data: { error: said, code: 410, link: `${system.bridgeUrl}/lifecycle` },
    });
  }
});

test('passport-bufferapp fails a sign-in with the text, and asks once', async () => {
  for (const [planned, text] of [
    [{ brownouts: [brownoutOf('sunset')] }, TEXT],
    [{ dates: { sunset: Date.parse('2024-02-29') } }, 'This API ended on 2024-02-29 (UTC).'],
  ] as const) {
    addresses.seen.length = 0;
    const page = await signInDuring({ ...planned });
    const reported = 'failed to obtain access token (status: 410 data: {"error":"';
    expect([page.status, page.body]).toEqual([500, expect.stringContaining(reported + text)]);
    expect(addresses.seen).toEqual(['POST api.bufferapp.com /1/oauth2/token.json']);
  }
});
