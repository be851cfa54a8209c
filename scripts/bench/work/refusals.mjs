// The dearest refused request, beside a plain refused one. The shapes are those of `test/fuzz/refusals.ts`.
import { atMost, spreadOf } from '../figures.mjs';
import { run, script } from '../process.mjs';

const TIMES = 20;

/** Every shape is measured; the dearest ones once more, in turns with a plain refused call. */
export async function refusals({ options: { rounds } }) {
  const args = ['--times', String(TIMES), '--dearest', String(rounds)];
  const dearest = JSON.parse(await run([script('refusals.mjs'), ...args]));
  return dearest.map(({ name, kind, cpu, control }) => ({
    work: `the dearest refused ${kind === 'page' ? 'page' : 'call'}`,
    contender: name,
    figures: { cpu: spreadOf(cpu.map((ms) => ms * 1000)) },
    compared: {
      what: 'its CPU / a plain refused one’s',
      value: spreadOf(cpu.map((ms, at) => ms / control[at])),
      wanted: kind === 'page' ? undefined : atMost(3),
    },
  }));
}
