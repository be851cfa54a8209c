import { Command, InvalidArgumentError, Option } from 'commander';
import { type KeyPurpose, PURPOSES } from '../shared/secrets.ts';
import { command, group } from './cli-command.ts';
import { withQuestion } from './terminal/question.ts';
import type { HistoryOptions } from './commands/history/selection.ts';

/** The commands about the program, its database, its keys and its history. */

const keys = () => import('./commands/keys.ts');
const keysInit = () => import('./commands/keys/init.ts');
const history = () => import('./commands/history.ts');

function parsePurpose(text: string): KeyPurpose {
  const purpose = PURPOSES.find((one) => one === text);
  if (!purpose) throw new InvalidArgumentError(`The purpose must be one of ${PURPOSES.join(', ')}.`);
  return purpose;
}

const onePurpose = () =>
  new Option(
    '--purpose <purpose>',
    'only the key for this purpose: digest, sealing, session or history',
  ).argParser(parsePurpose);

function serveCommand(): Command {
  return new Command('serve')
    .description('run the bridge with the settings of the environment')
    .exitOverride()
    .action(async () => {
      const { serveOrExit } = await import('../app/serve.ts');
      await serveOrExit();
    });
}

function migrateCommand(): Command {
  return command(
    'migrate',
    'bring the database to the newest schema',
    async () => (await import('./commands/database/migrate.ts')).migrateDatabase,
  )
    .option('--status', 'show the schema of the database and the migrations that wait; change nothing')
    .option(
      '--plan',
      'show which migrations would run and whether each only adds or also changes what exists; change nothing',
    );
}

function keyCommands(): Command {
  return group('keys', 'Keys for digests, sealing, sessions and the history.', [
    command(
      'init',
      'make the key file of a new bridge; replaces no file and needs no database',
      async () => (await keysInit()).initKeys,
    ),
    command(
      'list',
      'show every key, the values that need the key, and the processes that hold the key',
      async () => (await keys()).listAllKeys,
    ),
    command(
      'add',
      "add a new key for each purpose to this machine's key file",
      async () => (await keys()).addKey,
    ),
    command(
      'activate',
      'write with this key from now on; every process must hold the key before',
      async () => (await keys()).activate,
    )
      .argument('<id>')
      .addOption(onePurpose()),
    command(
      'reseal',
      'seal every value with the active key; an interrupted run can be repeated',
      async () => (await keys()).reseal,
    ),
    withQuestion(
      command('drop', 'remove a key that no value needs any more', async () => (await keys()).drop)
        .argument('<id>')
        .addOption(onePurpose()),
      ({ operands: [id] }) => `Key ${id} is removed for good. An older backup may need it.`,
    ),
  ]);
}

/** The options that choose entries of the history. */
function withSelection(one: Command): Command {
  return one
    .option(
      '--since <start>',
      'begin after the position of an entry, or at a moment: a date such as 2027-02-01, or a time with its zone',
    )
    .option('--app <client-id>', 'only entries that name this app')
    .option(
      '--token <mapping>',
      'only entries that name this token, by its mapping id; - reads a whole token from standard input',
    );
}

function historyCommands(): Command {
  return group('history', 'The list of all changes, with actor and reason.', [
    command(
      'verify',
      'check the history; name the first entry that was edited, removed, added or moved',
      async () => (await history()).verifyHistoryCommand,
    ).option(
      '--anchor <file...>',
      'more anchors than this machine has: another file of anchors, or a captured log',
    ),
    withSelection(new Command('export'))
      .description('print every entry as one line of JSON')
      .option('--output <file>', 'write the entries to a new file instead')
      .exitOverride()
      .action(async (options: HistoryOptions & { output?: string }) =>
        (await import('./commands/history/export.ts')).exportHistory(options),
      ),
    withSelection(new Command('follow'))
      .description('print each new entry as one line of JSON, until the command is stopped')
      .exitOverride()
      .action(async (options: HistoryOptions) =>
        (await import('./commands/history/follow.ts')).followHistoryCommand(options),
      ),
    command(
      'undo',
      'take back what an entry tells, within seven days and while nothing else has changed it: a token that staff revoked or assigned, a pin, a cut-over, an extension or its end, the confirmation of a hand-over',
      async () => (await import('./commands/history/undo.ts')).undoEntry,
    )
      .argument('<entry>')
      .requiredOption('--reason <text>', 'the reason, for the history')
      .option(
        '--by <name>',
        'the name of the person who decided, for the history; by default the user of the operating system',
      ),
  ]);
}

function backupCommand(): Command {
  return command(
    'backup',
    'copy the SQLite database into a new file while the bridge serves',
    async () => (await import('./commands/database/backup.ts')).backup,
  ).argument('<file>');
}

const TAKE_OVER =
  'The take-over makes this copy the original. If the earlier original still runs anywhere, both present the same tokens, and connections end.';

function restoreCommand(): Command {
  const restore = command(
    'restore',
    'replace the database with a backup; the restored copy sends nothing until the take-over',
    async () => (await import('./commands/database/restore.ts')).restore,
  )
    .argument('[file]')
    .option(
      '--take-over',
      'make the copy the original, with every grant in doubt; only when the earlier original is stopped',
    )
    .option(
      '--replace-original',
      'with --take-over: confirm that the other database of VAR_DIR is gone for good or will never be served again',
    );
  return withQuestion(restore, ({ options: { takeOver } }) => (takeOver === true ? TAKE_OVER : undefined));
}

function shadowCommand(): Command {
  const shadow = command(
    'shadow',
    'show where the old API and the new API answer differently',
    async () => (await import('./commands/apps/shadow.ts')).shadowCommand,
  ).option('--clear', 'delete the counts and begin anew');
  return withQuestion(shadow, ({ options: { clear } }) =>
    clear === true ? 'All counts of different answers are deleted for good.' : undefined,
  );
}

function doctorCommand(): Command {
  return command(
    'doctor',
    'check settings, machine, database, both APIs, the mail server and the identity provider of staff; change nothing',
    async () => (await import('./commands/doctor.ts')).doctor,
  );
}

/** The commands `serve` and `migrate`. */
export function programCommands(): Command[] {
  return [serveCommand(), migrateCommand()];
}

/** The commands `keys`, `history`, `backup`, `restore`, `shadow` and `doctor`. */
export function operationCommands(): Command[] {
  return [
    keyCommands(),
    historyCommands(),
    backupCommand(),
    restoreCommand(),
    shadowCommand(),
    doctorCommand(),
  ];
}
