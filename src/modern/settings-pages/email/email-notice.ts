import type { Mail } from '../../../shared/mail/mailer.ts';
import type { SettingsPagesDeps } from '../parts.ts';

/**
 * Sends a notice. A failure is only logged: a lost mailbox is a reason to change the address and must not stop the
 * change.
 */
export async function sendNotice(
  { mailer, logger }: Pick<SettingsPagesDeps, 'mailer' | 'logger'>,
  mail: Mail,
): Promise<void> {
  try {
    await mailer.send(mail);
  } catch (cause) {
    logger.warn('the notice of an e-mail change was not sent', { cause });
  }
}
