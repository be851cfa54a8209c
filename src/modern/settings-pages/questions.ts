import type { Entry } from './entries.ts';
import { type PageData, show, type Visit } from './visit.ts';

/** What is wrong, by the id of the field on the page. */
export type Problems = Record<string, string>;

/** Of the entries that have one. */
export function problemsOf(entries: Record<string, Pick<Entry<unknown>, 'problem'>>): Problems {
  const found = Object.entries(entries).flatMap(([id, { problem }]) => (problem ? [[id, problem]] : []));
  return Object.fromEntries(found);
}

/**
 * A page with a form; with problems it is the answer to one that was not taken, says so at its top and in its title, and
 * links to the fields. `problem` stands for the whole form.
 */
export function ask(
  visit: Visit,
  template: string,
  { title, ...data }: PageData & { problems: Problems; problem?: string | undefined },
): void {
  const isRefused = data.problem !== undefined || Object.keys(data.problems).length > 0;
  if (isRefused) visit.res.status(422);
  show(visit, template, { ...data, heading: title, title: isRefused ? `Error: ${title}` : title });
}
