// `npm run fuzz -- [--requests N] [--seed N]`: sends requests of every kind to a bridge in a process of its own. Ends with
// 1 at a 500, another process or growing memory, with 2 for a wrong option.
import { register } from 'tsx/esm/api';

register();
const { runFuzz } = await import('../test/fuzz/main.ts');
const { USAGE, UsageError } = await import('../test/fuzz/options.ts');
const args = process.argv.slice(2);
if (args.includes('--help')) {
  console.log(USAGE);
  process.exit(0);
}
try {
  process.exit((await runFuzz(args)) ? 0 : 1);
} catch (error) {
  const isUsage = error instanceof UsageError;
  console.error(isUsage ? `${error.message}\n\n${USAGE}` : error);
  process.exit(isUsage ? 2 : 1);
}
