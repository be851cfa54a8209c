import { nextState } from '../../grants/mapping-state.ts';
import type { Event, MappingState } from '../../../store/tables/tables.ts';

/** How a token stood after some entries of its history: pure, entry by entry, in the order in which they were written. */

export interface TokenThen {
  /** Undefined where the entries do not tell: the history begins in the middle of the token's life. */
  state: MappingState | undefined;
  /** Since when it was so. */
  since: number;
  clientId: string | null;
  /** Null while the history names no account. */
  accountId: string | null;
  grantId: string | null;
  /** Why it stood so, as the token keeps it; null without a reason. */
  cause: string | null;
}

type Entry = Pick<
  Event,
  'id' | 'at' | 'action' | 'client_id' | 'account_id' | 'grant_id' | 'reason' | 'mapping_id' | 'actor'
>;

/** What an entry changes. */
type Change = Partial<Omit<TokenThen, 'since'>>;

/** The entries with which a token becomes known. */
export const BEGINNINGS: readonly string[] = ['token_imported', 'token_observed', 'token_issued'];

const named = ({ client_id: clientId, account_id: accountId }: Entry): Change => ({ clientId, accountId });

const begun = (entry: Entry): Change => ({ ...named(entry), state: 'unmapped', grantId: null, cause: null });

/** A token that its app got for a code stands on a grant at once; the token of a registration waits for a consent. */
function issued(entry: Entry): Change {
  const { grant_id: grantId } = entry;
  return { ...begun(entry), ...(grantId !== null && { state: 'active', grantId }) };
}

const connected = (entry: Entry): Change => ({
  ...named(entry),
  state: 'active',
  grantId: entry.grant_id,
  cause: null,
});

/**
 * A token that stays with its app keeps everything. At another app it gets the grant of the entry, or none. One that
 * had stopped before keeps the reason (`tokens/assign-token.ts`).
 */
function assigned(entry: Entry, before: TokenThen): Change {
  const { state } = before;
  if (entry.client_id === before.clientId) return {};
  const { grant_id: grantId } = entry;
  const next = state && nextState(state, grantId === null ? 'assigned' : 'granted');
  const why = next === state ? before.cause : entry.reason;
  const cause = next === 'reauthorization_required' ? why : null;
  return { ...named(entry), state: next, grantId, cause };
}

const ended =
  (state: MappingState) =>
  (entry: Entry): Change => ({ state, cause: entry.reason });

const CHANGES: Readonly<Record<string, (entry: Entry, before: TokenThen) => Change>> = {
  token_imported: begun,
  token_observed: begun,
  token_issued: issued,
  token_changed: named,
  account_pinned: ({ account_id: accountId }) => ({ accountId }),
  account_proven: ({ account_id: accountId }) => ({ accountId }),
  token_assigned: assigned,
  token_connected: connected,
  token_reauthorization_required: ended('reauthorization_required'),
  token_revoked: ended('revoked'),
  token_migrated: () => ({ state: 'migrated', cause: 'handed_over' }),
};

/** The entry of a taking back names the entry that it takes back. */
const TAKEN_BACK = 'token_taken_back';

/** The entries that can change how a token stands. Look-ups and other entries are no part of it. */
export const TOKEN_ACTIONS: readonly string[] = [...Object.keys(CHANGES), TAKEN_BACK];

const UNKNOWN: Omit<TokenThen, 'since'> = {
  state: undefined,
  clientId: null,
  accountId: null,
  grantId: null,
  cause: null,
};

/** What was taken back is as before it, whatever that was. Unknown where that entry is not among those that are read. */
function restored(stood: ReadonlyMap<number, TokenThen>, { reason }: Entry): Change {
  const { since: _, ...then } = stood.get(Number(/^entry (\d+): /.exec(reason ?? '')?.[1])) ?? {
    ...UNKNOWN,
    since: 0,
  };
  return then;
}

function after(before: TokenThen, entry: Entry, stood: Map<number, TokenThen>): TokenThen {
  stood.set(entry.id, before);
  if (entry.action === TAKEN_BACK) {
    const then = { ...before, ...restored(stood, entry) };
    return { ...then, since: then.state === before.state ? before.since : entry.at };
  }
  const change = Object.hasOwn(CHANGES, entry.action) ? CHANGES[entry.action]?.(entry, before) : undefined;
  if (change === undefined || Object.keys(change).length === 0) return before;
  // An entry names the app and account that the token had, also where it does not change them.
  const clientId = before.clientId ?? entry.client_id;
  const next = { ...before, clientId, accountId: before.accountId ?? entry.account_id, ...change };
  return { ...next, since: next.state === before.state ? before.since : entry.at };
}

/** How the token stood after these entries; undefined without an entry. */
export function tokenAfter(entries: readonly Entry[]): TokenThen | undefined {
  const [first] = entries;
  const stood = new Map<number, TokenThen>();
  return (
    first &&
    entries.reduce<TokenThen>((then, entry) => after(then, entry, stood), { ...UNKNOWN, since: first.at })
  );
}

const GRANTS: Readonly<Record<string, string>> = {
  granted: 'alive',
  grant_revived: 'alive',
  refresh_recovered: 'alive',
  refresh_unspent: 'alive',
  refresh_in_doubt: 'in doubt',
  grant_died: 'ended',
  grant_replaced: 'ended',
  grant_handed_over: 'ended',
  deauthorized: 'ended',
};

/** The entries that tell how a grant stands. */
export const GRANT_ACTIONS: readonly string[] = Object.keys(GRANTS);

/** How a grant stood after the entries about it; undefined where the history does not tell. */
export function grantAfter(entries: ReadonlyArray<Pick<Event, 'action'>>): string | undefined {
  const last = entries.findLast(({ action }) => Object.hasOwn(GRANTS, action));
  return last && GRANTS[last.action];
}
