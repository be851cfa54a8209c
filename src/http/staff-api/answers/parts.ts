import { z } from 'zod';
import { isoMoment, MOMENT_FORM, readMoment } from '../../../shared/moments.ts';

/** The parts that many answers and requests share. */

/** The schemas with a name of their own in the OpenAPI document. */
export const NAMED_SCHEMAS = z.registry<{ id: string }>();

/** Gives a schema its name in the document. */
export function named<Schema extends z.ZodType>(id: string, schema: Schema): Schema {
  NAMED_SCHEMAS.add(schema, { id });
  return schema;
}

export const text = z.string();
export const textOrNull = text.nullable();
export const count = z.int().min(0);
export const yesNo = z.boolean();

/** A moment in an answer, with milliseconds, in UTC. */
export const time = z.string().meta({ format: 'date-time' });
export const timeOrNull = time.nullable();

/** A moment as answers tell it. */
export const toTime = isoMoment;

/** A moment that may not be known. */
export const toTimeOrNull = (at: number | null | undefined): string | null =>
  at === null || at === undefined ? null : isoMoment(at);

/** A moment in a request. */
export const momentIn = z
  .string()
  .max(40)
  .meta({ description: 'A date such as 2027-02-01, or a time with its zone such as 2027-02-01T09:00:00Z.' })
  .transform((given, check) => {
    const at = readMoment(given);
    if (at !== undefined) return at;
    check.addIssue({ code: 'custom', message: MOMENT_FORM });
    return z.NEVER;
  });

/** An id in an address. */
export const idIn = z.string().min(1).max(200);

/** Why somebody does what changes things of others. The rules are those of every reason. */
export const reasonIn = z.string().max(2000).meta({
  description: 'Why, in 1 to 500 printable characters without a token or secret. The history keeps it.',
});

export const cursorQuery = z.strictObject({
  cursor: z.string().max(300).optional().meta({ description: 'next_cursor of the page before.' }),
});

/** The cursor of the next page; null on the last page. */
export const nextCursor = textOrNull.meta({
  description: 'The cursor of the next page; null on the last page.',
});
