import { Argument, type Command, Option } from 'commander';
import { command, group } from './cli-command.ts';
import { DATE_NAMES, MILESTONES } from '../store/tables/lifecycle.ts';

/** The commands about dates, brownouts, and extensions of single apps. */

const dates = () => import('./commands/dates/dates.ts');
const brownouts = () => import('./commands/dates/brownouts.ts');
const extensions = () => import('./commands/dates/extensions.ts');

const MOMENT = 'a date such as 2027-02-01, or a time with its zone';
/** Of the option `--reason`. */
export const REASON = 'the reason, for the history';

/** The option `--by`. */
export const BY = [
  '--by <name>',
  'the name of the person who decided, for the history; by default the user of the operating system',
] as const;

/** The extension commands below `apps`. */
export function extensionCommands(): Command[] {
  return [
    command(
      'cut-over',
      'let the new API answer connected accounts of an app before the retirement; 0 gives all accounts back; for seven days that can be taken back (history undo)',
      async () => (await import('./commands/apps/cut-over.ts')).cutOver,
    )
      .argument('<client-id>')
      .requiredOption(
        '--percent <number>',
        'the percentage of accounts; the same percentage always means the same accounts',
      )
      .requiredOption('--reason <text>', REASON)
      .option(...BY)
      .option('--yes', 'cut over even if the budget at the new API does not suffice or is not known'),
    command(
      'extend',
      'give one app a later retirement, or a later sunset; for seven days that can be taken back (history undo)',
      async () => (await extensions()).extend,
    )
      .argument('<client-id>')
      .requiredOption('--until <moment>', MOMENT)
      .requiredOption('--reason <text>', REASON)
      .option(...BY)
      .option('--sunset', 'of the sunset, not the retirement'),
    command(
      'unextend',
      'end the extension of an app; for seven days that can be taken back (history undo)',
      async () => (await extensions()).unextend,
    )
      .argument('<client-id>')
      .requiredOption('--reason <text>', REASON)
      .option(...BY)
      .option('--sunset', 'of the sunset, not the retirement')
      .option('--force', 'end it even if calls of the app end at once, because the date of all apps is past'),
  ];
}

function dateCommands(): Command {
  return group('dates', 'The dates at which the old API ends.', [
    command(
      'show',
      'show every date, and the apps that have more time',
      async () => (await dates()).showDates,
    ),
    command('set', 'set or unset a date; reminders are planned anew', async () => (await dates()).changeDate)
      .addArgument(new Argument('<name>').choices(DATE_NAMES))
      .argument('<moment>', 'a date such as 2027-02-01, a time with its zone, or none')
      .requiredOption('--reason <text>', REASON)
      .option(...BY)
      .option('--force', 'set the date even if all old calls end at once')
      .option('--yes', 'set the date even if the budget at the new API does not suffice'),
  ]);
}

function brownoutCommands(): Command {
  return group('brownouts', 'Planned windows that rehearse a date.', [
    command('add', 'plan a brownout for all apps', async () => (await brownouts()).addBrownout)
      .requiredOption('--from <moment>', MOMENT)
      .requiredOption('--to <moment>', 'the first moment after the brownout')
      .addOption(
        new Option('--rehearses <name>', 'the date that the brownout rehearses')
          .choices(MILESTONES)
          .makeOptionMandatory(),
      )
      .requiredOption('--text <text>', 'the explanation for callers and readers')
      .option(...BY),
    command(
      'list',
      'show planned and running brownouts, the brownouts of the last 90 days, and exempt apps',
      async () => (await brownouts()).listBrownouts,
    ),
    command(
      'remove',
      'cancel a planned brownout, or end a running brownout',
      async () => (await brownouts()).removeOne,
    )
      .argument('<id>')
      .option(...BY),
    command('exempt', 'leave one app out of the brownouts for a time', async () => (await brownouts()).exempt)
      .argument('<client-id>')
      .requiredOption('--until <moment>', MOMENT)
      .requiredOption('--reason <text>', REASON)
      .option(...BY),
    command('unexempt', 'end the exemption of an app', async () => (await brownouts()).unexempt)
      .argument('<client-id>')
      .requiredOption('--reason <text>', REASON)
      .option(...BY),
  ]);
}

/** The commands `dates` and `brownouts`. */
export function lifecycleCommands(): Command[] {
  return [dateCommands(), brownoutCommands()];
}
