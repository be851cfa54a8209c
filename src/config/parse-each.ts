import type { z } from 'zod';

/** A value of blanks is a mistake: neither a value nor unset. */
const BLANK = 'holds only blanks: set a value, or leave the setting out';

const isBlank = (text: string | undefined) => text !== undefined && text.trim() === '';

function problemOf(schema: z.ZodType, text: string | undefined): string | undefined {
  return isBlank(text) ? BLANK : schema.safeParse(text).error?.issues[0]?.message;
}

/**
 * Parses each setting by itself. A wrong setting counts as unset from there on, so that the rules over several settings
 * still apply.
 */
export function parseEach<T extends z.ZodObject>(settings: T, given: Record<string, string | undefined>) {
  const problems: string[] = [];
  const wrong: string[] = [];
  const values = Object.entries<z.ZodType>(settings.shape).map(([name, schema]) => {
    const problem = problemOf(schema, given[name]);
    if (problem === undefined) return [name, schema.parse(given[name])];
    wrong.push(name);
    problems.push(`${name}: ${problem}`);
    return [name, schema.parse(undefined)];
  });
  return { env: Object.fromEntries(values) as z.infer<T>, problems, wrong };
}
