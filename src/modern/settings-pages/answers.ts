/**
 * The answers of forms that create something, for as long as a double click takes: of its two requests the browser shows
 * the answer to the second, and a new key or secret would be lost with the first.
 */
import { type OpenVisit, type PageData, render, show, type Visit } from './visit.ts';

const KEPT_MILLISECONDS = 10_000;
/** A page has about 5 kB. */
const MOST = 1000;

/** Pages by name, in memory alone, because they contain secrets. */
export function createAnswers() {
  const pages = new Map<string, string>();
  return {
    find: (name: string): string | undefined => pages.get(name),
    keep(name: string, page: string): void {
      const [oldest] = pages.keys();
      if (oldest !== undefined && pages.size >= MOST) pages.delete(oldest);
      pages.set(name, page);
      setTimeout(() => pages.delete(name), KEPT_MILLISECONDS).unref();
    },
  };
}

export type Answers = ReturnType<typeof createAnswers>;

/** Of one form in one session: nobody else is ever shown the page. */
const nameOf = ({ sessionUid, req, form }: Visit): string =>
  JSON.stringify([sessionUid, req.path, form['form']]);

const send = ({ res }: OpenVisit, page: string) => void res.type('html').send(page);

/** The one page that shows a new secret. */
export function showCreated(visit: Visit, template: string, data: PageData): void {
  const page = render(visit, template, data);
  visit.parts.answers.keep(nameOf(visit), page);
  send(visit, page);
}

interface Already {
  title: string;
  /** What to do when the secret was not copied the first time. */
  advice: string;
  /** Path of a page. */
  back?: string;
}

/** The answer to a form that did its work before: the same page within ten seconds, and afterwards words about it. */
export function showAlready(visit: Visit, already: Already): void {
  const page = visit.parts.answers.find(nameOf(visit));
  if (page !== undefined) return send(visit, page);
  visit.res.status(409);
  return show(visit, 'settings/already', { back: '/settings/api', ...already });
}
