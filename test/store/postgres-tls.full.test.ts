import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { openPostgresStore } from '../../src/store/driver/postgres.ts';
import { certificateFor, type ServerCertificate } from '../support/servers/certificates.ts';
import { startPostgres, type TestPostgres } from '../support/database/postgres.ts';
import { startTestBridge } from '../support/bridge/started-bridge.ts';

/** PostgreSQL over TLS, against a server that takes nothing else, and against one that has none. */

const folder = mkdtempSync(join(tmpdir(), 'pg-tls-'));
const AUTHORITY = join(folder, 'authority.pem');
let certificate: ServerCertificate;
let server: TestPostgres;
let plain: TestPostgres;

/** The driver calls it at once. No test sees the event `warning`. */
const warned = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);

beforeAll(async () => {
  certificate = await certificateFor(['localhost']);
  writeFileSync(AUTHORITY, certificate.authority);
  [server, plain] = await Promise.all([startPostgres({ tls: certificate }), startPostgres()]);
});

afterAll(async () => {
  warned.mockRestore();
  await Promise.all([server.stop(), plain.stop()]);
  rmSync(folder, { recursive: true });
});

/** The certificate is for the name, not for the number of the address. */
function addressOf({ url }: TestPostgres, query: Record<string, string>, host = 'localhost'): string {
  const address = new URL(url);
  address.hostname = host;
  address.search = new URLSearchParams(query).toString();
  return address.href;
}

/** What the start says, or the TLS version that connections use. */
async function opened(address: string): Promise<string> {
  try {
    const store = await openPostgresStore(address);
    const row = await store.first<{ version: string }>(
      'select version from pg_stat_ssl where pid = pg_backend_pid() and ssl',
      [],
    );
    await store.close();
    return row?.version ?? 'in the clear';
  } catch (error) {
    return (error as Error).message;
  }
}

test.each(['prefer', 'require', 'verify-ca', 'verify-full'])(
  'sslmode=%s checks the certificate and the name',
  async (sslmode) => {
    const known = { sslmode, sslrootcert: AUTHORITY };
    expect(await opened(addressOf(server, known))).toMatch(/^TLSv1/);
    expect(await opened(addressOf(server, { sslmode }))).toBe(
      'DATABASE_URL: this machine does not trust the certificate of the server: name its authority with sslrootcert=FILE',
    );
    expect(await opened(addressOf(server, known, '127.0.0.1'))).toMatch(
      /^DATABASE_URL: .*its certificate is for another host name/,
    );
    expect(warned).not.toHaveBeenCalled();
  },
);

test('what libpq understands by require and verify-ca is there for who writes so', async () => {
  const lenient = { uselibpqcompat: 'true' };
  expect(await opened(addressOf(server, { ...lenient, sslmode: 'require' }))).toMatch(/^TLSv1/);
  const authority = { ...lenient, sslmode: 'verify-ca', sslrootcert: AUTHORITY };
  expect(await opened(addressOf(server, authority, '127.0.0.1'))).toMatch(/^TLSv1/);
  expect(await opened(addressOf(server, { sslmode: 'no-verify' }, '127.0.0.1'))).toMatch(/^TLSv1/);
});

test('a server without TLS is not talked to where TLS is said, and without a word it is', async () => {
  for (const sslmode of ['require', 'verify-full', 'no-verify'])
    expect(await opened(addressOf(plain, { sslmode }))).toMatch(/^DATABASE_URL: .*does not support SSL/);
  expect(await opened(addressOf(plain, { sslmode: 'disable' }))).toBe('in the clear');
  expect(await opened(addressOf(plain, {}))).toBe('in the clear');
  expect(await opened(addressOf(server, { sslmode: 'disable' }))).toMatch(
    /^DATABASE_URL: no pg_hba.conf entry/,
  );
});

test('a file of an authority that is not there is named', async () => {
  const query = { sslmode: 'verify-full', sslrootcert: join(folder, 'nowhere.pem') };
  expect(await opened(addressOf(server, query))).toMatch(
    /^DATABASE_URL: the file \S+nowhere\.pem of sslrootcert, sslcert or sslkey cannot be read \(ENOENT\)\. Correct the path/,
  );
  expect(await opened(addressOf(server, { ...query, sslrootcert: folder }))).toMatch(
    /^DATABASE_URL: the file of sslrootcert, .* \(EISDIR\)/,
  );
});

test('the whole bridge starts, serves and stops on connections over TLS alone', async () => {
  const bridge = await startTestBridge({
    settings: {
      VAR_DIR: mkdtempSync(join(folder, 'var-')),
      PORT: '0',
      MODERN_AUTH_URL: 'http://127.0.0.1:9',
      MODERN_API_URL: 'http://127.0.0.1:9',
      MODERN_CLIENT_ID: 'bridge',
      DATABASE_URL: addressOf(server, { sslmode: 'verify-full', sslrootcert: AUTHORITY }),
    },
  });
  const ready = await fetch(`${bridge.url}/ready`);
  expect(await ready.json()).toEqual({ ready: true });
  await bridge.close();
});

// The last test, because the driver warns once. Without it the silence above would prove nothing.
test('an address whose meaning is not fixed brings the warning', () => {
  void new pg.Client({ connectionString: addressOf(plain, { sslmode: 'prefer' }) });
  expect(warned).toHaveBeenCalledTimes(1);
});
