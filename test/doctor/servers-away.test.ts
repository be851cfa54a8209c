import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { examineAll } from '../../src/cli/commands/doctor.ts';
import { readConfig } from '../../src/config/config.ts';
import { certificateFor } from '../support/servers/certificates.ts';
import { freePort, portOf } from '../support/servers/free-port.ts';

/** What `doctor` says of servers that it cannot reach: what Node says, no operator should have to know. */

const before = process.env;
const folder = mkdtempSync(join(tmpdir(), 'servers-away-'));
afterAll(() => {
  process.env = before;
  rmSync(folder, { recursive: true });
});

async function detailsOf(given: Record<string, string>): Promise<(check: string) => string | undefined> {
  const away = { MODERN_AUTH_URL: 'https://no..name', MODERN_API_URL: 'https://no..name' };
  const settings = { ...away, MODERN_CLIENT_ID: 'bridge', VAR_DIR: join(folder, 'var'), LOG_LEVEL: 'error' };
  process.env = { ...settings, ...given };
  const findings = await examineAll(readConfig());
  return (name) => findings.find(({ check }) => check === name)?.detail;
}

async function withServer(server: Server, work: (port: number) => Promise<void>): Promise<void> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  await work(portOf(server));
  server.close();
}

test('a server that is away is said to be so, by the name of its setting, with why', async () => {
  const port = await freePort();
  const nowhere = `http://127.0.0.1:${port}`;
  const mail = { SMTP_URL: `smtp://127.0.0.1:${port}`, MAIL_FROM: 'bridge@localhost.example' };
  const detail = await detailsOf({ LEGACY_BACKEND_URL: nowhere, ...mail });
  const unknown =
    /^MODERN_\w+_URL: https:\/\/no\.\.name cannot be reached: (no|the) name server .* \((ENOTFOUND|EAI_AGAIN)\)$/;
  const refused =
    'nothing listens at the address: the server is stopped, or the port is wrong (ECONNREFUSED)';
  for (const name of ['authorization server', 'new API']) expect(detail(name)).toMatch(unknown);
  for (const name of ['client', 'redirect URI'])
    expect(detail(name)).toContain(
      'could not be checked. MODERN_AUTH_URL: https://no..name cannot be reached',
    );
  expect(detail('old API')).toBe(`LEGACY_BACKEND_URL: ${nowhere} cannot be reached: ${refused}`);
  expect(detail('mail server')).toBe(`SMTP_URL: the mail server cannot be reached: ${refused}`);
});

test('one that refuses the client is quoted, and what it says of the redirect URI is not judged', async () => {
  const server = createHttpServer((req, res) => {
    const isToken = req.method === 'POST';
    res.writeHead(isToken ? 401 : 400, { 'Content-Type': 'application/json' });
    res.end(JSON.stringify(isToken ? { error: 'unauthorized' } : {}));
  });
  await withServer(server, async (port) => {
    const detail = await detailsOf({
      MODERN_AUTH_URL: `http://127.0.0.1:${port}`,
      MODERN_CLIENT_SECRET: 's',
    });
    expect(detail('client')).toContain('(401 unauthorized)');
    expect(detail('client')).not.toContain('invalid_client');
    expect(detail('redirect URI')).toContain('check client');
  });
});

test('one that closes the connection, or does not speak TLS, is said to do so', async () => {
  const closing = createServer((socket) => void socket.on('error', () => undefined).end());
  await withServer(closing, async (port) => {
    const detail = await detailsOf({
      LEGACY_BACKEND_URL: `http://127.0.0.1:${port}`,
    });
    expect(detail('old API')).toMatch(
      /cannot be reached: the server closed the connection without an answer \((ECONNRESET|EPIPE)\)$/,
    );
  });
  const plain = createServer((socket) => void socket.on('error', () => undefined).end('no TLS\n'));
  await withServer(plain, async (port) => {
    const detail = await detailsOf({ MODERN_API_URL: `https://127.0.0.1:${port}` });
    expect(detail('new API')).toMatch(
      /^MODERN_API_URL: \S+ cannot be reached: the server does not speak TLS/,
    );
  });
});

test('a certificate of an authority that this machine does not know is said to be that', async () => {
  const { cert, key } = await certificateFor(['127.0.0.1']);
  await withServer(createTlsServer({ cert, key }), async (port) => {
    const detail = await detailsOf({ MODERN_API_URL: `https://127.0.0.1:${port}` });
    expect(detail('new API')).toMatch(/cannot be reached: this machine does not trust the authority/);
  });
});
