#!/usr/bin/env node
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { command, group } from './cli/cli-command.ts';
import { extensionCommands, lifecycleCommands } from './cli/cli-lifecycle.ts';
import { reminderCommands } from './cli/cli-reminders.ts';
import { staffCommands } from './cli/cli-staff.ts';
import { WrongUsage } from './cli/commands/wrong-usage.ts';
import { buildInfo, buildWords } from './domain/instance/build-info.ts';
import { surviveFailures } from './shared/log/log-sink.ts';
import { reduceError } from './shared/log/redaction.ts';
import { type KeyPurpose, PURPOSES } from './shared/secrets.ts';

/** The operator's command (docs/operate/commands.md). Exit codes: 0 done, 1 failed, 2 wrong usage. */

process.setSourceMapsEnabled(true);

// Long work goes on when nobody reads its messages any more. When the result cannot be written, the exit code tells.
for (const stream of [process.stdout, process.stderr]) surviveFailures(stream);
process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
  if (code !== 'EPIPE') process.exitCode = 1;
});

const program = new Command('grantbridge')
  .version(buildWords(buildInfo()))
  .description('Runs and looks after the bridge.')
  .exitOverride();

/**
 * Each module is loaded on demand: help and wrong usage load none of these modules, and only `serve` loads the server.
 */
const apps = () => import('./cli/commands/apps/apps.ts');
const tokens = () => import('./cli/commands/tokens/token-actions.ts');
const appSecrets = () => import('./cli/commands/apps/app-secrets.ts');
const keys = () => import('./cli/commands/keys.ts');
const keysInit = () => import('./cli/commands/keys/init.ts');
const history = () => import('./cli/commands/history.ts');

function parsePurpose(text: string): KeyPurpose {
  const purpose = PURPOSES.find((one) => one === text);
  if (!purpose) throw new InvalidArgumentError(`The purpose must be one of ${PURPOSES.join(', ')}.`);
  return purpose;
}

function parseRows(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('The number of rows must be 0 or more.');
  return Number(text);
}

const onePurpose = () =>
  new Option(
    '--purpose <purpose>',
    'only the key for this purpose: digest, sealing, session or history',
  ).argParser(parsePurpose);

program.addCommand(
  new Command('serve')
    .description('run the bridge with the settings of the environment')
    .exitOverride()
    .action(async () => {
      const { serveOrExit } = await import('./app/serve.ts');
      await serveOrExit();
    }),
);
program.addCommand(
  command(
    'migrate',
    'bring the database to the newest schema',
    async () => (await import('./cli/commands/database/migrate.ts')).migrateDatabase,
  ).option('--status', 'show the schema of the database and the migrations that wait; change nothing'),
);
program.addCommand(
  group('apps', 'Registered apps of the old API.', [
    command(
      'add',
      'register an app; prints client_id, client_secret and owner_token once',
      async () => (await apps()).addApp,
    )
      .requiredOption('--name <name>', 'the name that people see on the approval page')
      .requiredOption(
        '--callback <url...>',
        'a callback address: https, or http on a loopback address; may be given more than once',
      )
      .option(
        '--contact <address...>',
        'one more e-mail address for mails about the app; may be given more than once',
      )
      .requiredOption(
        '--owner <account>',
        "the owner's account id or e-mail address; with an e-mail address the owner has to prove the address before the owner token works",
      ),
    command(
      'list',
      'show every app with its callbacks, extensions and cut-over',
      async () => (await apps()).listAppsCommand,
    ),
    command(
      'add-secret',
      'add a second client_secret and print it once; the first secret keeps working',
      async () => (await appSecrets()).addAppSecret,
    ).argument('<client-id>'),
    command(
      'retire-secret',
      'end one of two client secrets at once',
      async () => (await appSecrets()).retireAppSecret,
    )
      .argument('<client-id>')
      .argument('<secret-id>'),
    ...extensionCommands(),
  ]),
);
program.addCommand(
  group('tokens', 'The tokens of the old API that the bridge knows.', [
    command(
      'import',
      'import apps, id pairs and tokens from NDJSON or CSV; an interrupted import can be run again',
      async () => (await import('./cli/commands/tokens/tokens.ts')).importTokens,
    )
      .argument('<file>', 'a file, or - for standard input')
      .option('--dry-run', 'show what the import would change; change nothing')
      .option(
        '--max-refused <rows>',
        'change nothing and end with exit code 1 if more rows than this number would be refused',
        parseRows,
      ),
    command(
      'find',
      'find tokens by e-mail address, by client, account or mapping id, or by their first or last four characters',
      async () => (await tokens()).findTokenCommand,
    ).argument('<query>', 'the text to look for; - reads a whole token from standard input'),
    command('revoke', 'end one token for good', async () => (await tokens()).revoke)
      .argument('<mapping>', 'its mapping id, as tokens find shows it')
      .requiredOption('--reason <text>', 'for the history and the owner'),
    command('assign', 'assign a token that was seen in use to its app', async () => (await tokens()).assign)
      .argument('<mapping>', 'its mapping id, as tokens find shows it')
      .requiredOption('--app <client-id>', 'the client id of the app')
      .requiredOption(
        '--reason <text>',
        'how you know that the token belongs to the app, for the history and the owner',
      ),
  ]),
);
program.addCommand(
  group('accounts', 'The accounts that tokens act for.', [
    command(
      'pin',
      'give the tokens and apps that wait under an e-mail address to an account, for good',
      async () => (await import('./cli/commands/apps/accounts.ts')).pin,
    )
      .argument('<email>', 'the e-mail address')
      .argument('<account>', 'an account id')
      .requiredOption(
        '--reason <text>',
        'how you know that the address belongs to the account, for the history',
      ),
  ]),
);
program.addCommand(staffCommands());
program.addCommand(
  group('links', 'Links that ask people to connect again.', [
    command(
      'make',
      'print the link for one app and account; the link is the same each time',
      async () => (await import('./cli/commands/tokens/links.ts')).makeLinkCommand,
    )
      .requiredOption('--app <client-id>', 'the client id of the app')
      .requiredOption('--account <account-id>', 'the id of the account whose tokens wait'),
  ]),
);
program.addCommand(
  group('keys', 'Keys for digests, sealing, sessions and the history.', [
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
    command('drop', 'remove a key that no value needs any more', async () => (await keys()).drop)
      .argument('<id>')
      .addOption(onePurpose()),
  ]),
);
program.addCommand(
  group('history', 'The list of all changes, with actor and reason.', [
    command(
      'verify',
      'check the history; name the first entry that was edited, removed, added or moved',
      async () => (await history()).verifyHistoryCommand,
    ).option(
      '--anchor <file...>',
      'more anchors than this machine has: another file of anchors, or a captured log',
    ),
    new Command('export')
      .description('print every entry as one line of JSON')
      .option('--output <file>', 'write the entries to a new file instead')
      .exitOverride()
      .action(async (options: { output?: string }) => (await history()).exportHistory(options)),
  ]),
);
for (const one of lifecycleCommands()) program.addCommand(one);
program.addCommand(reminderCommands());
program.addCommand(
  group('handovers', 'Token pairs that apps have taken over into their own clients.', [
    command(
      'list',
      'show the token pairs that no app has confirmed yet',
      async () => (await import('./cli/commands/apps/handovers.ts')).listHandovers,
    ),
  ]),
);
program.addCommand(
  command(
    'backup',
    'copy the SQLite database into a new file while the bridge serves',
    async () => (await import('./cli/commands/database/backup.ts')).backup,
  ).argument('<file>'),
);
program.addCommand(
  command(
    'restore',
    'replace the database with a backup; the restored copy sends nothing until the take-over',
    async () => (await import('./cli/commands/database/restore.ts')).restore,
  )
    .argument('[file]')
    .option(
      '--take-over',
      'make the copy the original, with every grant in doubt; only when the earlier original is stopped',
    )
    .option(
      '--replace-original',
      'with --take-over: confirm that the other database of VAR_DIR is gone for good or will never be served again',
    ),
);
program.addCommand(
  command(
    'shadow',
    'show where the old API and the new API answer differently',
    async () => (await import('./cli/commands/apps/shadow.ts')).shadowCommand,
  ).option('--clear', 'delete the counts and begin anew'),
);
program.addCommand(
  command(
    'doctor',
    'check settings, keys, database, both APIs and the mail server; change nothing',
    async () => (await import('./cli/commands/doctor.ts')).doctor,
  ),
);

program.parseAsync().catch((error: unknown) => {
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode === 0 ? 0 : 2;
    return;
  }
  process.stderr.write(`${reduceError(error).message}\n`);
  process.exitCode = error instanceof WrongUsage ? 2 : 1;
});
