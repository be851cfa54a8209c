// `npm run soak -- [--minutes N] [--seed N] [--database sqlite|postgres] [--rate N] [--rows N] [--limits real|short]
// [--sabotage X]`: load, faults, kills, a rotation of keys, an import, a backup and reminders together. Ends with 1 where
// anything is wrong, with 2 for a wrong option.
import { register } from 'tsx/esm/api';

register();
const { runSoak } = await import('../test/verification/soak/main.ts');
const { USAGE } = await import('../test/verification/soak/options.ts');
const { UsageError } = await import('../test/verification/shared/command-line.ts');
const args = process.argv.slice(2);
if (args.includes('--help')) {
  console.log(USAGE);
  process.exit(0);
}
try {
  process.exit((await runSoak(args)) ? 0 : 1);
} catch (error) {
  const isUsage = error instanceof UsageError;
  console.error(isUsage ? `${error.message}\n\n${USAGE}` : error);
  process.exit(isUsage ? 2 : 1);
}
