import type { RequestHandler } from 'express';
import { pageHeaders } from '../../pages/page-headers.ts';
import { refusePeople } from '../../overload/later.ts';
import { isProtected } from '../../wire/https.ts';
import type { HttpStaffApiDeps } from '../deps.ts';
import { ApiProblem } from '../problems/problems.ts';

/** What every request meets before its key is looked at. */

/** A redirect would make a program send its key in the clear again and again. */
const onlyHttps: RequestHandler = (req, res, next) => {
  if (isProtected(req)) return next();
  res.setHeader('Connection', 'close');
  next(
    new ApiProblem(
      'https-only',
      'The request came over plain HTTP and was not read. Change the key that it held.',
    ),
  );
};

/** The headers of pages, HTTPS alone, and the refusal of an overloaded process. */
export function apiDoor(context: HttpStaffApiDeps): RequestHandler[] {
  return [...pageHeaders, onlyHttps, refusePeople(context)];
}
