import type { Request, Response } from 'express';
import { csvLine } from './csv.ts';

/** The form of an answer: a page for people, or a form that programs can parse. */

type AnswerFormat = 'html' | 'json' | 'csv';

/**
 * The addresses that programs read. The old addresses have their own refusals; other addresses are for people alone.
 */
const READ_BY_PROGRAMS = /^\/(?:apps|support|lifecycle)(?=[/.]|$)/;

/** What an address serves, by its ending. An address without an ending serves pages. */
function servedAt(path: string): AnswerFormat {
  const [, ending] = /\.(json|csv)$/.exec(path) ?? [];
  return ending === 'json' || ending === 'csv' ? ending : 'html';
}

/**
 * The form of a refusal that the caller can read. A browser names HTML. A program names its own form or accepts all
 * forms; then the form of the address counts.
 */
export function answerForm(req: Request): AnswerFormat {
  const path = req.originalUrl.split('?')[0] ?? '';
  if (!READ_BY_PROGRAMS.test(path)) return 'html';
  const forms = new Set<AnswerFormat>([servedAt(path), 'html', 'json', 'csv']);
  const wanted = req.accepts([...forms]);
  return [...forms].find((form) => form === wanted) ?? servedAt(path);
}

/** A refusal in words. */
interface Refusal {
  status: number;
  title: string;
  detail: string;
}

/** Answers a program: JSON by RFC 9457, or one CSV record with the same fields. */
export function sendProblem(res: Response, form: Exclude<AnswerFormat, 'html'>, refusal: Refusal): void {
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
