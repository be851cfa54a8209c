import type { Request, RequestHandler, Router } from 'express';
import { mailedAddress, stopMails } from '../../../domain/reminders/stop-mails.ts';
import { readForm, requireOwnForm } from '../../pages/forms.ts';
import { PageError } from '../../pages/page-error.ts';
import { sendPage } from '../../pages/page-headers.ts';
import type { SigninPagesDeps } from '../../signin/parts.ts';

/**
 * /mails/:link/not-me: the “Not you?” link of a reminder. Mail scanners open links, so opening the link changes
 * nothing. The reader of the mail needs no account here: the code in the link is in this mail alone, and the form needs
 * only this code.
 */

const linkOf = (req: Request) => String(req.params['link']);

function unknown(): PageError {
  return new PageError(404, 'This link is not known', {
    reason: 'The address is incomplete, or it belongs to no mail of ours.',
    next: 'Copy the whole link from the mail and open it again.',
  });
}

function show({ context, pages }: SigninPagesDeps): RequestHandler {
  return async (req, res) => {
    const address = await mailedAddress(context, linkOf(req));
    if (!address) throw unknown();
    const { masked, isStopped } = address;
    const page = isStopped
      ? pages.render('not-me-done', { title: 'No more mails', masked })
      : pages.render('not-me', { title: 'Not you?', masked });
    sendPage(res, page);
  };
}

function stop({ context }: SigninPagesDeps): RequestHandler {
  return async (req, res) => {
    if (!(await stopMails(context, linkOf(req)))) throw unknown();
    res.redirect(303, `/mails/${linkOf(req)}/not-me`);
  };
}

/** Adds the page. No sign-in is needed. */
export function notMeRoutes(router: Router, parts: SigninPagesDeps): void {
  const { publicUrl } = parts.context.settings;
  router.get('/mails/:link/not-me', show(parts));
  router.post('/mails/:link/not-me', requireOwnForm(publicUrl), readForm, stop(parts));
}
