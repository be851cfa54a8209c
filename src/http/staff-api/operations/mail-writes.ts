import { z } from 'zod';
import { resumeMails } from '../../../domain/reminders/stop-mails.ts';
import { settleUnreached } from '../../../domain/support/actions/actions-settle.ts';
import { idIn, reasonIn, text } from '../answers/parts.ts';
import { operation } from '../operation.ts';
import { nothingThere } from '../problems/problems.ts';
import { notPossible } from './refusals.ts';

/** Mails that reached nobody, and readers who said “not me” by mistake. */

const WRITE = { method: 'post', tag: 'reminders', isWrite: true } as const;

export const MAIL_WRITES = [
  operation({
    ...WRITE,
    id: 'settleMail',
    path: '/mails/{mail_id}/settle',
    needs: 'agent',
    summary: 'Marks a mail that reached nobody as dealt with',
    parameters: z.strictObject({ mail_id: idIn }),
    body: z.strictObject({ reason: reasonIn }),
    answer: z.object({ mail_id: text }),
    problems: ['not-found'],
    async run(context, { path: { mail_id: mailId }, body: { reason }, origin }) {
      if (await settleUnreached(context, { mailId, reason, ...origin })) return { mail_id: mailId };
      throw nothingThere('No mail with this id waits for support.');
    },
  }),
  operation({
    ...WRITE,
    id: 'resumeReminders',
    path: '/reminders/resume',
    needs: 'lead',
    summary: 'Sends reminders again to an address whose reader has said “not me”',
    body: z.strictObject({ address: z.string().min(3).max(320) }),
    answer: z.object({ address: text }),
    problems: ['not-possible'],
    async run(context, { body: { address }, origin }) {
      if (await resumeMails(context, { address, ...origin })) return { address };
      throw notPossible('Nobody has stopped reminders to this address.');
    },
  }),
];
