import express, { type RequestHandler } from 'express';
import { isOwnForm } from '../../shared/own-form.ts';
import { checkTrace } from '../request-trace.ts';
import { slowBeyond } from '../wire/unreadable-body.ts';
import { expiredForm } from './page-error.ts';

/** The checks that every form passes, for any reader. */

/** Refuses a form that another site sends, before the body is read. */
export function requireOwnForm(publicUrl: string): RequestHandler {
  const own = new URL(publicUrl).origin;
  return (req, _res, next) => {
    const headers = { site: req.get('sec-fetch-site'), origin: req.get('origin') };
    next(isOwnForm(own, headers) ? undefined : expiredForm());
  };
}

const LIMIT = 16 * 1024;

const parse = express.urlencoded({ extended: false, inflate: false, limit: LIMIT, parameterLimit: 120 });

const textsIn = (fields: unknown) => Object.values((fields ?? {}) as Record<string, unknown>).map(String);

/** Reads the fields of a form into `req.body`. Compressed bodies are refused, because no browser compresses a form. */
export const readForm: RequestHandler = (req, res, next) => {
  parse(req, res, (error?: unknown) => {
    if (!error) checkTrace(res, () => textsIn(req.body));
    next(error);
  });
  slowBeyond(req, LIMIT);
};

/** Express runs a GET handler for HEAD too. An address where opening begins or uses up something refuses HEAD. */
export const refuseHead: RequestHandler = (req, res, next) => {
  if (req.method !== 'HEAD') return next();
  res.status(405).set('Allow', 'GET, POST').end();
};
