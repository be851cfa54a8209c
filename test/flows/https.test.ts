import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { freePort } from '../support/free-port.ts';
import { sendRaw } from '../support/raw-request.ts';
import { startTestBridge } from '../support/started-bridge.ts';

/** All old calls must use HTTPS (specification 5.10.2): by the bridge itself, by a named proxy, or loopback alone. */

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

test('a header from an address that is not a named proxy changes nothing', async () => {
  const bridge = await bridgeWith({ TRUST_PROXY: '10.0.0.1' });
  const headers = { 'x-forwarded-proto': 'http', 'x-forwarded-host': 'evil.example', host: 'evil.example' };
  const answer = await sendRaw(bridge.url, { path: unknownToken, headers });
  await bridge.close();
  expect(answer.status).toBe(401);
});

test('with a certificate of its own the bridge serves HTTPS and nothing else', async () => {
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'localhost' }], {
    keyType: 'ec',
    curve: 'P-256',
    algorithm: 'sha256',
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] }],
  });
  const [TLS_CERT_FILE, TLS_KEY_FILE] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  writeFileSync(TLS_CERT_FILE, cert);
  writeFileSync(TLS_KEY_FILE, key);
  const bridge = await bridgeWith({ TLS_CERT_FILE, TLS_KEY_FILE, PUBLIC_URL: 'https://127.0.0.1' });
  const agent = new Agent({ ca: cert });
  const status = await new Promise((resolve, reject) => {
    request(`${bridge.url}${unknownToken}`, { agent }, (answer) => resolve(answer.resume().statusCode))
      .once('error', reject)
      .end();
  });
  await expect(sendRaw(bridge.url.replace('https', 'http'), { path: unknownToken })).rejects.toThrow();
  agent.destroy();
  await bridge.close();
  expect(status).toBe(401);
});
