import { entriesOfGrant, entriesOfToken } from '../../../store/history/entries-of-token.ts';
import { type EntriesProof, proveEntries } from '../../history/prove-entries.ts';
import type { Event } from '../../../store/tables/tables.ts';
import type { SupportDeps } from '../deps.ts';
import {
  BEGINNINGS,
  GRANT_ACTIONS,
  grantAfter,
  TOKEN_ACTIONS,
  tokenAfter,
  type TokenThen,
} from './token-then.ts';

/**
 * How a token stood at a past moment, from its history and checked against the chain (docs/decisions/0033). Rows keep only
 * the present; so what the history does not tell is not known, and said to be so.
 */

export interface TokenPast {
  at: number;
  /** Whether the moment has not come: the newest state is told. */
  isAhead: boolean;
  /** Whether more entries change the token than are read, so that nothing is told. */
  isTooLong: boolean;
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

/** More changes than any token has. Only these are read: callers make entries of other kinds, such as look-ups. */
const ENTRIES_MAX = 10_000;

type PastDeps = Pick<SupportDeps, 'store' | 'vault' | 'clock'>;

function firstOf({ right }: EntriesProof): TokenPast['first'] {
  const [first] = right;
  return first && { at: first.at, action: first.action, isBeginning: BEGINNINGS.includes(first.action) };
}

const NONE: EntriesProof = { right: [], waiting: 0, wrong: [] };

/** The proven entries up to a moment; none where there are more than are read. */
async function proven(
  context: PastDeps,
  read: Promise<Event[]>,
): Promise<{ proof: EntriesProof; isTooLong: boolean }> {
  const entries = await read;
  const isTooLong = entries.length > ENTRIES_MAX;
  return { proof: isTooLong ? NONE : await proveEntries(context, entries), isTooLong };
}

async function grantThen(
  context: PastDeps,
  grantId: string | null | undefined,
  at: number,
): Promise<EntriesProof> {
  if (typeof grantId !== 'string') return NONE;
  const wanted = { actions: GRANT_ACTIONS, until: at, limit: ENTRIES_MAX + 1 };
  return (await proven(context, entriesOfGrant(context.store.durable, grantId, wanted))).proof;
}

/** The first entry of the token where the moment is before it. */
async function laterFirst(context: PastDeps, mappingId: string): Promise<EntriesProof> {
  const wanted = { actions: TOKEN_ACTIONS, until: Number.MAX_SAFE_INTEGER, limit: 1 };
  return proveEntries(context, await entriesOfToken(context.store.durable, mappingId, wanted));
}

/** How a token stood at a moment. */
export async function tokenAt(context: PastDeps, mappingId: string, at: number): Promise<TokenPast> {
  const wanted = { actions: TOKEN_ACTIONS, until: at, limit: ENTRIES_MAX + 1 };
  const read = entriesOfToken(context.store.durable, mappingId, wanted);
  const { proof, isTooLong } = await proven(context, read);
  const then = tokenAfter(proof.right);
  const grant = await grantThen(context, then?.grantId, at);
  return {
    at,
    isAhead: at > context.clock.now(),
    isTooLong,
    token: then,
    grant: grantAfter(grant.right),
    first: firstOf(proof) ?? firstOf(await laterFirst(context, mappingId)),
    proof: {
      entries: proof.right.length + grant.right.length,
      waiting: proof.waiting + grant.waiting,
      wrong: [...proof.wrong, ...grant.wrong].map((event) => ({ id: event.id, at: event.at })),
    },
  };
}
