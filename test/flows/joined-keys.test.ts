import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addKeyToFile, loadKeys, makeKeysFile, removeKeyFromFile } from '../../src/store/files/keys-file.ts';
import { PURPOSES } from '../../src/shared/secrets.ts';
import { readDocument } from '../support/guidance.ts';

/** The lines of the document that join two key files, after a restore of a backup from before a rotation. */

const folder = mkdtempSync(join(tmpdir(), 'joined-keys-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('two files of one bridge become one with the keys of both, which others cannot read', () => {
  const older = join(folder, 'OLDER.json');
  const newer = join(folder, 'NEWER.json');
  const joined = join(folder, 'JOINED.json');
  makeKeysFile(older);
  copyFileSync(older, newer);
  addKeyToFile(newer, 'knew');
  addKeyToFile(older, 'kold');
  removeKeyFromFile(newer, 'session', 'k1');

  const [, block = ''] = /```\n(umask 077[^]*?)```/.exec(readDocument('docs/operate/backup.md')) ?? [];
  execFileSync('bash', ['-ec', block], { cwd: folder });

  const [keys, before, after] = [loadKeys(joined), loadKeys(older), loadKeys(newer)];
  for (const purpose of PURPOSES) {
    const ids = keys[purpose].map(({ id }) => id);
    expect(ids.toSorted()).toEqual(['k1', 'knew', 'kold']);
    for (const key of [...before[purpose], ...after[purpose]]) expect(keys[purpose]).toContainEqual(key);
  }
  expect(statSync(joined).mode & 0o777).toBe(0o600);
});
