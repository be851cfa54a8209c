import { validateDetailed } from 'node-cron';

/** Each field of a cron expression from the right, with the number of its values. */
const FIELDS = [
  ['day of the week', 7],
  ['month', 12],
  ['day of the month', 31],
  ['hour', 24],
  ['minute', 60],
  ['second', 60],
] as const;

/** The names that the library gives the fields. */
const WORDS: Record<string, string> = { dayOfWeek: 'day of the week', dayOfMonth: 'day of the month' };

/** The names that stand for a whole expression. */
export const CRON_NAMES = [
  '@hourly',
  '@daily',
  '@midnight',
  '@weekly',
  '@monthly',
  '@yearly',
  '@annually',
] as const;

/** A step beyond the end of its field never comes a second time: `*\/90` in the minutes means once an hour. */
function fieldWithLongStep(expression: string): string | undefined {
  const words = expression.trim().split(/\s+/).toReversed();
  const found = FIELDS.find(([, size], at) =>
    [...(words[at] ?? '').matchAll(/\/(\d+)/g)].some(([, step]) => Number(step) > size),
  );
  return found?.[0];
}

/** What is wrong with a cron expression, without a word of it; undefined for a usable expression. */
export function cronProblem(expression: string): string | undefined {
  const [error] = validateDetailed(expression).errors;
  if (error?.message.includes('impossible'))
    return 'never comes, because none of its months has one of its days';
  if (error !== undefined && error.field !== 'expression')
    return `has a wrong value for the ${WORDS[error.field] ?? error.field}`;
  if (error !== undefined)
    return `must be a cron expression of five or six fields, such as */15 * * * *, or one of ${CRON_NAMES.join(' ')}`;
  const field = fieldWithLongStep(expression);
  return field && `has a step beyond the end of the ${field}, so the step never comes a second time`;
}
