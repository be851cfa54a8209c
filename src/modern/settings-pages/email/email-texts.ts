import type { Mail } from '../../../shared/mail/mailer.ts';
import { siteName } from '../../page-headers.ts';

/**
 * The mails about a new e-mail address. The mails contain no account name: anybody can choose any name and have the
 * mail sent to a stranger.
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

/** To the new address, when the address belongs to another account. */
export const takenMail = (email: string): Mail =>
  mail(email, 'Somebody wanted to use your e-mail address', [
    `Somebody asked to use this address for another ${siteName}.`,
    'It belongs to yours, so nothing was changed and there is nothing to do.',
    '',
    'If it was you: sign in with this address, or give the other account a different one.',
  ]);

const NOT_YOURS = 'Then look at your API keys, clients and connected apps, and delete what you do not know.';

/** To the current address, as a warning to its owner. The mail has no link, because nothing has to be opened. */
export const noticeMail = (address: string, wanted: string): Mail =>
  mail(address, 'A new e-mail address was asked for', [
    `Somebody who knows your password asked to change the e-mail address of your ${siteName} to`,
    `${wanted}.`,
    '',
    'Nothing has changed yet. The address changes when the link is opened that was sent to the new one.',
    'You will get a mail here when that happens.',
    '',
    'If it was you, there is nothing to do here.',
    'If it was not you, sign in and change your password. That stops the change and signs out everybody else.',
    NOT_YOURS,
  ]);

/** To the old address. Its owner may not be the person who changed the address. */
export const changedMail = (oldAddress: string, newAddress: string): Mail =>
  mail(oldAddress, 'Your e-mail address was changed', [
    `The e-mail address of your ${siteName} is now`,
    `${newAddress}.`,
    '',
    'You cannot sign in with this address any more. The password is the same.',
    '',
    'If it was you, there is nothing to do here.',
    'If it was not you, sign in with the new address and your password, and change the password at once.',
    NOT_YOURS,
    'If your password does not work any more, ask the people who run this service for help.',
  ]);
