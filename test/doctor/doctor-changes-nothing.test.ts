import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Sqlite } from '../../src/shared/sqlite.ts';
import { showDates } from '../../src/cli/commands/dates/dates.ts';
import { doctor } from '../../src/cli/commands/doctor.ts';
import type { CheckFinding } from '../../src/domain/checks/verdict.ts';
import { migrateDatabase } from '../../src/cli/commands/database/migrate.ts';

/** `doctor` is a look: what the settings ask of a start, only a start does. */

const before = process.env;
const folder = mkdtempSync(join(tmpdir(), 'doctor-look-'));

afterAll(() => {
  process.env = before;
  rmSync(folder, { recursive: true });
});

test('it leaves the dates as they are: those of the settings come with the next start', async () => {
  process.env = { VAR_DIR: folder, LOG_LEVEL: 'error', LEGACY_RETIREMENT_AT: '2099-05-01' };
  await migrateDatabase({});
  const findings = (await doctor()).json['findings'] as CheckFinding[];
  expect(findings.find(({ check }) => check === 'dates')).toEqual({
    check: 'dates',
    state: 'ok',
    detail:
      'deprecation not set, retirement not set, sunset not set. The next start of the bridge sets LEGACY_RETIREMENT_AT (retirement)',
  });
  expect((await showDates()).lines).toEqual([
    'deprecation not set',
    'retirement  not set',
    'sunset      not set',
  ]);
});

test('it makes no key known to the database that it finds in the file', async () => {
  const file = join(folder, 'keys.json');
  const keys = JSON.parse(readFileSync(file, 'utf8')) as { digest: unknown[] };
  keys.digest.push({ id: 'k9', secret: randomBytes(32).toString('base64url') });
  const other = join(folder, 'other-keys.json');
  writeFileSync(other, JSON.stringify(keys), { mode: 0o600 });
  process.env = { VAR_DIR: folder, LOG_LEVEL: 'error', KEYS_FILE: other };
  const findings = (await doctor()).json['findings'] as CheckFinding[];
  expect(findings.find(({ check }) => check === 'database')).toMatchObject({ state: 'ok' });
  const db = new Sqlite(join(folder, 'bridge.db'), { readonly: true });
  expect(db.prepare('select distinct id from keys').pluck().all()).toEqual(['k1']);
  db.close();
});
