import type { Command } from 'commander';
import { command, group } from './cli-command.ts';

/** The commands about reminders. */

const reminders = () => import('./commands/reminders.ts');

const DAY = 'as if it were this day, such as 2027-02-01 (21:00 UTC), or this time with its zone';

/** The command `reminders`. */
export function reminderCommands(): Command {
  return group('reminders', 'Mails that remind people of what ends.', [
    command(
      'plan',
      'who would get what, when and why; sends and changes nothing',
      async () => (await reminders()).planAll,
    ).option('--on <moment>', DAY),
    command(
      'run',
      'plan and send now; with --on into files, on a database that may be spoiled',
      async () => (await reminders()).runReminders,
    ).option('--on <moment>', DAY),
    command(
      'undeliverable',
      'mails that nobody could be reached with',
      async () => (await reminders()).listUnreached,
    ),
    command(
      'resume',
      'write again to an address whose reader had said “not me”',
      async () => (await reminders()).resume,
    ).argument('<address>'),
  ]);
}
