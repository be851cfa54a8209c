// `npm run crash-campaign -- [--rounds N] [--seed N] [--database sqlite|postgres] [--round K] [--lanes N] [--sabotage X]`:
// kills, stops and cuts off real bridge processes and checks that no grant is lost. Ends with 1 at a violation.
import { register } from 'tsx/esm/api';

register();
const { runCampaign } = await import('../test/campaign/main.ts');
try {
  process.exit((await runCampaign(process.argv.slice(2))) ? 0 : 1);
} catch (error) {
  console.error(error);
  process.exit(1);
}
