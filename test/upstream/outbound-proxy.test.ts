import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer, type IncomingMessage } from 'node:http';
import { createServer } from 'node:https';
import { connect, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { connectThrough, goThrough } from '../../src/shared/net/outbound-proxy.ts';
import { certificateFor } from '../support/servers/certificates.ts';
import { portOf } from '../support/servers/free-port.ts';
import { until } from '../support/servers/held-answer.ts';

/** Every way out over HTTPS goes through the proxy of the settings, where a network lets nobody out without one. */

const PROGRAM = resolve(import.meta.dirname, 'programs/through-a-proxy.mjs');
const OUTAGE = resolve(import.meta.dirname, 'programs/proxy-outage.mjs');
/** Calls that the bridge has under way at the old API. */
const PLACES = 64;
const PAIR = { access_token: 'a', refresh_token: 'r2', token_type: 'Bearer', expires_in: 60 };
/** A name that leads nowhere: only a proxy can reach it. */
const HOST = 'new-api.example';

const folder = mkdtempSync(join(tmpdir(), 'proxy-'));
let far: Server;
let proxy: Server;
/** What the proxy was asked for, with its credentials; and the first byte of each tunnel. */
let asked: Array<{ authority: string | undefined; credentials: string | undefined }> = [];
let firstBytes: number[] = [];
/** What the proxy answers. */
let answer = 'HTTP/1.1 200 Connection Established';
let requests: string[] = [];
/** The tunnels that are open, and whether the other end answers. */
const tunnels = new Set<Socket>();
let isSilent = false;

async function startFar(): Promise<Server> {
  const { authority, key, cert } = await certificateFor([HOST, 'localhost']);
  writeFileSync(join(folder, 'authority.pem'), authority);
  return createServer({ key, cert }, (request, response) => {
    requests.push(`${request.method} ${request.url}`);
    request.resume().once('end', () => {
      if (!isSilent) response.setHeader('content-type', 'application/json').end(JSON.stringify(PAIR));
    });
  });
}

function pass(client: Socket): void {
  tunnels.add(client.once('close', () => tunnels.delete(client)));
  const upstream = connect(portOf(far), '127.0.0.1');
  client.once('data', (first: Buffer) => firstBytes.push(first[0] ?? 0));
  upstream.on('error', () => client.destroy()).pipe(client);
  client.on('error', () => upstream.destroy()).pipe(upstream);
}

beforeAll(async () => {
  far = await startFar();
  proxy = createHttpServer().on('connect', ({ url, headers }: IncomingMessage, client: Socket) => {
    // A caller that ends resets what it has open, also where it was refused.
    client.on('error', () => undefined);
    asked.push({ authority: url, credentials: headers['proxy-authorization'] });
    client.write(`${answer}\r\n\r\n`);
    if (answer.includes(' 200 ')) pass(client);
    else client.end();
  });
  for (const server of [far, proxy]) {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  }
});

beforeEach(() => {
  [asked, firstBytes, requests] = [[], [], []];
  isSilent = false;
  answer = 'HTTP/1.1 200 Connection Established';
});

afterAll(() => {
  goThrough(undefined);
  far.close();
  proxy.close();
  rmSync(folder, { recursive: true });
});

const proxyUrl = (user = '') => `http://${user}127.0.0.1:${portOf(proxy)}`;

async function takeEveryWay(url: string, { host = HOST, except = [] as string[] } = {}): Promise<unknown> {
  const order = JSON.stringify({ proxy: { url, except }, origin: `https://${host}:${portOf(far)}` });
  const env = { NODE_EXTRA_CA_CERTS: join(folder, 'authority.pem') };
  const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, order], { env, timeout: 30_000 });
  return JSON.parse(stdout);
}

test('refreshes, reads and passed calls reach the other end, encrypted, with the credentials for the proxy alone', async () => {
  const found = await takeEveryWay(proxyUrl('user:p%40ss@'));
  expect(found).toEqual({ refresh: 200, read: 200, readAgain: 200, pass: 200 });
  const authority = `${HOST}:${portOf(far)}`;
  const credentials = `Basic ${Buffer.from('user:p@ss').toString('base64')}`;
  // One connection for the refresh, one for both reads, one to the old API.
  expect(asked).toEqual(Array.from({ length: 3 }, () => ({ authority, credentials })));
  const TLS_HANDSHAKE = 0x16;
  expect(firstBytes).toEqual([TLS_HANDSHAKE, TLS_HANDSHAKE, TLS_HANDSHAKE]);
  expect(requests).toEqual(['POST /token', 'GET /read', 'GET /read', 'GET /1/x.json']);
});

test.each(['407 Proxy Authentication Required', '502 Bad Gateway'])(
  'where the proxy answers %s nothing is sent, and the reason says so',
  async (status) => {
    answer = `HTTP/1.1 ${status}`;
    const found = (await takeEveryWay(proxyUrl())) as Record<string, string>;
    const reason = `the proxy of HTTPS_PROXY answered ${status.slice(0, 3)}`;
    expect(Object.values(found)).toEqual(Array.from({ length: 4 }, () => expect.stringContaining(reason)));
    expect(found['refresh']).toMatch(/^Unavailable/);
    expect(requests).toEqual([]);
  },
);

test('this machine is reached without the proxy, and so is a host of NO_PROXY', async () => {
  expect(await takeEveryWay(proxyUrl(), { host: 'localhost' })).toMatchObject({ refresh: 200, pass: 200 });
  expect(await takeEveryWay(proxyUrl(), { except: [HOST] })).toMatchObject({
    refresh: expect.stringContaining('ENOTFOUND') as string,
  });
  expect(asked).toEqual([]);
});

test('an outage of the proxy ends the calls that wait for it, one by one, and keeps none of their places', async () => {
  isSilent = true;
  const order = { proxy: { url: proxyUrl(), except: [] }, origin: `https://${HOST}:${portOf(far)}` };
  const env = { NODE_EXTRA_CA_CERTS: join(folder, 'authority.pem') };
  const calls = 150;
  const running = promisify(execFile)(process.execPath, [OUTAGE, JSON.stringify({ ...order, calls })], {
    env,
  });
  await until(() => requests.length >= PLACES);
  answer = 'HTTP/1.1 502 Bad Gateway';
  for (const tunnel of tunnels) tunnel.destroy();
  const ended = JSON.parse((await running).stdout) as Record<string, number>;
  const all = Object.values(ended).reduce((sum, count) => sum + count, 0);
  expect({ all, refused: ended['the proxy of HTTPS_PROXY answered 502'] }).toEqual({
    all: calls,
    refused: calls - PLACES,
  });
});

const DIRECT: Array<[entry: string, host: string]> = [
  ['*', 'anywhere.example'],
  ['api.example', 'api.example'],
  ['API.example', 'api.EXAMPLE'],
  ['example', 'api.example'],
  ['.example', 'api.example'],
  ['*.example', 'api.example'],
  ['api.example:443', 'api.example'],
  ['192.0.2.7', '192.0.2.7'],
  ['2001:DB8:0::7', '2001:db8::7'],
  ['[2001:db8::7]', '2001:db8::7'],
  ['[2001:db8::7]:443', '2001:db8::7'],
  ['10.0.0.0/8', '10.200.3.4'],
  ['2001:db8::/32', '2001:db8:1::7'],
  ['api.example.', 'api.example'],
];

test.each(DIRECT)('NO_PROXY=%s holds for %s', (entry, host) => {
  goThrough({ url: proxyUrl(), except: ['other.example', entry] });
  expect(connectThrough({ host, port: 443 })).toBeUndefined();
});

const THROUGH: Array<[entry: string, host: string]> = [
  ['pi.example', 'api.example'],
  ['api.example:8443', 'api.example'],
  ['2.7', '192.0.2.7'],
  ['192.0.2.70', '192.0.2.7'],
  ['10.0.0.0/8', '11.0.0.1'],
  ['10.0.0.0/8', 'api.example'],
  ['[2001:db8::7]:444', '192.0.2.7'],
];

test.each(THROUGH)('NO_PROXY=%s does not hold for %s', async (entry, host) => {
  goThrough({ url: proxyUrl(), except: [entry] });
  const tunnel = await connectThrough({ host, port: 443 });
  expect(asked).toEqual([{ authority: `${host}:443`, credentials: undefined }]);
  tunnel?.destroy();
});
