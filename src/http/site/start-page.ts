import type { RequestHandler } from 'express';
import { sendPage } from '../pages/page-headers.ts';
import type { PageShell } from './page-shell.ts';
import { isVisitorKnown } from './visitor.ts';

/** GET /: what this site is. A signed-in person sees the navigation, everybody else a link to the sign-in. */

const SIGN_IN = [{ label: 'Sign in', href: '/sign-in', current: false }];

/** Needs `knowVisitor` before it. */
export function showStart(frame: PageShell): RequestHandler {
  const { pages } = frame.parts;
  return (req, res) => {
    const shown = { title: 'Welcome' };
    if (isVisitorKnown(req)) return frame.page(res, 'home', shown);
    sendPage(res, pages.render('home', { ...shown, navigation: SIGN_IN }));
  };
}
