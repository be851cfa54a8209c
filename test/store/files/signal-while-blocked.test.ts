import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A signal that comes while the process is blocked is heard before the file gets its name. */

const program = join(import.meta.dirname, '../programs/blocked-draft.ts');
const folder = mkdtempSync(join(tmpdir(), 'blocked-draft-'));

afterAll(() => rmSync(folder, { recursive: true }));

test('a file that is checked in one piece is not put in place after a signal', () => {
  const args = ['--import', 'tsx', program, join(folder, 'file')];
  const { signal, stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  expect({ signal, stdout, left: readdirSync(folder) }).toEqual({ signal: 'SIGTERM', stdout: '', left: [] });
});
