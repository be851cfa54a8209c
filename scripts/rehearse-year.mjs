// `npm run rehearse-year -- [--seed N] [--people N] [--tokens N] [--days N] [--kills N] [--database postgres|sqlite]
// [--sabotage X]`: a year of reminders on two real machines with a clock of its own. Ends with 1 at a violation, with 2 for
// a wrong option.
import { register } from 'tsx/esm/api';

register();
const { runRehearsal } = await import('../test/verification/rehearsed-year/main.ts');
const { USAGE } = await import('../test/verification/rehearsed-year/options.ts');
const { UsageError } = await import('../test/verification/shared/command-line.ts');
const args = process.argv.slice(2);
if (args.includes('--help')) {
  console.log(USAGE);
  process.exit(0);
}
try {
  process.exit((await runRehearsal(args)) ? 0 : 1);
} catch (error) {
  const isUsage = error instanceof UsageError;
  console.error(isUsage ? `${error.message}\n\n${USAGE}` : error);
  process.exit(isUsage ? 2 : 1);
}
