import type { Mail } from '../../shared/mail/mailer.ts';
import { siteName } from '../page-headers.ts';

/**
 * The mails around a new e-mail address. They hold no name, because anybody can call himself what he likes and have it
 * sent to a stranger.
 */
const mail = (to: string, subject: string, lines: string[]): Mail => ({
  to,
  subject,
  text: `${lines.join('\n')}\n`,
  sender: siteName,
});

/** To the new address. */
export const confirmingMail = (email: string, link: string): Mail =>
  mail(email, 'Confirm your new e-mail address', [
    `You asked to sign in to your ${siteName} with this address.`,
    '',
    'To confirm it, open this link within 24 hours and press the button:',
    '',
    link,
    '',
    'If you did not ask for this, do nothing. Without the link nothing changes.',
  ]);

/** To the new address, when it is another account's. */
export const takenMail = (email: string): Mail =>
  mail(email, 'Somebody wanted to use your e-mail address', [
    `Somebody asked to use this address for another ${siteName}.`,
    'It belongs to yours, so nothing was changed and there is nothing to do.',
    '',
    'If it was you: sign in with this address, or give the other account a different one.',
  ]);

/** To the address as it is, so that its owner hears of it; without a link, for nothing is to be opened here. */
export const noticeMail = (account: { email: string }, wanted: string): Mail =>
  mail(account.email, 'Your e-mail address is about to change', [
    `Somebody who knows your password asked to change the e-mail address of your ${siteName} to`,
    `${wanted}.`,
    '',
    'It changes when the link is opened that was sent to the new address.',
    '',
    'If it was you, there is nothing to do here.',
    'If it was not you, sign in and change your password. That stops the change and signs out everybody else.',
  ]);
