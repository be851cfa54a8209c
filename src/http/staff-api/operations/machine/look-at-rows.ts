import { redactText } from '../../../../shared/log/redaction.ts';
import { ApiProblem, type RequestMistake } from '../../problems/problems.ts';

/**
 * A first look at the rows of an import, which ends at the twentieth mistake. The schema would look at each value of
 * four megabytes and keep what is wrong with it: ten seconds and a gigabyte for a body of nothing but mistakes.
 */

const MISTAKES_MAX = 20;

/** No row has as many fields, and each costs the schema more than its bytes. */
const FIELDS_MAX = 100;

const NAME_MAX = 100;

const VALUES_MAX = 1000;

const isText = (value: unknown) => typeof value === 'string';

const isValue = (value: unknown): boolean =>
  typeof value !== 'object' ||
  value === null ||
  (Array.isArray(value) && value.length <= VALUES_MAX && value.every(isText));

type Mistake = readonly [pointer: string, detail: string];

function mistakeIn(row: unknown): Mistake | undefined {
  if (typeof row !== 'object' || row === null || Array.isArray(row)) return ['', 'must be an object'];
  const fields = Object.entries(row);
  if (fields.length > FIELDS_MAX) return ['', `has more than ${FIELDS_MAX} fields`];
  const odd = fields.find(([, value]) => !isValue(value));
  return (
    odd && [
      `/${odd[0].slice(0, NAME_MAX)}`,
      `must be a text, a number, yes or no, nothing, or a list of at most ${VALUES_MAX} texts`,
    ]
  );
}

/**
 * Refuses rows that hold what no field can be. What else is wrong with the body, its schema says.
 * @throws {ApiProblem}
 */
export function lookAtRows(body: unknown, most: number): void {
  const { rows } = (body ?? {}) as { rows?: unknown };
  if (!Array.isArray(rows) || rows.length > most) return;
  const errors: RequestMistake[] = [];
  for (const [place, row] of rows.entries()) {
    const [pointer, detail] = mistakeIn(row) ?? [];
    if (pointer === undefined || detail === undefined) continue;
    errors.push({ in: 'body', pointer: redactText(`/rows/${place}${pointer}`), detail });
    if (errors.length === MISTAKES_MAX) break;
  }
  if (errors.length > 0)
    throw new ApiProblem('invalid-request', 'Nothing was changed. See errors.', { errors });
}
