import type { Request, Response } from 'express';
import type { PageError, WayOn } from '../pages/page-error.ts';
import { roleIn } from './page-shell.ts';
import { visitorOf } from './visitor.ts';

/** Where an error page leads on to. */

/** The pages that stand in the frame, by how their addresses begin, and where each half of them begins. */
const HALVES: Readonly<Record<string, WayOn>> = {
  apps: { href: '/apps', label: 'Your apps' },
  support: { href: '/support', label: 'Support: search' },
};

const START: WayOn = { href: '/', label: 'Start page' };

/** The half of the site that the address is of. */
export const halfOf = ({ path }: Request): WayOn | undefined => HALVES[path.split('/')[1] ?? ''];

/** One link to go on by; nobody is led to where only staff may go who is known not to be of the staff. */
export function wayOnFrom(res: Response, { wayOn }: PageError): WayOn | undefined {
  const half = halfOf(res.req);
  const isShut = half === HALVES['support'] && visitorOf(res.req) !== undefined && roleIn(res) === undefined;
  return wayOn ?? (isShut ? HALVES['apps'] : half);
}

/** Every place of the site to which this visitor can go; a page without navigation names them. */
export function otherWays(res: Response, first: WayOn | undefined): WayOn[] {
  const ofStaff = roleIn(res) === undefined ? [] : [{ href: '/support', label: 'Support' }];
  const all = [{ href: '/apps', label: 'Your apps' }, ...ofStaff, START];
  return all.filter(({ href }) => href !== first?.href);
}
