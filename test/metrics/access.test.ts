import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { issueToken, read } from '../support/callers/legacy-calls.ts';
import { sendRaw } from '../support/callers/raw-request.ts';
import { startSystem, type System } from '../support/bridge/system.ts';
import { until } from '../support/servers/held-answer.ts';
import { scrape, sumOf } from './support/scrape.ts';

/** Who may read `/metrics`: this machine without a proxy in between, and whoever bears METRICS_TOKEN. */

const TOKEN = 'a-token-of-the-tests-4711';
let guarded: System;
let open: System;
let proxied: System;

beforeAll(async () => {
  guarded = await startSystem({ env: { METRICS_TOKEN: TOKEN, LEGACY_RATE_LIMIT: '1' } });
  open = await startSystem();
  proxied = await startSystem({ env: { TRUST_PROXY: '127.0.0.1' } });
});

afterAll(() => Promise.all([guarded, open, proxied].map((system) => system.stop())));

const ask = ({ bridgeUrl }: System, headers: Record<string, string> = {}, method = 'GET') =>
  sendRaw(bridgeUrl, { path: '/metrics', headers, method });

const bearing = (token: string) => ({ authorization: `Bearer ${token}` });

/** Every way in which a proxy on the same machine may tell that it passes on a call. */
const TOLD: Array<[string, Record<string, string>]> = [
  ['X-Forwarded-For', { 'x-forwarded-for': '203.0.113.7' }],
  ['X-Forwarded-For that names this machine', { 'x-forwarded-for': '127.0.0.1' }],
  ['X-Forwarded-Host', { 'x-forwarded-host': 'bridge.example' }],
  ['Forwarded', { forwarded: 'for=203.0.113.7' }],
  ['X-Real-IP', { 'x-real-ip': '203.0.113.7' }],
  ['Via', { via: '1.1 proxy' }],
  ['CF-Connecting-IP', { 'cf-connecting-ip': '203.0.113.7' }],
  ['the Host of its caller', { host: 'bridge.example' }],
];

test('this machine reads the metrics, in the form that Prometheus reads', async () => {
  const { status, headers, text } = await ask(open);
  expect([status, headers['content-type']]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8']);
  expect(text).toContain('# TYPE grantbridge_calls_total counter');
  expect(headers['cache-control']).toBe('no-store');
});

test.each(TOLD)('a proxy on this machine with %s is no way in', async (_, headers) => {
  const { status, text } = await ask(open, headers);
  expect([status, text]).toEqual([404, 'not found\n']);
});

test.each(TOLD)('with METRICS_TOKEN it is one, through a proxy with %s', async (_, headers) => {
  expect((await ask(guarded, headers)).status).toBe(404);
  expect((await ask(guarded, { ...headers, ...bearing(TOKEN) })).status).toBe(200);
});

test('a trusted proxy on this machine is no way in, even where it tells nothing', async () => {
  expect((await ask(proxied)).status).toBe(404);
  expect((await ask(proxied, { 'x-forwarded-proto': 'https' })).status).toBe(404);
});

test('a real proxy in front of the bridge is no way in', async () => {
  const proxy = await passOn(open.bridgeUrl);
  const { port } = proxy.address() as AddressInfo;
  const answer = await sendRaw(`http://127.0.0.1:${port}`, { path: '/metrics' });
  proxy.close();
  expect(answer.status).toBe(404);
});

/** Passes every call on as reverse proxies do. */
async function passOn(target: string): Promise<Server> {
  const server = createServer((req, res) => {
    const headers = { ...req.headers, 'x-forwarded-for': req.socket.remoteAddress ?? '' };
    request(new URL(req.url ?? '', target), { headers, method: req.method ?? 'GET' }, (answer) => {
      res.writeHead(answer.statusCode ?? 502);
      answer.pipe(res);
    }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

const WRONG: Array<[string, Record<string, string>]> = [
  ['another token', bearing('another-token-of-tests-47')],
  ['the beginning of the token', bearing(TOKEN.slice(0, -1))],
  ['one character of the token', bearing(TOKEN.slice(0, 1))],
  ['the token and more', bearing(`${TOKEN}x`)],
  ['an empty token', { authorization: 'Bearer ' }],
  ['the token as a password', { authorization: `Basic ${btoa(`:${TOKEN}`)}` }],
  ['the token without its scheme', { authorization: TOKEN }],
];

test.each(WRONG)('%s is refused', async (_, headers) => {
  expect((await ask(guarded, { ...headers, via: '1.1 proxy' })).status).toBe(404);
});

test('the token in the query is refused: addresses are written into logs', async () => {
  const path = `/metrics?token=${TOKEN}&access_token=${TOKEN}`;
  expect((await sendRaw(guarded.bridgeUrl, { path, headers: { via: '1.1 proxy' } })).status).toBe(404);
});

test.each(['POST', 'HEAD', 'OPTIONS'])('%s tells nobody anything', async (method) => {
  const { status, text } = await ask(guarded, bearing(TOKEN), method);
  expect([status, text]).toEqual([404, method === 'HEAD' ? '' : 'not found\n']);
});

test('a call above the limit of its app counts as limited', async () => {
  const token = await issueToken(guarded);
  const limited = async () =>
    sumOf(await scrape(guarded.bridgeUrl), 'grantbridge_calls_total', { outcome: 'limited' });
  expect(await limited()).toBe(0);
  await until(async () => (await read(guarded, '/1/profiles.json', token)).status === 429);
  await until(async () => (await limited()) > 0);
});
