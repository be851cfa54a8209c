import { OLD_CALL_NAMES, OLD_CALLS, type OldCallName } from '../old-calls/old-calls.ts';

/**
 * How many requests of the new API one old call costs that moves there with its token: the most that one call costs once the
 * account is known and nothing is cached. Usage tells neither ids nor lengths, so that each call counts as its dearest form:
 * - A call about one update counts as by an id that the old API told and that was not used since. The id is tried as it is,
 *   the post is looked for, and the call is made for that post. A media change looks for the service before each try.
 *   A destroy looks for no post.
 * - A change of an order counts with twenty moves, and a queue of five pages that is read before and behind them.
 *
 * Two kinds count one for what usage does not tell: a create costs one for each profile that it names, and a page of a list
 * costs up to six where none before it was read. `user` and `profiles` of a connected token are there already and cost
 * nothing more.
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
  reorderUpdates: 30,
  shuffleUpdates: 30,
  createUpdate: 1,
  update: 2,
  interactions: 0,
  changeUpdate: 5,
  shareUpdate: 3,
  destroyUpdate: 1,
  moveUpdateToTop: 3,
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
