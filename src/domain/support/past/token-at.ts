import { entriesOfGrant, entriesOfToken } from '../../../store/history/entries-of-token.ts';
import { type EntriesProof, proveEntries } from '../../history/prove-entries.ts';
import type { Event } from '../../../store/tables/tables.ts';
import type { SupportDeps } from '../deps.ts';
import { BEGINNINGS, grantAfter, tokenAfter, type TokenThen } from './token-then.ts';

/**
 * How a token stood at a past moment, from its history and checked against the chain (docs/decisions/0033). Rows keep only
 * the present; so what the history does not tell is not known, and said to be so.
 */

export interface TokenPast {
  at: number;
  /** Whether the moment has not come: the newest state is told. */
  isAhead: boolean;
  /** Undefined before the first entry, and for a token without any. */
  token: TokenThen | undefined;
  /** How its grant stood; undefined without a grant, and where the history does not tell. */
  grant: string | undefined;
  /** The first entry about the token; undefined where there is none. */
  first: { at: number; action: string; isBeginning: boolean } | undefined;
  proof: {
    /** How many entries were used. */
    entries: number;
    waiting: number;
    /** Entries that are left out, because the bridge did not write them so. */
    wrong: Array<{ id: number; at: number }>;
  };
}

/** More entries than any token has. A caller cannot make entries without end. */
const ENTRIES_MAX = 10_000;

type PastDeps = Pick<SupportDeps, 'store' | 'vault' | 'clock'>;

const until = (events: readonly Event[], at: number) => events.filter((event) => event.at <= at);

function firstOf({ right }: EntriesProof): TokenPast['first'] {
  const [first] = right;
  return first && { at: first.at, action: first.action, isBeginning: BEGINNINGS.includes(first.action) };
}

async function grantThen(
  context: PastDeps,
  grantId: string | null | undefined,
  at: number,
): Promise<EntriesProof> {
  if (typeof grantId !== 'string') return { right: [], waiting: 0, wrong: [] };
  const entries = await entriesOfGrant(context.store.durable, grantId, ENTRIES_MAX);
  return proveEntries(context, until(entries, at));
}

/** How a token stood at a moment. */
export async function tokenAt(context: PastDeps, mappingId: string, at: number): Promise<TokenPast> {
  const all = await entriesOfToken(context.store.durable, mappingId, ENTRIES_MAX);
  const proof = await proveEntries(context, all);
  const used = until(proof.right, at);
  const then = tokenAfter(used);
  const grant = await grantThen(context, then?.grantId, at);
  return {
    at,
    isAhead: at > context.clock.now(),
    token: then,
    grant: grantAfter(grant.right),
    first: firstOf(proof),
    proof: {
      entries: used.length + grant.right.length,
      waiting: used.filter(({ position }) => position === null).length + grant.waiting,
      wrong: [...proof.wrong, ...grant.wrong].map((event) => ({ id: event.id, at: event.at })),
    },
  };
}
