import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type IncomingMessage, request as plainRequest } from 'node:http';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { bodyOf } from '../support/servers/forward.ts';
import { freePort } from '../support/servers/free-port.ts';
import { sendRaw } from '../support/callers/raw-request.ts';
import { startTestBridge } from '../support/bridge/started-bridge.ts';

/** All old calls must use HTTPS: by the bridge itself, by a named proxy, or loopback alone. */

const folder = mkdtempSync(join(tmpdir(), 'https-'));

afterAll(() => rmSync(folder, { recursive: true }));

const UPSTREAM = {
  MODERN_AUTH_URL: 'http://127.0.0.1:9',
  MODERN_API_URL: 'http://127.0.0.1:9',
  MODERN_CLIENT_ID: 'bridge',
};

async function bridgeWith(env: Record<string, string>) {
  const place = { VAR_DIR: mkdtempSync(join(folder, 'var-')), PORT: String(await freePort()) };
  return startTestBridge({ settings: { ...UPSTREAM, ...place, ...env } });
}

const unknownToken = `/1/profiles.json?access_token=1/${'0'.repeat(32)}`;

const PROXIED: Array<[string, Record<string, string>, number]> = [
  ['says https', { 'x-forwarded-proto': 'https' }, 401],
  ['says http', { 'x-forwarded-proto': 'http' }, 403],
  ['says nothing', {}, 403],
];

/** A proxy replaces the header of its own name and lets the others through; some servers take them for the same. */
const LOOK_ALIKES = [
  'x_forwarded_proto',
  'x-forwarded_proto',
  'x-forwarded-ssl',
  'front-end-https',
  'forwarded',
];

test.each(LOOK_ALIKES)('row F140 the header %s of a caller is not the word of the proxy', async (name) => {
  const bridge = await bridgeWith({ TRUST_PROXY: '127.0.0.1', PUBLIC_URL: 'https://bridge.example' });
  const value = name === 'forwarded' ? 'proto=https' : name.includes('proto') ? 'https' : 'on';
  const answer = await sendRaw(bridge.url, { path: unknownToken, headers: { [name]: value } });
  await bridge.close();
  expect(answer.status).toBe(403);
});

test.each(PROXIED)(
  'behind a named proxy that %s, the call is answered as decided',
  async (_name, headers, status) => {
    const bridge = await bridgeWith({ TRUST_PROXY: '127.0.0.1', PUBLIC_URL: 'https://bridge.example' });
    const answer = await sendRaw(bridge.url, { path: unknownToken, headers });
    await bridge.close();
    expect(answer.status).toBe(status);
    if (status === 403)
      expect(answer.json).toEqual({ error: 'This API is served over HTTPS only.', code: 403 });
  },
);

const PROXY = { TRUST_PROXY: '127.0.0.1', PUBLIC_URL: 'https://bridge.example' };
const OVER_HTTPS = { 'x-forwarded-proto': 'https' };
const A_YEAR = 'max-age=31536000';

const READ_PAGES = [
  '/',
  '/apps',
  '/apps/register?x=1',
  '/sign-in?return_to=%2Fapps',
  `/approve/${'a'.repeat(24)}`,
  '/callback?code=x&state=y',
  '/lifecycle',
  '/lifecycle.json',
  '/support/desks',
  '/mails/x/not-me',
  '/assets/style.css',
  '/nowhere',
];

describe('behind a named proxy', () => {
  let bridge: Awaited<ReturnType<typeof bridgeWith>>;
  beforeAll(async () => {
    bridge = await bridgeWith(PROXY);
  });
  afterAll(() => bridge.close());

  test.each(READ_PAGES)('%s over plain HTTP leads to the public address', async (path) => {
    for (const method of ['GET', 'HEAD']) {
      const headers = { host: 'evil.example', 'x-forwarded-host': 'evil.example' };
      const answer = await sendRaw(bridge.url, { method, path, headers });
      expect([answer.status, answer.headers['location']]).toEqual([308, `https://bridge.example${path}`]);
      expect(answer.headers['set-cookie']).toBeUndefined();
      expect(answer.headers['strict-transport-security']).toBeUndefined();
    }
  });

  test.each([
    ['http://evil.example/apps', 'https://bridge.example/'],
    ['//evil.example/apps', 'https://bridge.example//evil.example/apps'],
    ['/\\\\evil.example', 'https://bridge.example/%5Cevil.example'],
  ])('the target %s leads to no other host', async (path, location) => {
    const answer = await sendRaw(bridge.url, { path });
    expect(new URL(answer.headers['location'] ?? '').origin).toBe('https://bridge.example');
    if (!path.includes('\\')) expect(answer.headers['location']).toBe(location);
  });

  test.each([
    ['POST', '/sign-out'],
    ['POST', `/approve/${'a'.repeat(24)}`],
    ['POST', '/apps/register'],
    ['POST', '/lifecycle'],
    ['PUT', '/apps'],
    ['OPTIONS', '/support'],
    ['DELETE', '/nowhere'],
  ])('%s %s over plain HTTP is refused by a page, and the connection ends', async (method, path) => {
    const { hostname, port } = new URL(bridge.url);
    const headers = { 'content-type': 'application/x-www-form-urlencoded', 'content-length': '1000000' };
    const sent = plainRequest({ hostname, port, method, path, headers, agent: false });
    // The rest of the body never comes: an answer that waited for it would not come either.
    sent.write('_form=secret-of-a-form');
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    expect([answer.statusCode, answer.headers.connection]).toEqual([403, 'close']);
    expect(answer.headers['content-type']).toMatch(/text\/html/);
    expect(answer.headers['set-cookie']).toBeUndefined();
    expect((await bodyOf(answer)).toString()).toContain('This page is served over HTTPS only');
    sent.destroy();
  });

  test.each(['/health', '/ready'])('%s is answered over plain HTTP', async (path) => {
    const answer = await sendRaw(bridge.url, { path });
    expect([answer.status, answer.headers['strict-transport-security']]).toEqual([200, undefined]);
  });

  test.each(['GoogleHC/1.0', 'kube-probe/1.31', 'ELB-HealthChecker/2.0', 'Consul Health Check'])(
    'row F116 the program name %s of a probe opens nothing else',
    async (userAgent) => {
      const headers = { 'user-agent': userAgent, 'x-forwarded-uri': '/health', 'x-original-url': '/health' };
      const plain = await sendRaw(bridge.url, { path: unknownToken, headers });
      const safe = { ...headers, ...OVER_HTTPS };
      const call = await sendRaw(bridge.url, { path: unknownToken, headers: safe });
      const page = await sendRaw(bridge.url, { path: '/support', headers: safe });
      expect([plain.status, call.status, page.status]).toEqual([403, 401, 303]);
      expect(page.headers['location']).toMatch(/^\/sign-in\?/);
      const health = await sendRaw(bridge.url, { path: '/health', headers });
      expect(Object.keys(health.json as object)).toEqual(['alive', 'version', 'commit', 'schema']);
    },
  );

  test.each([
    '/1/profiles.json',
    '/oauth2/authorize',
    '/oauth2/exchange',
    '/user/deauthorize',
    ...READ_PAGES,
  ])('the answer to %s over HTTPS asks for HTTPS from then on', async (path) => {
    const answer = await sendRaw(bridge.url, { path, headers: OVER_HTTPS });
    expect(answer.headers['strict-transport-security']).toBe(A_YEAR);
    expect(answer.headers['location'] ?? '').not.toBe(`https://bridge.example${path}`);
  });

  test.each(['/health', '/ready'])('so does the answer to %s', async (path) => {
    const answer = await sendRaw(bridge.url, { path, headers: OVER_HTTPS });
    expect(answer.headers['strict-transport-security']).toBe(A_YEAR);
  });
});

test('where the public address is not https, nothing is redirected and no browser is told to use it', async () => {
  const bridge = await bridgeWith({ TRUST_PROXY: '127.0.0.1' });
  const plain = await sendRaw(bridge.url, { path: '/apps' });
  const safe = await sendRaw(bridge.url, { path: '/', headers: OVER_HTTPS });
  await bridge.close();
  expect([plain.status, plain.headers['location']]).toEqual([403, undefined]);
  expect([safe.status, safe.headers['strict-transport-security']]).toEqual([200, undefined]);
});

test('on a loopback address without a proxy pages are served over plain HTTP', async () => {
  const bridge = await bridgeWith({});
  const answer = await sendRaw(bridge.url, { path: '/' });
  await bridge.close();
  expect([answer.status, answer.headers['strict-transport-security']]).toEqual([200, undefined]);
});

test('a header from an address that is not a named proxy changes nothing', async () => {
  const bridge = await bridgeWith({ TRUST_PROXY: '10.0.0.1' });
  const headers = { 'x-forwarded-proto': 'http', 'x-forwarded-host': 'evil.example', host: 'evil.example' };
  const answer = await sendRaw(bridge.url, { path: unknownToken, headers });
  await bridge.close();
  expect(answer.status).toBe(401);
});

test.each([
  ['https://bridge.example', A_YEAR],
  // The header would hold for every port of this machine, and the embedded modern generation speaks plain HTTP.
  ['https://localhost:3000', undefined],
])(
  'with a certificate of its own the bridge at %s serves HTTPS and nothing else',
  async (PUBLIC_URL, strict) => {
    const { cert, private: key } = await generate([{ name: 'commonName', value: 'localhost' }], {
      keyType: 'ec',
      curve: 'P-256',
      algorithm: 'sha256',
      extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] }],
    });
    const [TLS_CERT_FILE, TLS_KEY_FILE] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
    writeFileSync(TLS_CERT_FILE, cert);
    writeFileSync(TLS_KEY_FILE, key);
    const bridge = await bridgeWith({ TLS_CERT_FILE, TLS_KEY_FILE, PUBLIC_URL });
    const agent = new Agent({ ca: cert });
    const seen = await new Promise((resolve, reject) => {
      const see = ({ statusCode, headers }: IncomingMessage) =>
        resolve([statusCode, headers['strict-transport-security']]);
      request(`${bridge.url}${unknownToken}`, { agent }, (answer) => see(answer.resume()))
        .once('error', reject)
        .end();
    });
    // As docs/operate/metrics.md says how to ask on this machine.
    const local = await new Promise((resolve, reject) => {
      const options = { agent, headers: { host: 'localhost' } };
      request(`${bridge.url}/metrics`, options, (answer) => resolve(answer.resume().statusCode))
        .once('error', reject)
        .end();
    });
    for (const path of [unknownToken, '/health', '/ready', '/metrics'])
      await expect(sendRaw(bridge.url.replace('https', 'http'), { path })).rejects.toThrow();
    agent.destroy();
    await bridge.close();
    expect([seen, local]).toEqual([[401, strict], 200]);
  },
);
