import { once } from 'node:events';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { connect } from 'node:tls';
import { type RunningServer, startServer } from '../../src/http/server.ts';
import { createLogger } from '../../src/shared/log/logger.ts';
import { certificateFor, type ServerCertificate } from '../support/servers/certificates.ts';
import { until } from '../support/servers/held-answer.ts';

/** A certificate that was renewed is served without a restart; one that is not usable changes nothing. */

const folder = mkdtempSync(join(tmpdir(), 'certificate-renewal-'));
const [certFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
const lines: string[] = [];
let server: RunningServer;
let first: ServerCertificate;
let second: ServerCertificate;

function put({ cert, key }: Pick<ServerCertificate, 'cert' | 'key'>): void {
  writeFileSync(certFile, cert);
  writeFileSync(keyFile, key);
}

const certificateOf = (name: string) => certificateFor([name, 'bridge.test']);

/** The name that the certificate of a new connection bears, which is to be of this authority. */
async function servedName({ authority }: ServerCertificate): Promise<string> {
  const socket = connect({
    port: server.port,
    host: '127.0.0.1',
    servername: 'bridge.test',
    ca: authority,
  });
  await once(socket, 'secureConnect');
  const { subject } = socket.getPeerCertificate();
  socket.destroy();
  return String(subject.CN);
}

beforeAll(async () => {
  first = await certificateOf('first.test');
  put(first);
  const stream = new PassThrough().on('data', (chunk) => lines.push(String(chunk)));
  const logger = createLogger({ level: 'debug', name: 'bridge', stream });
  const tls = { certFile, keyFile };
  server = await startServer({ host: '127.0.0.1', port: 0, tls, logger }, (_req, res) => res.end());
});

afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

test('new connections get the new certificate', async () => {
  expect(await servedName(first)).toBe('first.test');
  second = await certificateOf('second.test');
  put(second);
  await until(() => lines.some((line) => line.includes('the certificate was read anew')));
  expect(await servedName(second)).toBe('second.test');
});

test('a renewal whose two files come some looks apart calls nobody', async () => {
  const before = lines.length;
  const next = await certificateOf('later.test');
  writeFileSync(certFile, next.cert);
  await until(() => lines.slice(before).some((line) => line.includes('not usable yet')));
  expect(await servedName(second)).toBe('second.test');
  writeFileSync(keyFile, next.key);
  await until(() => lines.slice(before).some((line) => line.includes('the certificate was read anew')));
  expect(await servedName(next)).toBe('later.test');
  expect(lines.filter((line) => line.includes('ALARM'))).toEqual([]);
  second = next;
});

test('the key of another one is told by its setting, and the one read before serves on', async () => {
  writeFileSync(keyFile, (await certificateOf('third.test')).key);
  const alarm = () => lines.find((line) => line.includes('ALARM: the certificate was changed'));
  await until(() => alarm() !== undefined, 60_000);
  expect(alarm()).toContain('is not the key of the certificate in TLS_CERT_FILE');
  expect(await servedName(second)).toBe('later.test');
  expect(server.isCertificateUsable()).toBe(false);
  const told = lines.length;
  put(second);
  await until(() => lines.slice(told).some((line) => line.includes('the certificate was read anew')));
  expect(lines.slice(told).find((line) => line.includes('read anew'))).toContain('"level":"warn"');
  expect(server.isCertificateUsable()).toBe(true);
}, 90_000);

test('a folder of files that is away and comes back ends the alarm', async () => {
  const [away, told] = [`${folder}-away`, lines.length];
  renameSync(folder, away);
  await until(() => !server.isCertificateUsable(), 60_000);
  expect(await servedName(second)).toBe('later.test');
  renameSync(away, folder);
  await until(() => server.isCertificateUsable(), 60_000);
  const ends = lines.slice(told).filter((line) => line.includes('"level":"warn"'));
  expect(ends).toEqual([expect.stringContaining('the files of the certificate that serves are there again')]);
}, 150_000);
