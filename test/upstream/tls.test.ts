import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type ServerOptions } from 'node:https';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { certificateFor } from '../support/servers/certificates.ts';
import { portOf } from '../support/servers/free-port.ts';

/**
 * The modern side over TLS, as in production (docs/threats.md E99). The program runs the build, see
 * scripts/ensure-ready.
 */

const PROGRAM = resolve(import.meta.dirname, 'programs/refresh-over-tls.mjs');
const PAIR = { access_token: 'a', refresh_token: 'r2', token_type: 'Bearer', expires_in: 60 };

const folder = mkdtempSync(join(tmpdir(), 'tls-'));
let server: Server;
let requests = 0;

/** A token endpoint over TLS; its authority is written to the file of this name. */
async function startServer(
  name: string,
  certified: ReturnType<typeof certificateFor>,
  options: ServerOptions = {},
) {
  const { authority, key, cert } = await certified;
  writeFileSync(join(folder, name), authority);
  const started = createServer({ key, cert, ...options }, (request, response) => {
    requests += 1;
    request
      .resume()
      .once('end', () => response.setHeader('content-type', 'application/json').end(JSON.stringify(PAIR)));
  });
  started.listen(0, 'localhost');
  await once(started, 'listening');
  return started;
}

function stopServer(started: Server): void {
  started.close();
  started.closeAllConnections();
}

beforeAll(async () => {
  server = await startServer('authority.pem', certificateFor(['localhost']));
});

afterAll(() => {
  stopServer(server);
  rmSync(folder, { recursive: true });
});

async function run(env: Record<string, string>, asked = server): Promise<unknown> {
  const url = `https://localhost:${portOf(asked)}`;
  const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, url], { env, timeout: 10_000 });
  return JSON.parse(stdout);
}

test('five refreshes over TLS are answered and leave no connection open', async () => {
  const answer = await run({ NODE_EXTRA_CA_CERTS: join(folder, 'authority.pem') });
  expect(answer).toEqual({ refreshed: 5, sockets: 0 });
});

test('a certificate that nobody trusts is refused before anything is sent', async () => {
  const before = requests;
  expect(await run({})).toEqual({ failed: 'Unavailable' });
  expect(requests).toBe(before);
});

const DAY = 86_400_000;
const ended = { notBeforeDate: new Date(Date.now() - 2 * DAY), notAfterDate: new Date(Date.now() - DAY) };

const REFUSED: Array<[what: string, Parameters<typeof certificateFor>, ServerOptions]> = [
  ['whose certificate has ended', [['localhost'], ended], {}],
  ['whose certificate is of another host', [['elsewhere.example']], {}],
  [
    'that speaks TLS 1.1 at most',
    [['localhost']],
    { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' },
  ],
];

test.each(REFUSED)('row E99 a server %s gets nothing, though its authority is trusted', async (...given) => {
  const [, certified, options] = given;
  const other = await startServer('other.pem', certificateFor(...certified), options);
  const before = requests;
  const failed = await run({ NODE_EXTRA_CA_CERTS: join(folder, 'other.pem') }, other);
  stopServer(other);
  expect(failed).toEqual({ failed: 'Unavailable' });
  expect(requests).toBe(before);
});
