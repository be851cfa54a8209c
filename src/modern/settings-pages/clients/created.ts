import { type OpenVisit, type PageData, render, show, type Visit } from '../visit.ts';

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
