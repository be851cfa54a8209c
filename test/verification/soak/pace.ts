import {
  CALLER_WAIT,
  CLAIM_TO_WRITE_LIMIT,
  SECOND,
  UPSTREAM_TIMEOUT,
} from '../../../src/shared/lifetimes.ts';
import { LIMITS, QUIET_SECONDS } from '../shared/limits.ts';

/** How fast things happen in a soak: with the limits of the product, or in a short run with shorter ones. */
export interface Pace {
  name: 'real' | 'short';
  /** What replaces constants of shared/lifetimes in the build. */
  limits: Readonly<Record<string, number>>;
  quietSeconds: number;
  accessTokenSeconds: number;
  freshSeconds: number;
  drainSeconds: number;
  claimToWrite: number;
  upstreamTimeout: number;
  /** What a caller may wait for an answer, with what a busy machine adds; and when a call counts as hung. */
  callerLimit: number;
  patience: number;
  /** How many apps hold tokens. */
  apps: number;
  /** More calls than this under way are a jam of a machine that is too busy, in which no other would tell more. */
  mostAtOnce: number;
  /** Milliseconds between things of a kind, about. */
  every: { strike: number; fault: number; consent: number; deauthorize: number; sample: number };
  /** How long a fault stands ready for the calls that it is meant for. */
  faultStands: number;
  /** The longest black hole, and the longest pause of a process. */
  longestHole: number;
  longestPause: number;
  /** How long everything may take to come to rest: in the worst case the breaker rests for five minutes once more. */
  settle: number;
  /** How long mails that are on their way may take after that. */
  told: number;
}

const BUSY_MACHINE = 10 * SECOND;

const real: Pace = {
  name: 'real',
  limits: {},
  quietSeconds: 30,
  accessTokenSeconds: 40,
  freshSeconds: 5,
  drainSeconds: 2,
  claimToWrite: CLAIM_TO_WRITE_LIMIT,
  upstreamTimeout: UPSTREAM_TIMEOUT,
  callerLimit: CALLER_WAIT + UPSTREAM_TIMEOUT + BUSY_MACHINE,
  patience: CALLER_WAIT + UPSTREAM_TIMEOUT + 2 * BUSY_MACHINE,
  apps: 30,
  mostAtOnce: 80,
  every: { strike: 25_000, fault: 8000, consent: 3000, deauthorize: 15_000, sample: 10_000 },
  faultStands: 4000,
  longestHole: 20_000,
  longestPause: 8000,
  settle: 480_000,
  told: 60_000,
};

const short: Pace = {
  name: 'short',
  limits: LIMITS,
  quietSeconds: QUIET_SECONDS,
  accessTokenSeconds: 6,
  freshSeconds: 1,
  drainSeconds: 1,
  claimToWrite: LIMITS.CLAIM_TO_WRITE_LIMIT,
  upstreamTimeout: LIMITS.UPSTREAM_TIMEOUT,
  // in the tests of CI much else runs beside
  callerLimit: LIMITS.CALLER_WAIT + UPSTREAM_TIMEOUT + 3 * BUSY_MACHINE,
  patience: 6 * BUSY_MACHINE,
  apps: 6,
  mostAtOnce: 24,
  every: { strike: 3500, fault: 1500, consent: 1000, deauthorize: 4000, sample: 2000 },
  faultStands: 1500,
  longestHole: 1500,
  longestPause: 1500,
  settle: 60_000,
  told: 20_000,
};

export const PACES = { real, short } as const;
