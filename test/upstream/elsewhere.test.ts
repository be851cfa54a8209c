import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { type ClientRequest, createServer, type Server } from 'node:http';
import { openAccessToken, openRefreshToken } from '../../src/domain/grants/sealed-pair.ts';
import { settlePendingRevocations } from '../../src/domain/grants/pending-revocations.ts';
import { SettableClock } from '../support/bridge/settable-clock.ts';
import { startSystem, type System } from '../support/bridge/system.ts';
import { authorizeIn, issueToken, read } from '../support/callers/legacy-calls.ts';
import { portOf } from '../support/servers/free-port.ts';

/** What the bridge sends goes to the new API that it was set up for, and nowhere else (docs/threats.md E98, E106, E107, E127). */

let system: System;
let clock: SettableClock;
let elsewhere: Server;
let otherOrigin = '';
/** What arrived where nothing may arrive. */
let strayed: string[] = [];

beforeAll(async () => {
  elsewhere = createServer((request, response) => {
    strayed.push(`${request.method} ${request.url}`);
    request.resume();
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  elsewhere.on('connect', (request, socket) => {
    strayed.push(`CONNECT ${request.url}`);
    socket.destroy();
  });
  elsewhere.listen(0, '127.0.0.1');
  await once(elsewhere, 'listening');
  otherOrigin = `http://127.0.0.1:${portOf(elsewhere)}`;
  clock = new SettableClock();
  system = await startSystem({ clock, env: { PROFILES_FRESH_SECONDS: '0', LEGACY_RATE_LIMIT: '0' } });
});

afterAll(async () => {
  await system.stop();
  elsewhere.close();
  elsewhere.closeAllConnections();
});

beforeEach(() => {
  strayed = [];
  system.proxy.onTokenAnswer = undefined;
  system.proxy.insteadOfOther = undefined;
  system.proxy.onOtherAnswer = undefined;
  clock.advance(86_400_000);
});

const PATH = '/1/profiles.json';

/** A token whose access token has ended, so that its next call must refresh. */
async function expiredToken(): Promise<string> {
  const token = await issueToken(system);
  expect((await read(system, PATH, token)).status).toBe(200);
  clock.advance(3_700_000);
  return token;
}

const REDIRECTS = [301, 302, 303, 307, 308];

const redirect = (status: number) => ({
  status,
  headers: { location: `${otherOrigin}/token` },
  body: Buffer.from(''),
});

test.each(REDIRECTS)(
  'row E98 a %d of the token endpoint takes neither a refresh nor a code anywhere else',
  async (status) => {
    const token = await expiredToken();
    system.proxy.onTokenAnswer = () => redirect(status);
    const sentBefore = system.proxy.calls.length;
    expect((await read(system, PATH, token)).status).toBe(200);
    const { error } = await authorizeIn(system);
    expect(error).toBe('temporarily_unavailable');
    expect(system.proxy.calls.slice(sentBefore).map(({ grantType }) => grantType)).toEqual([
      'refresh_token',
      'authorization_code',
    ]);
    expect(strayed).toEqual([]);
  },
);

test.each(REDIRECTS)('row E98 a %d of the main API takes no access token anywhere else', async (status) => {
  const token = await issueToken(system);
  system.proxy.insteadOfOther = ({ path }) => (path === '/' ? redirect(status) : undefined);
  expect((await read(system, PATH, token)).status).toBe(503);
  expect(strayed).toEqual([]);
});

test('row E106 addresses in the data of the main API are passed on and never asked', async () => {
  const token = await issueToken(system);
  system.proxy.onOtherAnswer = ({ path }, answer) => {
    if (path !== '/') return answer;
    const text = answer.body.toString().replaceAll(/"avatar":"[^"]*"/g, `"avatar":"${otherOrigin}/a.png"`);
    const { data } = JSON.parse(text) as { data: object };
    const next = { next: `${otherOrigin}/next`, links: { next: `//${new URL(otherOrigin).host}/next` } };
    return { ...answer, body: Buffer.from(JSON.stringify({ data, ...next })) };
  };
  const { status, text } = await read(system, PATH, token);
  expect(status).toBe(200);
  expect(text).toContain(`${otherOrigin}/a.png`);
  expect(text).not.toContain('/next');
  expect(strayed).toEqual([]);
});

test.each(['HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'all_proxy'])(
  'row E107 a proxy that %s names in the environment gets nothing',
  async (name) => {
    const before = { ...process.env };
    Object.assign(process.env, { [name]: otherOrigin, NO_PROXY: '', no_proxy: '' });
    try {
      const token = await expiredToken();
      expect((await read(system, PATH, token)).headers['age']).toBeUndefined();
      await read(system, '/1/user/deauthorize.json', token);
      await settlePendingRevocations(system.bridge.context);
    } finally {
      for (const key of [name, 'NO_PROXY', 'no_proxy']) {
        if (before[key] === undefined) delete process.env[key];
        else process.env[key] = before[key];
      }
    }
    expect(strayed).toEqual([]);
  },
);

/** Every request that this process sends while the work runs, as the address that it asks. */
async function requestsOf(work: () => Promise<void>): Promise<string[]> {
  const seen: string[] = [];
  const see = (message: unknown) => {
    const { request } = message as { request: ClientRequest };
    if (request.getHeader('host') === new URL(system.proxy.origin).host) seen.push(request.path);
  };
  subscribe('http.client.request.start', see);
  try {
    await work();
  } finally {
    unsubscribe('http.client.request.start', see);
  }
  return seen;
}

test('row E127 no address that the bridge asks holds a token, a code or a secret of the new API', async () => {
  const app = await system.registerApp('https://addresses.example/callback');
  const secrets: string[] = [];
  const addresses = await requestsOf(async () => {
    const token = await issueToken(system, { app });
    clock.advance(3_700_000);
    await read(system, PATH, token);
    const { context } = system.bridge;
    const grant = await context.store.durable
      .selectFrom('grants')
      .selectAll()
      .where('client_id', '=', app.clientId)
      .executeTakeFirstOrThrow();
    const [exchanged, refreshed] = system.proxy.calls.slice(-2);
    secrets.push(exchanged?.code ?? '', exchanged?.codeVerifier ?? '', refreshed?.refreshToken ?? '');
    secrets.push(openAccessToken(context, grant));
    secrets.push(openRefreshToken(context, grant));
    await read(system, '/1/user/deauthorize.json', token);
    await settlePendingRevocations(context);
  });
  expect(secrets.filter((secret) => secret.length < 20)).toEqual([]);
  expect(addresses).toEqual(expect.arrayContaining(['/token', '/']));
  // The browser's own way to the consent passes the same proxy.
  const own = addresses.filter((address) => !address.startsWith('/auth?'));
  expect(own.filter((address) => address.includes('?'))).toEqual([]);
  expect(addresses.filter((address) => secrets.some((secret) => address.includes(secret)))).toEqual([]);
});
