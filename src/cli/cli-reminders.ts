import type { Command } from 'commander';
import { command, group } from './cli-command.ts';

/** The commands about reminders. */

const reminders = () => import('./commands/reminders.ts');

const DAY =
  'act as if today were this day, such as 2027-02-01 (at 21:00 UTC), or as if now were this time with its zone';

/** The command `reminders`. */
export function reminderCommands(): Command {
  return group('reminders', 'Mails that remind people of dates and of ended connections.', [
    command(
      'plan',
      'show who would get which reminder, when and why; send and change nothing',
      async () => (await reminders()).planAll,
    ).option('--on <moment>', DAY),
    command(
      'run',
      'plan and send reminders now; with --on, write the mails to files: only for a database that can be thrown away',
      async () => (await reminders()).runReminders,
    ).option('--on <moment>', DAY),
    command(
      'undeliverable',
      'show the mails that reached nobody',
      async () => (await reminders()).listUnreached,
    ),
    command(
      'resume',
      'send reminders again to an address whose reader has said “not me”',
      async () => (await reminders()).resume,
    ).argument('<address>'),
  ]);
}
