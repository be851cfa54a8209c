import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { copyBuild } from '../shared/build-copy.ts';
import type { Sabotage } from './options.ts';

/** The newer version, wrong in one way. */

/** As if there were no drain: whoever is told to stop is gone, with every call that it had accepted. */
const CLOSES_AT_ONCE = "process.once('SIGTERM', () => process.exit(0));";

/** Names of the crash campaign's builds (../shared/programs/sabotage.mjs). */
const CAMPAIGN_NAMES: Partial<{ [sabotage in Sabotage]: string }> = {
  'second-send': 'second-send',
  'pair-dropped': 'pair-dropped',
};

/** A copy of the build whose program sets itself up wrongly before it starts. */
export function buildSabotaged(sabotage: Sabotage): string {
  const folder = copyBuild({});
  const name = CAMPAIGN_NAMES[sabotage];
  const lines = [
    "process.env.CAMPAIGN_JOURNAL = '/dev/null';",
    name === undefined ? CLOSES_AT_ONCE : `process.env.CAMPAIGN_SABOTAGE = '${name}';`,
  ];
  mkdirSync(join(folder, 'dist/program'));
  for (const program of ['main', 'cli'])
    writeFileSync(
      join(folder, `dist/program/${program}.js`),
      [...lines, `await import('../${program}.js');`].join('\n'),
    );
  return folder;
}
