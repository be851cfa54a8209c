import type { FormEntry } from './entries.ts';
import { type PageData, show, type Visit } from './visit.ts';

/** The message of each wrong field, by the id of the field on the page. */
export type FieldProblems = Record<string, string>;

/** The problems of the entries that have a problem. */
export function problemsOf(entries: Record<string, Pick<FormEntry<unknown>, 'problem'>>): FieldProblems {
  const found = Object.entries(entries).flatMap(([id, { problem }]) => (problem ? [[id, problem]] : []));
  return Object.fromEntries(found);
}

/**
 * A page with a form. With problems the page is the answer to a refused form: the top and the title say so, and links
 * lead to the fields. `problem` is about the whole form.
 */
export function ask(
  visit: Visit,
  template: string,
  { title, ...data }: PageData & { problems: FieldProblems; problem?: string | undefined },
): void {
  const isRefused = data.problem !== undefined || Object.keys(data.problems).length > 0;
  if (isRefused) visit.res.status(422);
  show(visit, template, { ...data, heading: title, title: isRefused ? `Error: ${title}` : title });
}
