import { normalEmail } from '../../shared/mail/address.ts';
import { equalDigests } from '../../shared/secrets.ts';
import { findMail } from '../../store/reminders/mails.ts';
import { deleteStopped, insertStopped, stoppedAmong } from '../../store/reminders/stopped-addresses.ts';
import type { Context } from '../context.ts';

/** “Not you?”: whoever reads a reminder that is not theirs stops all reminders to that address. */

/** The id of a mail and the code that only its reader knows: the id alone stands in logs and in the Message-ID. */
const LINK = /^([0-9a-f]{24})-([\w-]{22})$/;

/** 132 of the digest's bits, behind the id of its key. */
function codeOf(digest: string): string {
  const start = digest.indexOf('.') + 1;
  return digest.slice(start, start + 22);
}

/** No token has a blank in it, so that no digest of one is a code. */
const codedAs = (mailId: string) => `not-me ${mailId}`;

/** The path of the “Not you?” link in a mail; it leads there as long as the key that made it is held. */
export function notMePath({ vault }: Pick<Context, 'vault'>, mailId: string): string {
  return `/mails/${mailId}-${codeOf(vault.digest(codedAs(mailId)))}/not-me`;
}

/** The mail of a link; undefined where the code is not its own. */
function mailOf({ vault }: Context, link: string): string | undefined {
  const [, mailId, code] = LINK.exec(link) ?? [];
  if (mailId === undefined || code === undefined) return undefined;
  const codes = vault.digests(codedAs(mailId)).map(codeOf);
  return codes.some((own) => equalDigests(own, code)) ? mailId : undefined;
}

/** The address that a reminder went to, as the link in it shows it. */
export interface MailedAddress {
  /** Enough to recognise one's own: `d…@example.org`. */
  masked: string;
  isStopped: boolean;
}

function maskOf(address: string): string {
  const at = address.lastIndexOf('@');
  return `${Array.from(address)[0] ?? ''}…${address.slice(at)}`;
}

async function mailedTo(
  context: Context,
  link: string,
): Promise<{ mailId: string; address: string } | undefined> {
  const mailId = mailOf(context, link);
  const mail = mailId === undefined ? undefined : await findMail(context.store.durable, mailId);
  if (mailId === undefined || !mail || mail.address === null) return undefined;
  return { mailId, address: mail.address };
}

/** The address that the mail of a link (`ID-CODE`) went to; undefined when there is no such link. */
export async function mailedAddress(context: Context, link: string): Promise<MailedAddress | undefined> {
  const mail = await mailedTo(context, link);
  if (mail === undefined) return undefined;
  const stopped = await stoppedAmong(context.store.durable, [normalEmail(mail.address)]);
  return { masked: maskOf(mail.address), isStopped: stopped.size > 0 };
}

/** Stops reminders to the address that the mail of a link went to, whoever asks. False when there is no such link. */
export async function stopMails(context: Context, link: string): Promise<boolean> {
  const mail = await mailedTo(context, link);
  if (mail === undefined) return false;
  const { mailId, address } = mail;
  const now = context.clock.now();
  await insertStopped(context.store.durable, { address: normalEmail(address), mailId, now });
  return true;
}

/** Lets an address be written to again, for support; false when nobody had stopped it. */
export async function resumeMails(context: Context, address: string): Promise<boolean> {
  return deleteStopped(context.store.durable, normalEmail(address));
}
