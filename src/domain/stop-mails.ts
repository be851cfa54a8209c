import { normalEmail } from '../shared/mail/address.ts';
import { findMail } from '../store/mail-tokens.ts';
import { stoppedAmong } from '../store/mails.ts';
import { deleteStopped, insertStopped } from '../store/stopped-addresses.ts';
import type { Context } from './context.ts';

/** “Not you?”: whoever reads a reminder that is not theirs stops all reminders to that address. */

const MAIL_ID = /^[0-9a-f]{24,32}$/;

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

async function addressOf({ store }: Context, mailId: string): Promise<string | undefined> {
  const mail = MAIL_ID.test(mailId) ? await findMail(store.durable, mailId) : undefined;
  return mail?.address ?? undefined;
}

/** The address of a mail; undefined when no such mail was sent. */
export async function mailedAddress(context: Context, mailId: string): Promise<MailedAddress | undefined> {
  const address = await addressOf(context, mailId);
  if (address === undefined) return undefined;
  const stopped = await stoppedAmong(context.store.durable, [normalEmail(address)]);
  return { masked: maskOf(address), isStopped: stopped.size > 0 };
}

/** Stops reminders to the address of a mail, whoever asks: only its reader knows the id. False when there is none. */
export async function stopMails(context: Context, mailId: string): Promise<boolean> {
  const address = await addressOf(context, mailId);
  if (address === undefined) return false;
  const now = context.clock.now();
  await insertStopped(context.store.durable, { address: normalEmail(address), mailId, now });
  return true;
}

/** Lets an address be written to again, for support; false when nobody had stopped it. */
export async function resumeMails(context: Context, address: string): Promise<boolean> {
  return deleteStopped(context.store.durable, normalEmail(address));
}
