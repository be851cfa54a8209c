import { Argument, type Command, Option } from 'commander';
import { command, group } from './cli-command.ts';
import { DATE_NAMES, MILESTONES } from '../store/tables/lifecycle.ts';

/** The commands about dates, brownouts, and extensions of single apps. */

const dates = () => import('./commands/dates/dates.ts');
const brownouts = () => import('./commands/dates/brownouts.ts');
const extensions = () => import('./commands/dates/extensions.ts');

const MOMENT = 'a date such as 2027-02-01, or a time with its zone';
const REASON = 'for the history';

const BY = ['--by <name>', 'who decided it, for the history; else the user of the system'] as const;

/** The extension commands below `apps`. */
export function extensionCommands(): Command[] {
  return [
    command(
      'cut-over',
      'let the new API answer connected accounts of an app before the retirement; 0 takes them back',
      async () => (await import('./commands/apps/cut-over.ts')).cutOver,
    )
      .argument('<client-id>')
      .requiredOption('--percent <number>', 'how many of a hundred accounts, always the same ones')
      .requiredOption('--reason <text>', REASON)
      .option(...BY)
      .option('--yes', 'even where the budget at the new API does not suffice or is not known'),
    command(
      'extend',
      'give an app more time than the retirement, or the sunset, gives all',
      async () => (await extensions()).extend,
    )
      .argument('<client-id>')
      .requiredOption('--until <moment>', MOMENT)
      .requiredOption('--reason <text>', REASON)
      .option(...BY)
      .option('--sunset', 'of the sunset, not the retirement'),
    command('unextend', 'end that again', async () => (await extensions()).unextend)
      .argument('<client-id>')
      .requiredOption('--reason <text>', REASON)
      .option(...BY)
      .option('--sunset', 'of the sunset, not the retirement'),
  ];
}

/** The commands `dates` and `brownouts`. */
export function lifecycleCommands(): Command[] {
  return [
    group('dates', 'What of the older generation ends when.', [
      command('show', 'every date, and the apps that have more time', async () => (await dates()).showDates),
      command(
        'set',
        'set or unset a date; reminders are planned anew',
        async () => (await dates()).changeDate,
      )
        .addArgument(new Argument('<name>').choices(DATE_NAMES))
        .argument('<moment>', 'a date such as 2027-02-01, a time with its zone, or none')
        .requiredOption('--reason <text>', REASON)
        .option(...BY)
        .option('--force', 'even where that ends everything at once')
        .option('--yes', 'even where the budget at the new API does not suffice'),
    ]),
    group('brownouts', 'Planned windows that rehearse a date.', [
      command('add', 'plan one for all apps', async () => (await brownouts()).addBrownout)
        .requiredOption('--from <moment>', MOMENT)
        .requiredOption('--to <moment>', 'the first moment after it')
        .addOption(new Option('--rehearses <name>', 'the date').choices(MILESTONES).makeOptionMandatory())
        .requiredOption('--text <text>', 'what callers and readers are told')
        .option(...BY),
      command(
        'list',
        'planned and running ones, those of the last 90 days, and exempt apps',
        async () => (await brownouts()).listBrownouts,
      ),
      command('remove', 'take one back, or end the one that runs', async () => (await brownouts()).removeOne)
        .argument('<id>')
        .option(...BY),
      command('exempt', 'leave an app out for a while', async () => (await brownouts()).exempt)
        .argument('<client-id>')
        .requiredOption('--until <moment>', MOMENT)
        .requiredOption('--reason <text>', REASON)
        .option(...BY),
      command('unexempt', 'end that again', async () => (await brownouts()).unexempt)
        .argument('<client-id>')
        .requiredOption('--reason <text>', REASON)
        .option(...BY),
    ]),
  ];
}
