import type { MappingState } from '../../store/tables/tables.ts';

/**
 * What happens to mappings. Some events concern all mappings of an app and account. Others concern a single mapping:
 * its holder proves the account, or support assigns the mapping to its app.
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
  // The mapping joins an existing grant. A mapping that has lost its connection waits for a new consent instead.
  adopted: { unmapped: 'active' },
  account_proven: { unmapped: 'unmapped' },
  // The grant of the former app does not serve the mapping under its new app.
  assigned: {
    unmapped: 'unmapped',
    active: 'reauthorization_required',
    reauthorization_required: 'reauthorization_required',
  },
  grant_died: { active: 'reauthorization_required' },
  // A lost answer was found and the grant lives again. Only mappings that stopped with this grant move.
  grant_revived: { reauthorization_required: 'active' },
  revoked: { unmapped: 'revoked', active: 'revoked', reauthorization_required: 'revoked' },
  handed_over: { unmapped: 'migrated', active: 'migrated', reauthorization_required: 'migrated' },
};

/**
 * The one table of transitions (docs/decisions/0002). `revoked` and `migrated` are final. A state without an entry
 * stays.
 */
export function nextState(state: MappingState, event: MappingEvent): MappingState {
  return NEXT[event][state] ?? state;
}

/** The states that an event concerns. */
export function statesOf(event: MappingEvent): MappingState[] {
  return Object.keys(NEXT[event]) as MappingState[];
}

/** The states that an event concerns, and the one state to which all of them move, for a single conditional update. */
export function moveOf(event: Exclude<MappingEvent, 'assigned'>): { from: MappingState[]; to: MappingState } {
  const from = statesOf(event);
  const [first] = from;
  if (!first) throw new Error(`an event that moves nothing: ${event}`);
  return { from, to: nextState(first, event) };
}
