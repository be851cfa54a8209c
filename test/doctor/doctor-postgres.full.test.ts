import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkDatabase } from '../../src/cli/commands/doctor/database-checks.ts';
import { migrateDatabase } from '../../src/cli/commands/database/migrate.ts';
import { readConfig } from '../../src/config/config.ts';
import { startPostgres, type TestPostgres } from '../support/database/postgres.ts';

/** What `doctor` says of a PostgreSQL server that keeps its commits over a power cut, as those of operators do. */

const before = process.env;
const folder = mkdtempSync(join(tmpdir(), 'doctor-postgres-'));
let server: TestPostgres;

beforeAll(async () => {
  server = await startPostgres({ fsync: true });
  process.env = { VAR_DIR: folder, LOG_LEVEL: 'error', DATABASE_URL: server.url };
  await migrateDatabase({});
}, 60_000);

afterAll(async () => {
  process.env = before;
  await server.stop();
  rmSync(folder, { recursive: true });
});

test('no more is said of it than was asked: it opens and keeps commits', async () => {
  const { state, detail } = await checkDatabase(readConfig());
  expect(state).toBe('ok');
  expect(detail).toMatch(
    /^PostgreSQL at .* opens with these keys and keeps its commits\. Only its server can show whether its files are whole/,
  );
});
