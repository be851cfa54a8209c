import type { MappingState } from '../store/tables.ts';

/** What happens to the mappings of an app and account. */
export type MappingEvent = 'granted' | 'grant_died' | 'revoked' | 'handed_over';

const NEXT: Record<MappingEvent, Partial<Record<MappingState, MappingState>>> = {
  granted: { unmapped: 'active', active: 'active', reauthorization_required: 'active' },
  grant_died: { active: 'reauthorization_required' },
  revoked: { unmapped: 'revoked', active: 'revoked', reauthorization_required: 'revoked' },
  handed_over: { unmapped: 'migrated', active: 'migrated', reauthorization_required: 'migrated' },
};

/** The one table of transitions (design 4): `revoked` and `migrated` are final, and what has no entry stays. */
export function nextState(state: MappingState, event: MappingEvent): MappingState {
  return NEXT[event][state] ?? state;
}

/** The states that an event concerns, and the one state they all move to, for a single conditional update. */
export function moveOf(event: MappingEvent): { from: MappingState[]; to: MappingState } {
  const from = Object.keys(NEXT[event]) as MappingState[];
  const [first] = from;
  if (!first) throw new Error(`an event that moves nothing: ${event}`);
  return { from, to: nextState(first, event) };
}
