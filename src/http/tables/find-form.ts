import type { RequestHandler } from 'express';
import { fieldsOf } from '../site/page-shell.ts';
import { findText } from './table-query.ts';

/**
 * The search box of a list is sent as a form, and leads to the address of what it asks for. A pasted token is refused
 * before it stands in an address, where a browser would keep it.
 */
export const leadToFind: RequestHandler = (req, res) => {
  const { show = '', sort = '', find, prefix = '' } = fieldsOf(req);
  const asked = Object.entries({ show, sort, find: findText(req, find) ?? '' }).filter(
    ([, text]) => text !== '',
  );
  const query = new URLSearchParams(
    asked.map(([name, text]): [string, string] => [`${prefix}${name}`, text]),
  ).toString();
  res.redirect(303, query === '' ? req.path : `${req.path}?${query}`);
};
