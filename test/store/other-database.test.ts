import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findOtherDatabase } from '../../src/domain/instance/other-database.ts';
import { openEpochFile } from '../../src/store/files/epoch-file.ts';

/** Whether a take-over may make a VAR_DIR forget the SQLite database that it belongs to. */

let folder: string;
const at = (...parts: string[]) => join(folder, ...parts);
const open = (varDir: string, file: string) =>
  openEpochFile(at(varDir, 'epoch.json'), { kind: 'sqlite', file: at(file) });

/** A production that has served, and an asker that looks from a copy. */
function remember(file: string): void {
  writeFileSync(at(file), '');
  const memory = open('var', file);
  memory.write({ id: 'a', epoch: 1, database: memory.nameOf('') });
}

const seenFromCopy = (varDir = 'var') => findOtherDatabase(open(varDir, 'copy.db'));

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'other-database-'));
  for (const name of ['var', 'data']) mkdirSync(at(name));
});
afterEach(() => rmSync(folder, { recursive: true }));

test.each(['var/bridge.db', 'data/bridge.db'])('not while %s is there, by a link neither', async (file) => {
  remember(file);
  expect(await seenFromCopy()).toBe(at(file));
  symlinkSync(at('var'), at('link'));
  expect(await seenFromCopy('link')).toBe(at(file));
});

test('it may where the file lay in VAR_DIR and is gone', async () => {
  remember('var/bridge.db');
  rmSync(at('var/bridge.db'));
  expect(await seenFromCopy()).toBeUndefined();
});

test('not where the file lies outside VAR_DIR and is not seen, as from beside a container', async () => {
  remember('data/bridge.db');
  renameSync(at('data'), at('volume'));
  expect(await seenFromCopy()).toBe('a SQLite file outside VAR_DIR that this machine does not see');
});

test('the database itself may, wherever both were moved', async () => {
  remember('data/bridge.db');
  mkdirSync(at('new'));
  for (const name of ['var', 'data']) renameSync(at(name), at('new', name));
  expect(await findOtherDatabase(open('new/var', 'new/data/bridge.db'))).toBeUndefined();
});
