import type { Request, Response } from 'express';
import type { PageError, OnwardLink } from '../pages/page-error.ts';
import { roleIn } from './reader.ts';
import { isVisitorKnown } from './visitor.ts';

/** The links on an error page. */

/** The pages inside the shell, by the beginning of their addresses, with the first page of each half. */
const HALVES: Readonly<Record<string, OnwardLink>> = {
  apps: { href: '/apps', label: 'Your apps' },
  support: { href: '/support', label: 'Support: search' },
};

const START: OnwardLink = { href: '/', label: 'Start page' };

/** The half of the site to which the address belongs. */
export const halfOf = ({ path }: Request): OnwardLink | undefined => HALVES[path.split('/')[1] ?? ''];

/** The one link to go on by. A person who is known not to be staff is not led to the support pages. */
export function wayOnFrom(res: Response, { wayOn }: PageError): OnwardLink | undefined {
  const half = halfOf(res.req);
  const isShut = half === HALVES['support'] && isVisitorKnown(res.req) && roleIn(res) === undefined;
  return wayOn ?? (isShut ? HALVES['apps'] : half);
}

/** Every place of the site that is open to this visitor, for a page without navigation. */
export function otherWays(res: Response, first: OnwardLink | undefined): OnwardLink[] {
  const ofStaff = roleIn(res) === undefined ? [] : [{ href: '/support', label: 'Support' }];
  const all = [{ href: '/apps', label: 'Your apps' }, ...ofStaff, START];
  return all.filter(({ href }) => href !== first?.href);
}
