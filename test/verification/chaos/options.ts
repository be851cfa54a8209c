import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { oneOf, optionsIn, positiveNumber, UsageError, wholeNumber } from '../shared/command-line.ts';
import { KINDS, type StrikeKind } from './plan.ts';

/** The builds that the chaos must catch, each wrong in one way (sabotaged-build.ts); and the one that is right. */
const SABOTAGES = ['none', 'drain-closes-at-once', 'second-send', 'pair-dropped'] as const;

export type Sabotage = (typeof SABOTAGES)[number];

export interface ChaosOptions {
  rounds: number;
  seed: number;
  /** After so many minutes no round is begun. */
  minutes: number;
  /** Old calls a second. */
  rate: number;
  /** The folder of a built older version; undefined: this checkout is the older one, beside a next version made of it. */
  older: string | undefined;
  /** Only strikes of this kind, to look at it alone. */
  only: StrikeKind | undefined;
  /** The file that gets everything that was measured. */
  json: string | undefined;
  sabotage: Sabotage;
}

export const USAGE = `chaos [--rounds N] [--minutes N] [--seed N] [--rate N] [--older COMMIT] [--only KIND] [--json FILE]
      [--sabotage ${SABOTAGES.join('|')}]

PostgreSQL, two bridges behind HAProxy with deploy/haproxy.cfg, the new API and the old API, as processes. Each round kills,
stops, upgrades or downgrades a bridge, or takes something else away, while callers go on. It ends with 0 when nothing
was wrong, 1 when something was, 2 for a wrong option. The seed makes the plan; timing is the machine's own.
  --rounds N     how many rounds (200)
  --minutes N    begins no round after so many minutes (600)
  --rate N       old calls a second (12)
  --older COMMIT the older version; without it a next version of this checkout is the newer one
  --only KIND    ${KINDS.join(', ')}
  --json FILE    writes what was measured
  --sabotage     both bridges are of a build that is wrong in one way; then 1 is the good result`;

const OPTIONS = ['rounds', 'minutes', 'seed', 'rate', 'older', 'only', 'json', 'sabotage'] as const;

function folderOf(given: string | undefined): string | undefined {
  if (given === undefined) return undefined;
  const folder = resolve(given);
  if (!existsSync(join(folder, 'dist/program/main.js')))
    throw new UsageError(`--older: ${given} is no built version`);
  return folder;
}

/** Reads the command line. @throws {UsageError} */
export function readOptions(args: readonly string[]): ChaosOptions {
  const values = optionsIn(args, OPTIONS);
  const rounds = wholeNumber('rounds', values.rounds) ?? 200;
  if (rounds < 1) throw new UsageError('--rounds must be at least 1');
  return {
    rounds,
    seed: wholeNumber('seed', values.seed) ?? Math.floor(Math.random() * 1_000_000),
    minutes: positiveNumber('minutes', values.minutes) ?? 600,
    rate: positiveNumber('rate', values.rate) ?? 12,
    older: folderOf(values.older),
    only: values.only === undefined ? undefined : oneOf('only', KINDS, values.only),
    json: values.json,
    sabotage: oneOf('sabotage', SABOTAGES, values.sabotage ?? 'none'),
  };
}
