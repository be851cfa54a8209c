import { checkRound } from './checker.ts';
import type { Call, RoundHistory } from './history.ts';

/** A history written by hand in which nothing is wrong, for tests of the checker to break. */

export const SINCE = 1_000_000;

export const call = (given: Partial<Call>): Call => ({
  operation: 'read',
  process: 0,
  startedAt: SINCE + 100,
  endedAt: SINCE + 150,
  status: 200,
  headers: {},
  body: '',
  isJson: true,
  secret: 'legacy-token',
  ...given,
});

export const exchangeCall = (given: Partial<Call> = {}): Call =>
  call({
    operation: 'exchange',
    secret: 'code',
    issued: 'legacy-token',
    headers: {
      'content-type': 'application/json;charset=UTF-8',
      'cache-control': 'no-store',
      pragma: 'no-cache',
    },
    ...given,
  });

/** One refresh of v1 to v2, received and kept. */
export function sound(): RoundHistory {
  return {
    round: 7,
    introspects: false,
    quiet: 2000,
    claimToWrite: 400,
    since: SINCE,
    presentations: [{ at: SINCE + 110, token: 'r1' }],
    received: [
      {
        at: SINCE + 111,
        kind: 'refresh',
        token: 'r1',
        repeated: false,
        status: 200,
        answeredAt: SINCE + 112,
        next: 'r2',
      },
    ],
    calls: [call({})],
    notes: [
      { at: SINCE + 120, pid: 1, process: 0, what: 'received', grantId: 'g', version: 2, token: 'r2' },
      { at: SINCE + 121, pid: 1, process: 0, what: 'kept', grantId: 'g', version: 2 },
    ],
    outages: [],
    pauses: [],
    expiries: [{ at: SINCE + 90, grantId: 'g' }],
    grants: [
      {
        id: 'g',
        clientId: 'app',
        state: 'ready',
        version: 2,
        deadAt: null,
        deadCause: null,
        accessExpiresAt: SINCE + 3_600_000,
        token: 'r2',
      },
    ],
    mappings: [{ id: 'm', token: 'legacy-token', clientId: 'app', grantId: 'g', state: 'active' }],
    events: [],
    owed: [],
    owedBefore: [],
    served: undefined,
    databaseAway: undefined,
    cuts: [],
    upstreamTimeout: 1000,
    callerLimit: 5000,
    withSibling: [],
    revokedByCampaign: [],
    leaks: [],
    log: [],
    calm: [{ requests: 1, statuses: [200, 200] }],
    unsettled: [],
  };
}

export type Change = (history: RoundHistory) => void;

export function broken(change: Change): string[] {
  const history = sound();
  change(history);
  return checkRound(history).violations.map(({ invariant }) => invariant);
}

export const [row, entry] = [(h: RoundHistory) => h.grants[0]!, (h: RoundHistory) => h.received[0]!];
export const again = (h: RoundHistory, after: number) =>
  h.presentations.push({ at: SINCE + 110 + after, token: 'r1' });
export const killed = { process: 0, pid: 1, from: SINCE + 130, until: SINCE + 900, wanted: true };

export const refusedExchange = () => {
  const { issued: _none, ...refused } = exchangeCall({ status: 400 });
  return refused;
};
