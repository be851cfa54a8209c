import { createServer } from 'node:http';
import { buildProgram } from '../../processes/running-program.ts';
import { portOf } from '../servers/free-port.ts';
import { makeOriginalDatabase, makeOriginalFile } from '../database/migrated.ts';
import { startPostgres, type TestPostgres } from '../database/postgres.ts';
import { testMode } from './test-mode.ts';

async function startMigratedPostgres(): Promise<TestPostgres> {
  const postgres = await startPostgres();
  await makeOriginalDatabase(postgres.url);
  return postgres;
}

/**
 * One PostgreSQL for the whole run, started when a test first asks for a database (most runs of one file never do), and
 * one build for tests against the built bridge. Beside them the databases that the tests copy (migrated.ts).
 */
export default async function setUp(): Promise<void> {
  if (testMode.isSpawned) await buildProgram();
  let started: Promise<TestPostgres> | undefined;
  const onDemand = createServer((_request, answer) => {
    started ??= startMigratedPostgres();
    started.then(
      ({ url }) => answer.end(url),
      (error: unknown) => answer.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((resolve) => onDemand.listen(0, '127.0.0.1', resolve));
  process.env['TEST_POSTGRES_ON_DEMAND'] = `http://127.0.0.1:${portOf(onDemand)}`;
  const removeFile = await makeOriginalFile();
  globalThis.stopTestDatabases = async () => {
    onDemand.close();
    removeFile();
    await started?.then(
      (postgres) => postgres.stop(),
      () => undefined,
    );
  };
}

declare global {
  var stopTestDatabases: (() => Promise<void>) | undefined;
}
