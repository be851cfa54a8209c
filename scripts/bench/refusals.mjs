// `npm run bench:refusals -- [--times N] [--old-api off]`: what refused requests of hostile shapes cost the bridge, in
// milliseconds of CPU and as a multiple of a plain refused one. With `--dearest ROUNDS` only the dearest of each kind, as JSON.
import { parseArgs } from 'node:util';
import { register } from 'tsx/esm/api';

register();
const { findDearest, runRefusals } = await import('../../test/fuzz/bench-refusals.ts');
const { values } = parseArgs({
  options: {
    times: { type: 'string', default: '200' },
    'old-api': { type: 'string', default: 'on' },
    dearest: { type: 'string' },
  },
});
const wanted = { times: Number(values.times), hasOldApi: values['old-api'] !== 'off' };
if (values.dearest === undefined) await runRefusals(wanted);
else process.stdout.write(JSON.stringify(await findDearest(wanted, Number(values.dearest))));
process.exit(0);
