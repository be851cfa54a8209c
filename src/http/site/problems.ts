import type { Response } from 'express';
import type { PageShell, TemplateData } from './page-shell.ts';

/** What is wrong with a form, in sentences by the id of the field on the page. `form` stands for the whole form. */
export type FormProblems = Record<string, string>;

/** A sentence about a bad entry repeats at most this many characters of the entry. */
const SHOWN = 80;

/** The name of an entry in a sentence. */
export function quoted(entry: string): string {
  return `“${entry.length > SHOWN ? `${entry.slice(0, SHOWN)}…` : entry}”`;
}

/** A page with a form. With problems, the title says so too, for people who hear the page. */
export function askAgain(
  frame: PageShell,
  res: Response,
  { template, problems, ...data }: TemplateData & { template: string; problems: FormProblems },
): void {
  const isRefused = Object.keys(problems).length > 0;
  if (isRefused && res.statusCode === 200) res.status(422);
  const title = isRefused ? `Error: ${data.title}` : data.title;
  frame.page(res, template, { ...data, heading: data.title, title, problems });
}
