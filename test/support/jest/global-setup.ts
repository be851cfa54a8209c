import { createServer } from 'node:http';
import { buildProgram } from '../../processes/running-program.ts';
import { portOf } from '../servers/free-port.ts';
import { startPostgres, type TestPostgres } from '../database/postgres.ts';
import { testMode } from './test-mode.ts';

/**
 * One PostgreSQL for the whole run, started when a test first asks for a database (most runs of one file never do), and
 * one build for tests against the built bridge.
 */
export default async function setUp(): Promise<void> {
  if (testMode.isSpawned) await buildProgram();
  let started: Promise<TestPostgres> | undefined;
  const onDemand = createServer((_request, answer) => {
    started ??= startPostgres();
    started.then(
      ({ url }) => answer.end(url),
      (error: unknown) => answer.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((resolve) => onDemand.listen(0, '127.0.0.1', resolve));
  process.env['TEST_POSTGRES_ON_DEMAND'] = `http://127.0.0.1:${portOf(onDemand)}`;
  globalThis.stopTestPostgres = async () => {
    onDemand.close();
    await started?.then(
      (postgres) => postgres.stop(),
      () => undefined,
    );
  };
}

declare global {
  var stopTestPostgres: (() => Promise<void>) | undefined;
}
