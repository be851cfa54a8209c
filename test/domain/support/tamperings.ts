import type { HistoryFinding } from '../../../src/domain/history/verify-history.ts';
import type { Event } from '../../../src/store/tables/tables.ts';

/** Each way to change a history past the bridge, and what the proof has to name. */

export const LENGTH = 12;

/** An entry's id is not its position, so that a mix-up shows. */
export const idAt = (position: number) => position + 1;

export type Tamper = (rows: Event[]) => Event[];
type Named = Pick<HistoryFinding, 'kind' | 'position' | 'id'>;
type Case = [what: string, tamper: Tamper, named: Named];

const isAt = (position: number) => (row: Event) => row.position === position;
const at = (rows: Event[], position: number) => {
  const row = rows.find(isAt(position));
  if (!row) throw new Error(`no entry at ${position}`);
  return row;
};

const edit =
  (position: number, values: Partial<Event>): Tamper =>
  (rows) =>
    rows.map((row) => (row.position === position ? { ...row, ...values } : row));

/** Moves positions from one on, up or down. */
const renumber =
  (from: number, by: number, given: { ids?: true } = {}): Tamper =>
  (rows) =>
    rows.map((row) =>
      Number(row.position) < from
        ? row
        : { ...row, position: Number(row.position) + by, id: given.ids ? row.id + by : row.id },
    );

const remove =
  (...positions: number[]): Tamper =>
  (rows) =>
    rows.filter((row) => !positions.includes(Number(row.position)));

const inTurn =
  (...steps: Tamper[]): Tamper =>
  (rows) =>
    steps.reduce((so, step) => step(so), rows);

/** The chain's values stay with the positions. */
const keepChains =
  (tamper: Tamper): Tamper =>
  (rows) =>
    tamper(rows).map((row) => ({ ...row, chain: at(rows, Number(row.position)).chain }));

const WRONG = 'Zm9yZ2VkIGJ5IHNvbWVib2R5IHdpdGhvdXQgdGhlIGtleQ'.slice(0, 43);

const forged = (rows: Event[], position: number | null, given: Partial<Event> = {}): Event => {
  const [base] = rows;
  if (!base) throw new Error('there is nothing to tamper with');
  const keyId = String(base.witness).split('.')[0];
  const made = { uid: 'f'.repeat(24), witness: `${keyId}.${WRONG}`, chain: `${keyId}.${WRONG}` };
  return { ...base, ...made, id: 99, reason: 'forged', position, ...given };
};

const insert =
  (position: number | null, given: Partial<Event> | ((rows: Event[]) => Partial<Event>) = {}): Tamper =>
  (rows) => [...rows, forged(rows, position, typeof given === 'function' ? given(rows) : given)];

function pick(row: Event, columns: ReadonlyArray<keyof Event>): Partial<Event> {
  return Object.fromEntries(columns.map((column) => [column, row[column]]));
}

/** Two rows get each other's values in these columns. */
const swap =
  (one: number, two: number, columns: ReadonlyArray<keyof Event>): Tamper =>
  (rows) => {
    const [first, second] = [at(rows, one), at(rows, two)];
    return rows.map((row) => {
      if (row === first) return { ...row, ...pick(second, columns) };
      return row === second ? { ...row, ...pick(first, columns) } : row;
    });
  };

const CONTENT = [
  'at',
  'actor',
  'action',
  'client_id',
  'account_id',
  'grant_id',
  'mapping_id',
  'reason',
  'request_id',
] as const;

const edits: Array<Partial<Event>> = [
  { at: 1 },
  { at: Number.MAX_SAFE_INTEGER },
  ...CONTENT.slice(1).map((column) => ({ [column]: 'changed' })),
  { reason: null },
  { uid: 'changed' },
  { uid: null },
  { witness: 'changed' },
  { witness: null },
  { uid: null, witness: null },
  { chain: 'changed' },
  { chain: null },
];

const editedCases = (position: number): Case[] => [
  ...edits.map(
    (values): Case => [
      `the entry at ${position} with ${JSON.stringify(values)}`,
      edit(position, values),
      { kind: 'edited', position, id: idAt(position) },
    ],
  ),
  [
    `the entry at ${position} moved far away`,
    edit(position, { position: 1000 }),
    { kind: 'edited', position, id: idAt(position) },
  ],
];

const missing = (position: number): Named => ({ kind: 'missing', position, id: null });
const inserted = (position: number | null): Named => ({ kind: 'inserted', position, id: 99 });
const swapped = (position: number): Named => ({ kind: 'swapped', position, id: idAt(position) });
const swappedFrom = (position: number, from: number): Named => ({
  kind: 'swapped',
  position,
  id: idAt(from),
});

export const cases: Case[] = [
  ...editedCases(1),
  ...editedCases(5),
  ...editedCases(LENGTH),
  ['another id', edit(5, { id: 99 }), { kind: 'edited', position: 5, id: 99 }],
  ['no position', edit(5, { position: null }), { kind: 'edited', position: 5, id: idAt(5) }],
  ['a negative position', edit(5, { position: -7 }), { kind: 'edited', position: -7, id: idAt(5) }],
  [
    'all reasons at once',
    (rows) => rows.map((row) => ({ ...row, reason: 'changed' })),
    { kind: 'edited', position: 1, id: idAt(1) },
  ],
  [
    'two edits, of which the first is named',
    inTurn(edit(9, { reason: 'x' }), edit(4, { actor: 'x' })),
    { kind: 'edited', position: 4, id: idAt(4) },
  ],

  ['the first removed', remove(1), missing(1)],
  ['one removed', remove(5), missing(5)],
  ['the last but one removed', remove(LENGTH - 1), missing(LENGTH - 1)],
  ['three removed', remove(5, 6, 7), missing(5)],
  ['the first removed, the rest renumbered', inTurn(remove(1), renumber(1, -1)), missing(1)],
  ['one removed, the rest renumbered', inTurn(remove(5), renumber(5, -1)), missing(5)],
  ['three removed, the rest renumbered', inTurn(remove(5, 6, 7), renumber(5, -3)), missing(5)],
  [
    'one removed, the rest renumbered with their ids',
    inTurn(remove(5), renumber(5, -1, { ids: true })),
    missing(5),
  ],
  ['one removed, chains kept in place', keepChains(inTurn(remove(5), renumber(5, -1))), missing(5)],
  [
    'the last but one removed, the last renumbered',
    inTurn(remove(LENGTH - 1), renumber(5, 0), renumber(LENGTH, -1)),
    missing(LENGTH - 1),
  ],

  ['one inserted, the rest renumbered', inTurn(renumber(5, 1), insert(5)), inserted(5)],
  ['one inserted at the start', inTurn(renumber(1, 1), insert(1)), inserted(1)],
  [
    'one without a witness inserted',
    inTurn(renumber(5, 1), insert(5, { witness: null, uid: null })),
    inserted(5),
  ],
  [
    'one inserted with the chain of the one it stands before',
    inTurn(
      renumber(5, 1),
      insert(5, (rows) => ({ chain: at(rows, 6).chain })),
    ),
    inserted(5),
  ],
  [
    'two inserted',
    inTurn(renumber(5, 2), insert(5), insert(6, { id: 100, uid: 'e'.repeat(24) })),
    inserted(5),
  ],
  [
    'one inserted, chains kept in place',
    inTurn(
      (rows) => [...rows, { ...forged(rows, null), position: LENGTH + 1 }],
      (rows) => {
        const chains = rows.map((row) => row.chain);
        return rows.map((row, index) => {
          const position = Number(row.position);
          if (index === LENGTH) return { ...row, position: 5, chain: chains[4] ?? null };
          return position < 5 ? row : { ...row, position: position + 1, chain: chains[index + 1] ?? null };
        });
      },
    ),
    inserted(5),
  ],
  ['one appended without a chain', insert(LENGTH + 1, { chain: null }), inserted(LENGTH + 1)],
  [
    'one appended with a copied chain',
    insert(LENGTH + 1, (rows) => ({ chain: at(rows, LENGTH).chain })),
    inserted(LENGTH + 1),
  ],
  [
    'one appended with a copied witness',
    insert(LENGTH + 1, (rows) => ({ witness: at(rows, 3).witness })),
    inserted(LENGTH + 1),
  ],
  ['one inserted far away', insert(1000), inserted(1000)],
  ['one inserted before the start', insert(0), inserted(0)],
  ['one put in the place of another', inTurn(remove(5), insert(5)), inserted(5)],
  ['one inserted outside the chain', insert(null, { chain: null }), inserted(null)],
  ['one of now inserted outside the chain', insert(null, { chain: null, at: Date.now() }), inserted(null)],
  [
    'one without a witness inserted outside the chain',
    insert(null, { chain: null, witness: null, uid: null }),
    inserted(null),
  ],
  [
    'one with a copied witness inserted outside the chain',
    insert(null, (rows) => ({ chain: null, witness: at(rows, 3).witness })),
    inserted(null),
  ],

  ...[8, 6, LENGTH].flatMap((other): Case[] => [
    [`5 and ${other}: positions swapped`, swap(5, other, ['position']), swappedFrom(5, other)],
    [
      `5 and ${other}: positions and chains swapped`,
      swap(5, other, ['position', 'chain']),
      swappedFrom(5, other),
    ],
    [
      `5 and ${other}: contents and witnesses swapped`,
      swap(5, other, [...CONTENT, 'uid', 'witness']),
      swapped(5),
    ],
    [`5 and ${other}: contents and uids swapped`, swap(5, other, [...CONTENT, 'uid']), swapped(5)],
    [`5 and ${other}: contents swapped`, swap(5, other, CONTENT), swapped(5)],
    [`5 and ${other}: ids swapped`, swap(5, other, ['id']), swappedFrom(5, other)],
  ]),
  ['three in a ring', inTurn(swap(3, 5, ['position']), swap(5, 7, ['position'])), swappedFrom(3, 5)],
];
