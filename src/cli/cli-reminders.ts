import { Command } from 'commander';
import { command, group } from './cli-command.ts';

/** The commands about reminders. */

const reminders = () => import('./commands/reminders.ts');

const DAY =
  'act as if today were this day, such as 2027-02-01 (at 21:00 UTC), or as if now were this time with its zone';

/** Prints while it plans: an answer for all people at once would not fit into memory. */
function planCommand(): Command {
  return new Command('plan')
    .description('show who would get which reminder, when and why; send and change nothing')
    .option('--json', 'answer one JSON object')
    .option('--on <moment>', DAY)
    .option('--progress', 'tell on standard error how far the plan is, also where that is no terminal')
    .exitOverride()
    .action(async (options: { json?: boolean; on?: string; progress?: boolean }) => {
      const { printPlan } = await import('./commands/reminders-plan.ts');
      await printPlan(options);
    });
}

/** The command `reminders`. */
export function reminderCommands(): Command {
  return group('reminders', 'Mails that remind people of dates and of ended connections.', [
    planCommand(),
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
