import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
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

beforeAll(async () => {
  const { authority, key, cert } = await certificateFor(['localhost']);
  writeFileSync(join(folder, 'authority.pem'), authority);
  server = createServer({ key, cert }, (request, response) => {
    requests += 1;
    request
      .resume()
      .once('end', () => response.setHeader('content-type', 'application/json').end(JSON.stringify(PAIR)));
  });
  server.listen(0, 'localhost');
  await once(server, 'listening');
});

afterAll(() => {
  server.close();
  server.closeAllConnections();
  rmSync(folder, { recursive: true });
});

async function run(env: Record<string, string>): Promise<unknown> {
  const url = `https://localhost:${portOf(server)}`;
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
