import { linksAt } from '../../store/history/events.ts';
import type { Event } from '../../store/tables/tables.ts';
import { CHAIN_START, follows, isOwn } from './chain.ts';
import type { HistoryDeps } from './deps.ts';

/**
 * The proof of some entries, without a walk along the whole chain (docs/decisions/0033). Each entry has to follow the link
 * before it. That shows what was edited, added or moved. That an entry is gone shows at the entry after it, which may be
 * one of another token: `history verify` looks at all.
 */

export interface EntriesProof {
  /** The entries that the bridge wrote and that stand in their place. */
  right: Event[];
  /** How many of these wait to be chained, and are proven by their witness alone. */
  waiting: number;
  /** The entries that must not be believed. */
  wrong: Event[];
}

type ProofDeps = Pick<HistoryDeps, 'store' | 'vault'>;

/** Proves entries; keeps their order. */
export async function proveEntries(
  { store, vault }: ProofDeps,
  events: readonly Event[],
): Promise<EntriesProof> {
  const before = events.flatMap(({ position }) => (position === null ? [] : [position - 1]));
  const links = new Map([[0, CHAIN_START], ...(await linksAt(store.durable, before))]);
  const isRight = (event: Event): boolean => {
    if (event.position === null) return isOwn(vault, event);
    const link = links.get(event.position - 1);
    return link !== undefined && follows(vault, link, event);
  };
  const right = events.filter(isRight);
  const believed = new Set(right);
  return {
    right,
    waiting: right.filter(({ position }) => position === null).length,
    wrong: events.filter((event) => !believed.has(event)),
  };
}
