import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { showDates } from '../../src/commands/dates.ts';
import { doctor } from '../../src/commands/doctor.ts';
import type { Finding } from '../../src/commands/doctor/verdict.ts';
import { migrateDatabase } from '../../src/commands/migrate.ts';

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
  const findings = (await doctor()).json['findings'] as Finding[];
  expect(findings.find(({ check }) => check === 'dates')).toEqual({
    check: 'dates',
    state: 'ok',
    detail:
      'deprecation not set, retirement not set, sunset not set; the next start of the bridge sets LEGACY_RETIREMENT_AT (retirement)',
  });
  expect((await showDates()).lines).toEqual([
    'deprecation not set',
    'retirement  not set',
    'sunset      not set',
  ]);
});
