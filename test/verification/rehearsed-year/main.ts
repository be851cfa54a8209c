import { readOptions } from './options.ts';
import { rehearse } from './rehearsal.ts';
import { tableOf } from './tally.ts';

const say = (text: string): void => void process.stdout.write(`${text}\n`);

/** Plays the year of a command line; answers whether nothing was violated. */
export async function runRehearsal(args: readonly string[]): Promise<boolean> {
  const options = readOptions(args);
  say(`a year is rehearsed: seed ${options.seed}, ${options.database}`);
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
  const tally = await rehearse(options, say);
  say(tableOf(tally, options));
  if (tally.violations.length > 0 && tally.complaints !== '') say(`the machines said:\n${tally.complaints}`);
  return tally.violations.length === 0 && tally.killsLeft === 0;
}
