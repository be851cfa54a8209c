// `npm run bench:refusals -- [--times N] [--old-api off]`: what refused requests of hostile shapes cost the bridge, in
// milliseconds of CPU and as a multiple of a plain refused one.
import { parseArgs } from 'node:util';
import { register } from 'tsx/esm/api';

register();
const { runRefusals } = await import('../../test/fuzz/bench-refusals.ts');
const { values } = parseArgs({
  options: { times: { type: 'string', default: '200' }, 'old-api': { type: 'string', default: 'on' } },
});
await runRefusals({ times: Number(values.times), hasOldApi: values['old-api'] !== 'off' });
process.exit(0);
