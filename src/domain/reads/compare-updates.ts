import { compareObjects, type Difference } from './compare-answers.ts';

/** Compares two lists of updates, one of each API. A difference names the field and the kind, never the value. */

type Fields = Record<string, unknown>;

/** The old API lists at most 100 updates at once. A hostile answer must not fill the table of differences. */
const MOST_UPDATES = 100;
const MOST_DIFFERENCES = 100;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The updates of a list, and the fields beside `updates`, for example `total`. */
function partsOf(answer: unknown): { updates: Fields[] | undefined; rest: Fields } {
  const { updates, ...rest } = Object(answer) as Fields;
  return {
    updates: Array.isArray(updates) ? updates.filter(isFields).slice(0, MOST_UPDATES) : undefined,
    rest,
  };
}

const contentOf = ({ text, due_at: dueAt }: Fields) => JSON.stringify([text, dueAt]);

/** Finds the same update among `updates`: by its id, else by text and time, because the ids of the APIs may differ. */
function createFindTwin(updates: readonly Fields[]): (update: Fields) => Fields | undefined {
  const byId = new Map(updates.map((one) => [one['id'], one]));
  const byContent = new Map(updates.map((one) => [contentOf(one), one]));
  return (update) => byId.get(update['id']) ?? byContent.get(contentOf(update));
}

function compareEach(there: readonly Fields[], here: readonly Fields[]): Difference[] {
  const twinThere = createFindTwin(there);
  const twinHere = createFindTwin(here);
  const found = here.flatMap((update): Difference[] => {
    const twin = twinThere(update);
    return twin ? compareObjects(twin, update, 'updates[]') : [{ field: 'updates[]', difference: 'added' }];
  });
  return there.some((update) => !twinHere(update))
    ? [...found, { field: 'updates[]', difference: 'missing' }]
    : found;
}

/** Each field and kind counts once. Field paths of updates begin with `updates[]`. */
export function compareUpdates(old: unknown, ours: object): Difference[] {
  const [there, here] = [partsOf(old), partsOf(ours)];
  if (!there.updates) return [{ field: 'updates', difference: 'type' }];
  const found = [
    ...compareEach(there.updates, here.updates ?? []),
    ...compareObjects(there.rest, here.rest, 'list'),
  ];
  const each = new Map(found.map((one) => [`${one.field} ${one.difference}`, one]));
  return [...each.values()].slice(0, MOST_DIFFERENCES);
}
