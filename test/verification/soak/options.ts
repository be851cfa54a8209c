import { oneOf, optionsIn, positiveNumber, UsageError, wholeNumber } from '../shared/command-line.ts';
import { SABOTAGES, type Sabotage } from '../shared/sabotages.ts';
import { type Pace, PACES } from './pace.ts';

export interface SoakOptions {
  minutes: number;
  seed: number;
  database: 'sqlite' | 'postgres';
  /** Old calls a second. */
  rate: number;
  /** Tokens of the file that is imported. */
  rows: number;
  pace: Pace;
  sabotage: Sabotage;
}

export const USAGE = `soak [--minutes N] [--seed N] [--database sqlite|postgres] [--rate N] [--rows N] [--limits real|short]
     [--sabotage ${SABOTAGES.join('|')}]

Load, faults, kills, a rotation of keys, an import, a backup and reminders together. It ends with 0 when nothing was
wrong, 1 when something was, 2 for a wrong option. The seed makes the plan; timing is the machine's own.
  --minutes N    how long the load lasts (30)
  --rate N       old calls a second (20)
  --rows N       tokens of the import (3000)
  --limits       real: the limits of the product, the choice from five minutes on; short: those of the crash campaign
  --sabotage     runs a build that is wrong in one way; then 1 is the good result
What is wrong is named as in crash-campaign --help; and beside that:
  memory, handles   a process that lived through most of the run holds more and more
  500               an answer that says that the bridge failed
  posts             a post that was made twice, or that its caller was told wrongly of
  import, keys, mails, backup, history   the work beside the load is not done as it should be`;

const OPTIONS = ['minutes', 'seed', 'database', 'rate', 'rows', 'limits', 'sabotage'] as const;

/** From this length on the product's own limits have time to show. */
const REAL_FROM_MINUTES = 5;

/** Reads the command line. @throws {UsageError} */
export function readOptions(args: readonly string[]): SoakOptions {
  const values = optionsIn(args, OPTIONS);
  const minutes = positiveNumber('minutes', values.minutes) ?? 30;
  const usual = minutes < REAL_FROM_MINUTES ? 'short' : 'real';
  const rows = wholeNumber('rows', values.rows) ?? 3000;
  if (rows < 10) throw new UsageError('--rows must be at least 10');
  return {
    minutes,
    seed: wholeNumber('seed', values.seed) ?? Math.floor(Math.random() * 1_000_000),
    database: oneOf('database', ['sqlite', 'postgres'], values.database ?? 'sqlite'),
    rate: positiveNumber('rate', values.rate) ?? 20,
    rows,
    pace: PACES[oneOf('limits', ['real', 'short'], values.limits ?? usual)],
    sabotage: oneOf('sabotage', SABOTAGES, values.sabotage ?? 'none'),
  };
}
