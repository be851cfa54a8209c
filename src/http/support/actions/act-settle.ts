import type { Request } from 'express';
import {
  settleUnreached,
  type UnreachedMail,
  unreachedMail,
} from '../../../domain/support/actions/actions-settle.ts';
import { PageError } from '../../pages/page-error.ts';
import type { PageShell } from '../../site/page-shell.ts';
import type { StaffAction, NoticeRedirect } from './action-form.ts';
import { personPart } from '../desks/desk-parts.ts';
import { failureWords } from '../token/failure-words.ts';

/** /support/mails/:id/settle: takes an undeliverable mail off the list. */

const DESK = '/support/desks/undeliverable';

async function mailIn({ context }: PageShell, req: Request): Promise<UnreachedMail> {
  const mail = await unreachedMail(context, String(req.params['id']));
  if (mail) return mail;
  throw new PageError(404, 'There is no such mail', {
    reason: 'The address is mistyped, or the mail did reach somebody.',
    next: 'Open the list of mails that reached nobody under “Desks”.',
  });
}

const leaveTo = (notice: string): NoticeRedirect => ({ href: DESK, notice });

/** The action `settle`. */
export function settleAction(frame: PageShell): StaffAction<UnreachedMail> {
  return {
    path: '/support/mails/:id/settle',
    needs: 'agent',
    find: (req) => mailIn(frame, req),
    async ask({ address, failure, at, isSettled, apps, ...to }) {
      if (isSettled) return leaveTo('too-late');
      return {
        title: 'Mark this mail as dealt with',
        says: [
          'The mail leaves the list of those that reached nobody. Nothing is sent, and the person is reminded of later dates as before.',
          'Say in the reason what was done: that somebody was called, for instance, or that nobody is left to be told.',
        ],
        facts: [
          { term: 'For', text: personPart(to).text },
          { term: 'Address', text: address ?? 'none was known' },
          { term: 'Why it reached nobody', text: failureWords(failure) },
          { term: 'When', time: at },
          { term: 'About', text: apps.map(({ name }) => name).join(', ') || 'nothing any more' },
        ],
        button: { label: 'Mark as dealt with', isDanger: false },
        back: { href: DESK, label: 'Mails that reached nobody' },
      };
    },
    async act({ target, reason, origin }) {
      const isDone = await settleUnreached(frame.context, { mailId: target.mailId, reason, ...origin });
      return leaveTo(isDone ? 'mail-settled' : 'too-late');
    },
  };
}
