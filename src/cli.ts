#!/usr/bin/env node
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { command, group } from './cli/cli-command.ts';
import { extensionCommands, lifecycleCommands } from './cli/cli-lifecycle.ts';
import { reminderCommands } from './cli/cli-reminders.ts';
import { staffCommands } from './cli/cli-staff.ts';
import { WrongUsage } from './cli/commands/wrong-usage.ts';
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
  .version('0.1.0')
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
  if (!purpose) throw new InvalidArgumentError(`It must be one of ${PURPOSES.join(', ')}.`);
  return purpose;
}

function parseRows(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It must be a number of rows, 0 or more.');
  return Number(text);
}

const onePurpose = () =>
  new Option('--purpose <purpose>', 'only this one of digest, sealing, session, history').argParser(
    parsePurpose,
  );

program.addCommand(
  new Command('serve')
    .description('run what the settings ask for')
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
  ).option('--status', 'say which schema it has and what waits, and change nothing'),
);
program.addCommand(
  group('apps', 'Registered legacy apps.', [
    command(
      'add',
      'register an app; prints client_id, client_secret and owner_token once',
      async () => (await apps()).addApp,
    )
      .requiredOption('--name <name>', 'what people see on the approval page')
      .requiredOption(
        '--callback <url...>',
        'https, or http on a loopback address; may be given more than once',
      )
      .option(
        '--contact <address...>',
        'a mail address of others to tell about it; may be given more than once',
      )
      .requiredOption(
        '--owner <account>',
        "the owner's account id; by an e-mail address alone the owner token stays unused",
      ),
    command('list', 'every app with its callbacks', async () => (await apps()).listAppsCommand),
    command(
      'add-secret',
      'a second client_secret, printed once; the first works on',
      async () => (await appSecrets()).addAppSecret,
    ).argument('<client-id>'),
    command(
      'retire-secret',
      'refuse one of two client secrets from now on',
      async () => (await appSecrets()).retireAppSecret,
    )
      .argument('<client-id>')
      .argument('<secret-id>'),
    ...extensionCommands(),
  ]),
);
program.addCommand(
  group('tokens', 'The legacy tokens that the bridge knows.', [
    command(
      'import',
      'take over apps, id pairs and tokens from NDJSON or CSV; may be interrupted and run again',
      async () => (await import('./cli/commands/tokens/tokens.ts')).importTokens,
    )
      .argument('<file>', 'a file, or - for standard input')
      .option('--dry-run', 'say what would happen and change nothing')
      .option(
        '--max-refused <rows>',
        'change nothing and end with 1 if more rows than these would be refused',
        parseRows,
      ),
    command(
      'find',
      'tokens by e-mail, client, account or mapping id, or their first or last four characters',
      async () => (await tokens()).findTokenCommand,
    ).argument('<query>', 'what to look for; - reads a whole token from standard input'),
    command('revoke', 'end one token for good', async () => (await tokens()).revoke)
      .argument('<mapping>', 'its mapping id, as tokens find shows it')
      .requiredOption('--reason <text>', 'for the history and the owner'),
    command(
      'assign',
      'say to which app a token belongs that was seen in use',
      async () => (await tokens()).assign,
    )
      .argument('<mapping>', 'its mapping id, as tokens find shows it')
      .requiredOption('--app <client-id>', 'the client id of the app')
      .requiredOption('--reason <text>', 'how you know that, for the history and the owner'),
  ]),
);
program.addCommand(
  group('accounts', 'The accounts that tokens act for.', [
    command(
      'pin',
      'give what waits under an e-mail address to an account, once and for all',
      async () => (await import('./cli/commands/apps/accounts.ts')).pin,
    )
      .argument('<email>', 'the address under which they wait')
      .argument('<account>', 'an account id')
      .requiredOption('--reason <text>', 'how you know that they belong together, for the history'),
  ]),
);
program.addCommand(staffCommands());
program.addCommand(
  group('links', 'Links that ask people to connect again.', [
    command(
      'make',
      'the link for one app and account; the same each time',
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
      'make the key file of a new bridge; never replaces one, and needs no database',
      async () => (await keysInit()).initKeys,
    ),
    command(
      'list',
      'every key, what stands on it, and which processes hold it',
      async () => (await keys()).listAllKeys,
    ),
    command(
      'add',
      "a new key for each purpose in this machine's key file",
      async () => (await keys()).addKey,
    ),
    command(
      'activate',
      'the key that writes from now on, once every process holds it',
      async () => (await keys()).activate,
    )
      .argument('<id>')
      .addOption(onePurpose()),
    command(
      'reseal',
      'seal everything with the active key; may be interrupted and run again',
      async () => (await keys()).reseal,
    ),
    command('drop', 'take a key away that nothing needs any more', async () => (await keys()).drop)
      .argument('<id>')
      .addOption(onePurpose()),
  ]),
);
program.addCommand(
  group('history', 'What was changed, by whom and why.', [
    command(
      'verify',
      'name the first entry that was edited, removed, added or moved',
      async () => (await history()).verifyHistoryCommand,
    ).option(
      '--anchor <file...>',
      'anchors beyond those of this machine: another file of them, or a captured log',
    ),
    new Command('export')
      .description('every entry as a line of JSON, on standard output')
      .option('--output <file>', 'into a new file instead')
      .exitOverride()
      .action(async (options: { output?: string }) => (await history()).exportHistory(options)),
  ]),
);
for (const one of lifecycleCommands()) program.addCommand(one);
program.addCommand(reminderCommands());
program.addCommand(
  group('handovers', 'Pairs that apps have taken over into their own clients.', [
    command(
      'list',
      'those that no app has confirmed yet',
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
    'put a backup in place; it stays silent until it is taken over',
    async () => (await import('./cli/commands/database/restore.ts')).restore,
  )
    .argument('[file]')
    .option('--take-over', 'the original is stopped: begin to work, with every grant in doubt')
    .option(
      '--replace-original',
      'with --take-over: the other database that VAR_DIR belongs to is gone for good, or never served again',
    ),
);
program.addCommand(
  command(
    'shadow',
    'where the two generations answer differently',
    async () => (await import('./cli/commands/apps/shadow.ts')).shadowCommand,
  ).option('--clear', 'forget what was counted and begin anew'),
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
