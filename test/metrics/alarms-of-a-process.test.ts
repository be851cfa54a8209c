import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { startSystem, type System } from '../../src/app/system.ts';
import { readConfig } from '../../src/config/config.ts';
import { createLogger, type Logger } from '../../src/shared/log/logger.ts';
import { chooseDatabase } from '../support/bridge/started-bridge.ts';
import { freePort } from '../support/servers/free-port.ts';
import { scrape, sumOf } from './support/scrape.ts';

/** A process that serves by itself counts the alarms of its entry too, such as of an error that nobody caught. */

let varDir: string;
let url: string;
let logger: Logger;
let system: System;
let database: Awaited<ReturnType<typeof chooseDatabase>>;

beforeAll(async () => {
  varDir = mkdtempSync(join(tmpdir(), 'alarms-'));
  url = `http://127.0.0.1:${await freePort()}`;
  database = await chooseDatabase();
  const config = readConfig({
    PORT: new URL(url).port,
    PUBLIC_URL: url,
    VAR_DIR: varDir,
    MODERN_AUTH_URL: 'http://127.0.0.1:9',
    MODERN_API_URL: 'http://127.0.0.1:9',
    MODERN_CLIENT_ID: 'bridge',
    WORKERS: '1',
    ...database.settings,
  });
  logger = createLogger({ level: 'error', name: 'bridge', stream: new PassThrough().resume() });
  system = await startSystem(config, logger);
});

afterAll(async () => {
  await system.close();
  await database.remove();
  rmSync(varDir, { recursive: true, force: true });
});

const ends = async () => sumOf(await scrape(url), 'grantbridge_alarms_total', { alarm: 'process_end' });

test('an alarm on the logger of the process counts', async () => {
  expect(await ends()).toBe(0);
  logger.error('ALARM: an error that nobody caught ends the process');
  expect(await ends()).toBe(1);
});
