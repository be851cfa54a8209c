import { OLD_CALL_NAMES, OLD_CALLS, type OldCallName } from '../posts/old-calls.ts';

/**
 * How many requests of the new API one old call costs that moves there with its token: the most that one call costs once the
 * account is known and nothing is cached. `user` and `profiles` of a connected token are there already and cost nothing more.
 * A create costs one for each profile that it names, which usage does not tell: the table counts one.
 */
export const REQUESTS_PER_CALL: Readonly<Record<OldCallName, number>> = {
  user: 0,
  profiles: 0,
  profile: 0,
  deauthorize: 0,
  schedules: 1,
  updateSchedules: 0,
  pendingUpdates: 1,
  sentUpdates: 1,
  reorderUpdates: 22,
  shuffleUpdates: 22,
  createUpdate: 1,
  update: 1,
  interactions: 0,
  changeUpdate: 2,
  shareUpdate: 1,
  destroyUpdate: 1,
  moveUpdateToTop: 1,
  shares: 0,
  configuration: 0,
};

/** A call that costs something needs the account too, which is read at most so often on one day. */
export const ACCOUNT_READS_PER_DAY = 24;

/** As usage names a call: of very many different ones the rest is `other`, which may be any. */
const OTHER = 'other';

const NAMES: ReadonlyMap<string, OldCallName> = new Map(
  OLD_CALL_NAMES.flatMap((name) =>
    OLD_CALLS[name].paths.flatMap((path) => [
      [path, name],
      [`${path}.json`, name],
    ]),
  ),
);

/** The call of an endpoint as usage names it; undefined for a path that is none of the nineteen. */
export function callOfEndpoint(endpoint: string): OldCallName | typeof OTHER | undefined {
  return endpoint === OTHER ? OTHER : NAMES.get(endpoint);
}

/** What one call of an endpoint costs. */
export function costOf(endpoint: string): number {
  const call = callOfEndpoint(endpoint);
  if (call === undefined) return 0;
  return call === OTHER ? 1 : REQUESTS_PER_CALL[call];
}
