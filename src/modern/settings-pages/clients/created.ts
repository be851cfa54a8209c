import { type OpenVisit, type PageData, render, show, type Visit } from '../visit.ts';

/** The name of the page for one form in one session: no other session ever gets the page. */
const nameOf = ({ sessionUid, req, form }: Visit): string =>
  JSON.stringify([sessionUid, req.path, form['form']]);

const send = ({ res }: OpenVisit, page: string) => void res.type('html').send(page);

/** Shows a new secret, on this page only. */
export function showCreated(visit: Visit, template: string, data: PageData): void {
  const page = render(visit, template, data);
  visit.parts.answers.keep(nameOf(visit), page);
  send(visit, page);
}

interface SecretShownNotice {
  title: string;
  /** Advice for a person who did not copy the secret the first time. */
  advice: string;
  /** Path of the page to which the answer links. */
  back?: string;
}

/** The answer to a form that was already carried out: the same page within ten seconds, afterwards an explanation. */
export function showAlready(visit: Visit, already: SecretShownNotice): void {
  const page = visit.parts.answers.find(nameOf(visit));
  if (page !== undefined) return send(visit, page);
  visit.res.status(409);
  return show(visit, 'settings/already', { back: '/settings/api', ...already });
}
