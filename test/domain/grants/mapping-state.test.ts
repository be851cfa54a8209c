import { type MappingEvent, moveOf, nextState, statesOf } from '../../../src/domain/grants/mapping-state.ts';
import type { MappingState } from '../../../src/store/tables/tables.ts';

/** Every transition of a mapping (docs/glossary.md, ARCHITECTURE.md); a pair that changes nothing is listed as staying. */
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
  ['unmapped', 'grant_revived', 'unmapped'],
  ['active', 'grant_revived', 'active'],
  ['reauthorization_required', 'grant_revived', 'active'],
  ['revoked', 'grant_revived', 'revoked'],
  ['migrated', 'grant_revived', 'migrated'],
  ['unmapped', 'adopted', 'active'],
  ['unmapped', 'account_proven', 'unmapped'],
  ['unmapped', 'assigned', 'unmapped'],
  ['active', 'adopted', 'active'],
  ['active', 'account_proven', 'active'],
  ['active', 'assigned', 'reauthorization_required'],
  ['reauthorization_required', 'adopted', 'reauthorization_required'],
  ['reauthorization_required', 'account_proven', 'reauthorization_required'],
  ['reauthorization_required', 'assigned', 'reauthorization_required'],
  ['revoked', 'adopted', 'revoked'],
  ['revoked', 'account_proven', 'revoked'],
  ['revoked', 'assigned', 'revoked'],
  ['migrated', 'adopted', 'migrated'],
  ['migrated', 'account_proven', 'migrated'],
  ['migrated', 'assigned', 'migrated'],
];

test.each(TRANSITIONS)('a mapping that is %s, when %s, is %s', (state, event, next) => {
  expect(nextState(state, event)).toBe(next);
});

test('what concerns a waiting token alone concerns no other, and nothing concerns one that has ended', () => {
  expect(statesOf('account_proven')).toEqual(['unmapped']);
  for (const [, event] of TRANSITIONS) {
    expect(statesOf(event)).not.toContain('revoked');
    expect(statesOf(event)).not.toContain('migrated');
  }
});

test('one conditional update moves exactly the states that the table moves', () => {
  for (const [state, event, next] of TRANSITIONS) {
    // It leads to two states, so it is no single update.
    if (event === 'assigned') continue;
    const { from, to } = moveOf(event);
    expect(from.includes(state) ? to : state).toBe(next);
  }
});
