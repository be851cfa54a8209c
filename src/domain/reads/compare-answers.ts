/**
 * Compares an answer of the bridge with the answer of the old API to the same call. A difference names the field and
 * the kind, never the value: values are personal.
 */

/**
 * `missing`: only the old answer has the field. `added`: only our answer has the field. `type`: the types differ.
 * `value`: the types are the same and the values differ.
 */
export interface Difference {
  field: string;
  difference: 'missing' | 'added' | 'type' | 'value';
}

/**
 * Fields whose values are expected to differ, by the last part of the path. Only the type of these fields is compared,
 * and nothing below these fields.
 */
const BY_TYPE_ALONE: ReadonlyMap<string, string> = new Map([
  ['activity_at', 'the time of the call itself'],
  ['avatar', 'the old API and the new API keep pictures at different addresses'],
  ['avatar_https', 'as the avatar'],
  ['counts', 'the old API and the new API have different posts'],
  ['statistics', 'followers come and go, and the new API does not count them'],
  ['via', 'the old API named the program, the new API names the way by which a post came'],
  ['referral_link', 'the new API has no referrals'],
  ['referral_token', 'as the referral link'],
]);

/** A hostile answer must not fill the table: unusual names become `(other)`, and further differences are dropped. */
const ORDINARY_NAME = /^\w{1,40}$/;
const MOST_DIFFERENCES = 100;

type Fields = Record<string, unknown>;

interface CompareContext {
  path: string;
  report: (field: string, difference: Difference['difference']) => void;
}

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return value === null ? 'null' : typeof value;
}

const isFields = (value: unknown): value is Fields => typeOf(value) === 'object';

/** The fields that the JSON of an answer has: an undefined property is absent there. */
const namesIn = (fields: Fields) => new Set(Object.keys(fields).filter((name) => fields[name] !== undefined));

/** PHP wrote an empty map as an empty list, therefore an empty list does not prove a type. */
function isEmptyMap(value: unknown): boolean {
  return Array.isArray(value) ? value.length === 0 : isFields(value) && namesIn(value).size === 0;
}

const ends = (path: string) => path.split('.').at(-1) ?? path;

function compareFields(old: Fields, ours: Fields, { path, report }: CompareContext): void {
  const [there, here] = [namesIn(old), namesIn(ours)];
  for (const name of new Set([...there, ...here])) {
    const field = `${path}.${ORDINARY_NAME.test(name) ? name : '(other)'}`;
    if (!here.has(name)) report(field, 'missing');
    else if (!there.has(name)) report(field, 'added');
    else compareValues(old[name], ours[name], { path: field, report });
  }
}

function compareLists(
  old: readonly unknown[],
  ours: readonly unknown[],
  { path, report }: CompareContext,
): void {
  if (old.length !== ours.length) report(path, 'value');
  for (let index = 0; index < Math.min(old.length, ours.length); index += 1)
    compareValues(old[index], ours[index], { path: `${path}[]`, report });
}

function compareValues(old: unknown, ours: unknown, place: CompareContext): void {
  const { path, report } = place;
  if (isEmptyMap(old) && isEmptyMap(ours)) return;
  if (typeOf(old) !== typeOf(ours)) return report(path, 'type');
  if (BY_TYPE_ALONE.has(ends(path))) return;
  if (Array.isArray(old) && Array.isArray(ours)) return compareLists(old, ours, place);
  if (isFields(old) && isFields(ours)) return compareFields(old, ours, place);
  if (old !== ours) report(path, 'value');
}

/** Each field and kind counts once, even where several entries of a list differ in the same field. */
function collect(compare: (report: CompareContext['report']) => void): Difference[] {
  const found = new Map<string, Difference>();
  compare((field, difference) => {
    if (found.size < MOST_DIFFERENCES) found.set(`${field} ${difference}`, { field, difference });
  });
  return [...found.values()];
}

const idOf = (value: unknown) => (isFields(value) ? value['id'] : undefined);

/** Compares two objects. `name` begins every field path. */
export function compareObjects(old: unknown, ours: unknown, name: string): Difference[] {
  return collect((report) => compareValues(old, ours, { path: name, report }));
}

/** Compares two lists of profiles in any order, each profile by its id. Field paths begin with `profiles[]`. */
export function compareProfiles(old: unknown, ours: readonly unknown[]): Difference[] {
  if (!Array.isArray(old)) return [{ field: 'profiles', difference: 'type' }];
  const path = 'profiles[]';
  const byId = new Map((old as unknown[]).map((one) => [idOf(one), one]));
  const ourIds = new Set(ours.map(idOf));
  return collect((report) => {
    if ([...byId.keys()].some((id) => !ourIds.has(id))) report(path, 'missing');
    for (const one of ours) {
      if (byId.has(idOf(one))) compareValues(byId.get(idOf(one)), one, { path, report });
      else report(path, 'added');
    }
  });
}
