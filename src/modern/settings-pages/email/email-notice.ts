import type { Mail } from '../../../shared/mail/mailer.ts';
import type { SettingsParts } from '../parts.ts';

/** The old box may be lost, which is a reason to change the address: a notice that fails stops nothing. */
export async function sendNotice(
  { mailer, logger }: Pick<SettingsParts, 'mailer' | 'logger'>,
  mail: Mail,
): Promise<void> {
  try {
    await mailer.send(mail);
  } catch (cause) {
    logger.warn('the notice of an e-mail change was not sent', { cause });
  }
}
