import { type MappingEvent, moveOf, nextState } from '../../src/domain/mapping-state.ts';
import type { MappingState } from '../../src/store/tables.ts';

/** Every transition of design section 4; what is not a change is listed as staying. */
const TRANSITIONS: Array<[MappingState, MappingEvent, MappingState]> = [
  ['unmapped', 'granted', 'active'],
  ['unmapped', 'grant_died', 'unmapped'],
  ['unmapped', 'revoked', 'revoked'],
  ['unmapped', 'handed_over', 'migrated'],
  ['active', 'granted', 'active'],
  ['active', 'grant_died', 'reauthorization_required'],
  ['active', 'revoked', 'revoked'],
  ['active', 'handed_over', 'migrated'],
  ['reauthorization_required', 'granted', 'active'],
  ['reauthorization_required', 'grant_died', 'reauthorization_required'],
  ['reauthorization_required', 'revoked', 'revoked'],
  ['reauthorization_required', 'handed_over', 'migrated'],
  ['revoked', 'granted', 'revoked'],
  ['revoked', 'grant_died', 'revoked'],
  ['revoked', 'revoked', 'revoked'],
  ['revoked', 'handed_over', 'revoked'],
  ['migrated', 'granted', 'migrated'],
  ['migrated', 'grant_died', 'migrated'],
  ['migrated', 'revoked', 'migrated'],
  ['migrated', 'handed_over', 'migrated'],
];

test.each(TRANSITIONS)('a mapping that is %s, when %s, is %s', (state, event, next) => {
  expect(nextState(state, event)).toBe(next);
});

test('one conditional update moves exactly the states that the table moves', () => {
  for (const [state, event, next] of TRANSITIONS) {
    const { from, to } = moveOf(event);
    expect(from.includes(state) ? to : state).toBe(next);
  }
});
