// `npm run crash-campaign -- [--rounds N] [--seed N] [--database sqlite|postgres] [--round K] [--lanes N] [--sabotage X]`:
// kills, stops and cuts off real bridge processes and checks that no grant is lost. Ends with 1 at a violation, with 2
// for a wrong option.
import { register } from 'tsx/esm/api';

register();
const { runCampaign } = await import('../test/verification/crash-campaign/main.ts');
const { USAGE } = await import('../test/verification/crash-campaign/options.ts');
const { UsageError } = await import('../test/verification/shared/command-line.ts');
const args = process.argv.slice(2);
if (args.includes('--help')) {
  console.log(USAGE);
  process.exit(0);
}
try {
  process.exit((await runCampaign(args)) ? 0 : 1);
} catch (error) {
  const isUsage = error instanceof UsageError;
  console.error(isUsage ? `${error.message}\n\n${USAGE}` : error);
  process.exit(isUsage ? 2 : 1);
}
