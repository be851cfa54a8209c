import type { StaffRole } from '../../../src/domain/accounts/staff.ts';
import { KINDS } from '../../../src/domain/take-back/kinds.ts';
import type { DeedKind } from '../../../src/store/tables/deeds.ts';
import { readDocument, rowsBelow } from '../../support/guidance.ts';

/** The tables of the documents give each role what it may take back. */

const NAMES: Record<DeedKind, string> = {
  revoke: 'revocation',
  assign: 'assignment',
  confirm: 'confirmation of a hand-over',
  extend: 'extra time',
  unextend: 'its end',
  pin: 'a pin',
  give: 'a new owner',
  cut_over: 'a cut-over',
  retire: 'a retirement',
};

/** What a document says of taking back, by role. */
function toldIn(document: string): Record<string, string> {
  const rows = rowsBelow(readDocument(document), '| role | may |');
  return Object.fromEntries(rows.map(([role = '', may = '']) => [role, may.slice(may.indexOf('take back'))]));
}

test('the table of the pages names each thing beside the role that may take it back, and beside no other', () => {
  const told = toldIn('docs/pages.md');
  const roles: StaffRole[] = ['agent', 'lead'];
  const named = Object.entries(NAMES).map(([kind, name]) => [
    kind,
    roles.filter((role) => told[role]?.includes(name)),
  ]);
  expect(named).toEqual(Object.keys(NAMES).map((kind) => [kind, [KINDS[kind as DeedKind].needs]]));
});

test('the table of the staff API names what is no act of a role', () => {
  expect(toldIn('docs/operate/staff-api.md')[KINDS.confirm.needs]).toContain(NAMES.confirm);
});
