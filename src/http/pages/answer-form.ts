import type { Request, Response } from 'express';
import { csvLine } from './csv.ts';

/** The form of an answer: a page for people, and for programs what they can parse. */

type Form = 'html' | 'json' | 'csv';

/** Where programs read: the old addresses have refusals of their own, and what stands elsewhere is for people alone. */
const READ_BY_PROGRAMS = /^\/(?:apps|support|lifecycle)(?=[/.]|$)/;

/** What an address serves, by its ending; without one it serves pages. */
function servedAt(path: string): Form {
  const [, ending] = /\.(json|csv)$/.exec(path) ?? [];
  return ending === 'json' || ending === 'csv' ? ending : 'html';
}

/**
 * The form in which whoever sent the request reads a refusal. A browser names HTML; a program names its own form, or takes
 * all, which at the address of a file is the form of the file.
 */
export function answerForm(req: Request): Form {
  const path = req.originalUrl.split('?')[0] ?? '';
  if (!READ_BY_PROGRAMS.test(path)) return 'html';
  const forms = new Set<Form>([servedAt(path), 'html', 'json', 'csv']);
  const wanted = req.accepts([...forms]);
  return [...forms].find((form) => form === wanted) ?? servedAt(path);
}

/** A refusal in words. */
interface Refusal {
  status: number;
  title: string;
  detail: string;
}

/** Answers a program: JSON as RFC 9457 has it, or one record of CSV with the same fields. */
export function sendProblem(res: Response, form: Exclude<Form, 'html'>, refusal: Refusal): void {
  const { status, title, detail } = refusal;
  res.removeHeader('Content-Disposition');
  if (form === 'json') {
    res.setHeader('Content-Type', 'application/problem+json');
    res.end(JSON.stringify({ title, status, detail }));
    return;
  }
  res.setHeader('Content-Type', 'text/csv; charset=utf-8; header=present');
  res.end(csvLine(['status', 'title', 'detail']) + csvLine([status, title, detail]));
}
