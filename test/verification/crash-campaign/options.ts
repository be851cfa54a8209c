import { oneOf, optionsIn, UsageError, wholeNumber } from '../shared/command-line.ts';
import { SABOTAGES, type Sabotage } from '../shared/sabotages.ts';

export interface CampaignOptions {
  rounds: number;
  seed: number;
  database: 'sqlite' | 'postgres';
  /** Only this round. */
  round: number | undefined;
  lanes: number;
  /** Only rounds of this kind. */
  kind: string | undefined;
  sabotage: Sabotage;
}

export const USAGE = `crash-campaign [--rounds N] [--seed N] [--database sqlite|postgres] [--round K] [--lanes N]
               [--kind NAME] [--sabotage ${SABOTAGES.join('|')}]

It ends with 0 without a violation, 1 with one, 2 for a wrong option. Violations are named so:
  I1   a code gives at most one token          I8   every answer of token.json is JSON with both cache headers
  I2   nothing is served after a deauthorize   I9   no process ends that was not killed
  I3   no refresh token is presented again     I11  after a restart no spent version is ready
       without proof, outside the rule         I12  without a fault one expiry is one token request
  I4   what is stored is the newest received   P1   an access token serves while it lives
  I5   a change has one entry, before the answer    P16  a dead grant costs no request
  I6   no secret stands in a log               answer lost, grant lost, answered, settled: as they say`;

const OPTIONS = ['rounds', 'seed', 'database', 'round', 'lanes', 'kind', 'sabotage'] as const;

/** Reads the command line. @throws {UsageError} */
export function readOptions(args: readonly string[]): CampaignOptions {
  const values = optionsIn(args, OPTIONS);
  const rounds = wholeNumber('rounds', values.rounds) ?? 100;
  if (rounds < 1) throw new UsageError('--rounds must be at least 1: no round proves nothing');
  const round = wholeNumber('round', values.round);
  return {
    rounds,
    seed: wholeNumber('seed', values.seed) ?? Math.floor(Math.random() * 1_000_000),
    database: oneOf('database', ['sqlite', 'postgres'], values.database ?? 'sqlite'),
    round,
    // at least one of each kind
    lanes: round === undefined ? Math.max(wholeNumber('lanes', values.lanes) ?? 4, 2) : 1,
    kind: values.kind,
    sabotage: oneOf('sabotage', SABOTAGES, values.sabotage ?? 'none'),
  };
}
