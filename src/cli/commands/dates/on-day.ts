import { join } from 'node:path';
import type { Config } from '../../../config/config.ts';
import type { Context } from '../../../domain/context.ts';
import { contextAt } from '../../../domain/reminders/plan-reminders.ts';
import { MINUTE } from '../../../shared/lifetimes.ts';
import { createMailer } from '../../../shared/mail/mailer.ts';
import { momentOf } from './moment-option.ts';

/** Reminders of another day: the same rules with another clock. The mails stay on this machine. */

/** By then it is nine in the morning nearly everywhere, from UTC-12 on. */
const EVENING = 21 * 60 * MINUTE;

/** What a preview of another day takes for granted, in words for operators. */
export const USED_AS_NOW = 'Tokens that are in use now are taken to be in use on that day, and others not.';

/** The moment in `--on`. A date alone means the evening of that day in UTC. */
export function dayGiven(given: unknown): number | undefined {
  if (typeof given !== 'string') return undefined;
  const at = momentOf('--on', given);
  return given.includes('T') ? at : at + EVENING;
}

/** The context at another moment. Mails become files in `mail/rehearsal`, whatever the settings say. */
export function contextOn(context: Context, config: Config, at: number): Context {
  const directory = join(config.mail.directory, 'rehearsal');
  const mailer = createMailer({ ...config.mail, smtpUrl: undefined, directory });
  return { ...contextAt(context, at), mailer };
}
