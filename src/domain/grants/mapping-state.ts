import type { MappingState } from '../../store/tables/tables.ts';

/**
 * What happens to mappings: to those of an app and account, or to one alone, such as that its holder proves whose it is,
 * or that support assigns it to its app.
 */
export type MappingEvent =
  | 'granted'
  | 'adopted'
  | 'account_proven'
  | 'assigned'
  | 'grant_died'
  | 'grant_revived'
  | 'revoked'
  | 'handed_over';

const NEXT: Record<MappingEvent, Partial<Record<MappingState, MappingState>>> = {
  granted: { unmapped: 'active', active: 'active', reauthorization_required: 'active' },
  // Of a grant that stands already: what has lost its connection waits for a consent of its own.
  adopted: { unmapped: 'active' },
  account_proven: { unmapped: 'unmapped' },
  // The grant of another app does not come along.
  assigned: {
    unmapped: 'unmapped',
    active: 'reauthorization_required',
    reauthorization_required: 'reauthorization_required',
  },
  grant_died: { active: 'reauthorization_required' },
  // Of those that stopped with this very grant, when the answer comes of which nobody knew.
  grant_revived: { reauthorization_required: 'active' },
  revoked: { unmapped: 'revoked', active: 'revoked', reauthorization_required: 'revoked' },
  handed_over: { unmapped: 'migrated', active: 'migrated', reauthorization_required: 'migrated' },
};

/**
 * The one table of transitions (docs/decisions/0002): `revoked` and `migrated` are final, and what has no entry stays.
 */
export function nextState(state: MappingState, event: MappingEvent): MappingState {
  return NEXT[event][state] ?? state;
}

/** The states that an event concerns. */
export function statesOf(event: MappingEvent): MappingState[] {
  return Object.keys(NEXT[event]) as MappingState[];
}

/** The states that an event concerns, and the one state they all move to, for a single conditional update. */
export function moveOf(event: Exclude<MappingEvent, 'assigned'>): { from: MappingState[]; to: MappingState } {
  const from = statesOf(event);
  const [first] = from;
  if (!first) throw new Error(`an event that moves nothing: ${event}`);
  return { from, to: nextState(first, event) };
}
