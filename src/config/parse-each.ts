import type { z } from 'zod';

/** Each setting for itself; a wrong one counts as unset from there on, so that the rules over several still apply. */
export function parseEach<T extends z.ZodObject>(settings: T, given: Record<string, string | undefined>) {
  const problems: string[] = [];
  const wrong: string[] = [];
  const values = Object.entries<z.ZodType>(settings.shape).map(([name, schema]) => {
    const parsed = schema.safeParse(given[name]);
    if (parsed.success) return [name, parsed.data];
    wrong.push(name);
    problems.push(...parsed.error.issues.slice(0, 1).map((issue) => `${name}: ${issue.message}`));
    return [name, schema.parse(undefined)];
  });
  return { env: Object.fromEntries(values) as z.infer<T>, problems, wrong };
}
