import { join } from 'node:path';
import type { Config } from '../../../config/config.ts';
import type { Context } from '../../../domain/context.ts';
import { MINUTE } from '../../../shared/lifetimes.ts';
import { createMailer } from '../../../shared/mail/mailer.ts';
import { momentOf } from './moment-option.ts';

/** Reminders of another day: the same rules by another clock, with mails that stay on this machine. */

/** When nine in the morning has come nearly everywhere, from UTC-12 on. */
const EVENING = 21 * 60 * MINUTE;

/** What `--on` was given; a date alone is the evening of that day in UTC. */
export function dayGiven(given: unknown): number | undefined {
  if (typeof given !== 'string') return undefined;
  const at = momentOf('--on', given);
  return given.includes('T') ? at : at + EVENING;
}

/** The context as it would be at a moment; its mails become files in `mail/rehearsal`, whatever the settings say. */
export function contextOn(context: Context, config: Config, at: number): Context {
  const { from, directory } = config.mail;
  return {
    ...context,
    clock: { now: () => at, elapsed: () => context.clock.elapsed(), wall: () => at },
    mailer: createMailer({ from, directory: join(directory, 'rehearsal') }),
    // What would be silent on a copy is what leaves the machine, and nothing here does.
    instance: { ...context.instance, isCopy: () => false, why: () => undefined },
  };
}
