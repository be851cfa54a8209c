// `npm run chaos -- [--rounds N] [--seed N] [--older COMMIT] …`: kills, upgrades and downgrades of two bridges behind HAProxy
// under load. `--older` may also name the folder of a built version. Ends with 1 where anything is wrong, with 2 for a
// wrong option.
import { existsSync } from 'node:fs';
import { register } from 'tsx/esm/api';
import { buildOlderVersion, isCommit } from './older-version.mjs';

register();
const { runChaos } = await import('../test/verification/chaos/main.ts');
const { USAGE } = await import('../test/verification/chaos/options.ts');
const { UsageError } = await import('../test/verification/shared/command-line.ts');
const args = process.argv.slice(2);
if (args.includes('--help')) {
  console.log(USAGE);
  process.exit(0);
}

/** The commit of `--older` becomes the folder of its build. */
function withOlderBuild(given) {
  const place = given.indexOf('--older') + 1;
  const commit = place > 0 ? given[place] : undefined;
  if (commit === undefined || existsSync(commit) || !isCommit(commit))
    return { given, remove: () => undefined };
  const { folder, remove } = buildOlderVersion(commit);
  return { given: given.with(place, folder), remove };
}

const { given, remove } = withOlderBuild(args);
process.once('exit', remove);
try {
  process.exit((await runChaos(given)) ? 0 : 1);
} catch (error) {
  const isUsage = error instanceof UsageError;
  console.error(isUsage ? `${error.message}\n\n${USAGE}` : error);
  process.exit(isUsage ? 2 : 1);
}
