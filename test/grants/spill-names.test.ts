import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createHash } from 'node:crypto';
import { recoverSpilledPairs } from '../../src/domain/grants/refresh/store-rotated-pair.ts';
import { newHexId, newLegacyToken } from '../../src/shared/ids.ts';
import { createLogger } from '../../src/shared/log/logger.ts';
import { openSpill, type PairOwner } from '../../src/store/files/spill.ts';
import { logLines } from '../support/bridge/log-lines.ts';
import { startSystem, type System } from '../support/bridge/system.ts';

/** An operator finds the files that the log names. The name of a file is nearly as long as a token. */

let system: System;

beforeAll(async () => {
  system = await startSystem();
});
afterAll(() => system.stop());

const pair = { accessTokenSealed: 'a', refreshTokenSealed: 'r', scope: '', accessExpiresAt: 0, refreshAt: 0 };

const filesIn = ({ bridge }: System) => readdirSync(bridge.context.spill.folder);

/**
 * What the log says of the files in the spill, after one look into the folder. A spill says once of each file that it is
 * new, and the job of the system may ask first: so this look has a spill of its own.
 */
async function told(): Promise<Record<string, unknown>> {
  const { context } = system.bridge;
  const { stream, lines } = logLines();
  const logger = createLogger({ level: 'info', name: 'test', stream });
  await recoverSpilledPairs({ ...context, logger, spill: openSpill(context.spill.folder) });
  expect(lines()).toHaveLength(1);
  return JSON.parse(lines()[0] ?? '') as Record<string, unknown>;
}

describe.each([1, 12, 87_600])('the file of a pair of version %i', (version) => {
  test.each<[string, Partial<PairOwner>, (file: string) => Record<string, unknown>]>([
    [
      'another database',
      { address: 'sqlite:/srv/copy.db', ownsFolder: false },
      (file) => ({ files: [file] }),
    ],
    ['this database that cannot be taken back', {}, (file) => ({ file })],
  ])('of %s is named in the log as in the folder', async (_which, changes, fields) => {
    const { spill, instance } = system.bridge.context;
    const owner = { ...instance.pairOwner(), ...changes };
    const entry = { grantId: newHexId(), version, pair, owner };
    await spill.write(entry);
    const [file = ''] = filesIn(system);
    expect(await told()).toMatchObject(fields(file));
    await spill.remove(entry);
    expect(filesIn(system)).toEqual([]);
  });
});

test('a file from the version before pairs named their database is named as in the folder', async () => {
  const { spill } = system.bridge.context;
  const file = `${newHexId()}-12.pair`;
  writeFileSync(join(spill.folder, file), 'broken');
  expect(await told()).toMatchObject({ files: [file] });
  await spill.remove({ file, grantId: '', version: 0, pair });
});

test.each([
  ['a token', () => newLegacyToken().slice(2)],
  ['a short password', () => 'hunter2'],
  ['a name of the version with dashes and a digest', () => `${newHexId()}-12-${'0f'.repeat(6)}`],
  ['a name that begins like one of the bridge', () => `${newHexId()}.1.hunter2`],
])('of a file that a person named by %s the log says a digest alone', async (_what, name) => {
  const { spill } = system.bridge.context;
  const file = `${name()}.pair`;
  writeFileSync(join(spill.folder, file), 'broken');
  const digest = createHash('sha256').update(file).digest('hex').slice(0, 12);
  expect(await told()).toMatchObject({ files: [`sha256:${digest}`] });
  await spill.remove({ file, grantId: '', version: 0, pair });
});
