import { parseArgs } from 'node:util';

const SABOTAGES = ['none', 'no-presenting-record', 'lease-instead-of-version', 'second-send'] as const;

export interface CampaignOptions {
  rounds: number;
  seed: number;
  database: 'sqlite' | 'postgres';
  /** Only this round. */
  round: number | undefined;
  lanes: number;
  sabotage: (typeof SABOTAGES)[number];
}

const USAGE = `crash-campaign [--rounds N] [--seed N] [--database sqlite|postgres] [--round K] [--lanes N]
               [--sabotage ${SABOTAGES.join('|')}]`;

function wholeNumber(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,9}$/.test(text)) throw new Error(`--${name} must be a whole number\n${USAGE}`);
  return Number(text);
}

function oneOf<T extends string>(name: string, list: readonly T[], text: string): T {
  const found = list.find((each) => each === text);
  if (found === undefined) throw new Error(`--${name} must be one of ${list.join(', ')}\n${USAGE}`);
  return found;
}

/** Reads the command line. @throws {Error} with the usage */
export function readOptions(args: readonly string[]): CampaignOptions {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    args: [...args],
    options: { rounds: text, seed: text, database: text, round: text, lanes: text, sabotage: text },
  });
  const round = wholeNumber('round', values.round);
  return {
    rounds: wholeNumber('rounds', values.rounds) ?? 100,
    seed: wholeNumber('seed', values.seed) ?? Math.floor(Math.random() * 1_000_000),
    database: oneOf('database', ['sqlite', 'postgres'], values.database ?? 'sqlite'),
    round,
    // at least one of each kind
    lanes: round === undefined ? Math.max(wholeNumber('lanes', values.lanes) ?? 6, 2) : 1,
    sabotage: oneOf('sabotage', SABOTAGES, values.sabotage ?? 'none'),
  };
}
