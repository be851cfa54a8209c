import { normalEmail } from '../../shared/mail/address.ts';
import { equalDigests } from '../../shared/secrets.ts';
import { findMail } from '../../store/reminders/mails.ts';
import { deleteStopped, insertStopped, stoppedAmong } from '../../store/reminders/stopped-addresses.ts';
import { recordEvent } from '../history/record-event.ts';
import type { Origin } from '../origin.ts';
import type { RemindersDeps } from './deps.ts';

/** “Not you?”: a reader who gets the reminders of another person stops all reminders to the address. */

/** The id of a mail and a code. The id also stands in logs and in the Message-ID; only the reader knows the code. */
const LINK = /^([0-9a-f]{24})-([\w-]{22})$/;

/** 132 bits of the digest, after the id of its key. */
function codeOf(digest: string): string {
  const start = digest.indexOf('.') + 1;
  return digest.slice(start, start + 22);
}

/** No token contains a blank, so no digest of a token is a code. */
const codedAs = (mailId: string) => `not-me ${mailId}`;

/** The path of the “Not you?” link in a mail. The link works as long as the bridge holds the key of its code. */
export function notMePath({ vault }: Pick<RemindersDeps, 'vault'>, mailId: string): string {
  return `/mails/${mailId}-${codeOf(vault.digest(codedAs(mailId)))}/not-me`;
}

/** The mail of a link; undefined when the code is not the code of the mail. */
function mailOf({ vault }: RemindersDeps, link: string): string | undefined {
  const [, mailId, code] = LINK.exec(link) ?? [];
  if (mailId === undefined || code === undefined) return undefined;
  const codes = vault.digests(codedAs(mailId)).map(codeOf);
  return codes.some((own) => equalDigests(own, code)) ? mailId : undefined;
}

/** The address that a reminder went to, as the page behind the link shows the address. */
export interface MailedAddress {
  /** Enough for readers to recognise their own address: `d…@example.org`. */
  masked: string;
  isStopped: boolean;
}

function maskOf(address: string): string {
  const at = address.lastIndexOf('@');
  return `${Array.from(address)[0] ?? ''}…${address.slice(at)}`;
}

async function mailedTo(
  context: RemindersDeps,
  link: string,
): Promise<{ mailId: string; address: string } | undefined> {
  const mailId = mailOf(context, link);
  const mail = mailId === undefined ? undefined : await findMail(context.store.durable, mailId);
  if (mailId === undefined || !mail || mail.address === null) return undefined;
  return { mailId, address: mail.address };
}

/** The address that the mail of a link (`ID-CODE`) went to; undefined when the link is not valid. */
export async function mailedAddress(
  context: RemindersDeps,
  link: string,
): Promise<MailedAddress | undefined> {
  const mail = await mailedTo(context, link);
  if (mail === undefined) return undefined;
  const stopped = await stoppedAmong(context.store.durable, [normalEmail(mail.address)]);
  return { masked: maskOf(mail.address), isStopped: stopped.size > 0 };
}

/**
 * Stops reminders to the address that the mail of a link went to; no sign-in is needed. False when the link is not
 * valid.
 */
export async function stopMails(context: RemindersDeps, link: string): Promise<boolean> {
  const mail = await mailedTo(context, link);
  if (mail === undefined) return false;
  const { mailId, address } = mail;
  const now = context.clock.now();
  await insertStopped(context.store.durable, { address: normalEmail(address), mailId, now });
  return true;
}

/**
 * Allows mails to an address again, for support; false when the address was not stopped. The history names the mail by
 * which its reader stopped them, and not the address.
 */
export async function resumeMails(
  context: RemindersDeps,
  { address, actor, requestId }: Origin & { address: string },
): Promise<boolean> {
  return context.store.transaction(async (tx) => {
    const mailId = await deleteStopped(tx, normalEmail(address));
    if (mailId === undefined) return false;
    const by = { at: context.clock.now(), actor, requestId, action: 'reminders_resumed' };
    await recordEvent(context, tx, { ...by, reason: `mail ${mailId}` });
    return true;
  });
}
