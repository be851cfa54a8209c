import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Sqlite } from '../../../src/shared/sqlite.ts';
import { momentText } from '../../../src/shared/moments.ts';
import { freePort } from '../../support/servers/free-port.ts';
import { run } from './operator-command.ts';
import { buildProgram } from '../running-program.ts';

/** `doctor` says that refreshing is stopped, since when and when the next try is; that fails nothing. */

const MINUTE = 60_000;
const folder = mkdtempSync(join(tmpdir(), 'doctor-refreshing-'));
let settings: Record<string, string>;

beforeAll(async () => {
  await buildProgram();
  const away = `http://127.0.0.1:${await freePort()}`;
  settings = {
    VAR_DIR: folder,
    PUBLIC_URL: 'http://localhost:3000',
    MODERN_AUTH_URL: away,
    MODERN_API_URL: away,
    MODERN_CLIENT_ID: 'bridge',
  };
  await run(settings, 'migrate');
});

afterAll(() => rmSync(folder, { recursive: true }));

async function lineOfDoctor(): Promise<string | undefined> {
  const { output } = await run(settings, 'doctor');
  return output.split('\n').find((line) => line.includes('refreshing:'));
}

test('that it goes on', async () => {
  expect(await lineOfDoctor()).toBe('ok      refreshing: refreshing is not stopped');
});

test('that it is stopped, since when, and when the next refresh is tried', async () => {
  const [since, next] = [Date.now() - MINUTE, Date.now() + 4 * MINUTE];
  const database = new Sqlite(join(folder, 'bridge.db'), { fileMustExist: true });
  database
    .prepare('update refresh_breaker set tripped_at = ?, next_at = ?, pause = ?')
    .run(since, next, next);
  database.close();
  const line = await lineOfDoctor();
  expect(line).toContain('WARNING refreshing: Refreshing has been stopped since');
  expect(line).toContain(momentText(since));
  expect(line).toContain(`tries one refresh from ${momentText(next)} on`);
});
