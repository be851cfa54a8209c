#!/usr/bin/env node
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { printResult, type Result } from './commands/result.ts';
import { reduceError } from './shared/redaction.ts';
import { type Purpose, PURPOSES } from './shared/secrets.ts';

/** The operator's command (README, "The operator's command"): exit 0 done, 1 failed, 2 wrong usage. */

process.setSourceMapsEnabled(true);

const program = new Command('grantbridge')
  .version('0.1.0')
  .description('Runs and looks after the bridge.')
  .exitOverride();

type Run = (options: Record<string, unknown>, operands: string[]) => Promise<Result>;

/** Each is loaded when it is asked for: help and wrong usage load none, and only `serve` loads the server. */
const apps = () => import('./commands/apps.ts');
const keys = () => import('./commands/keys.ts');
const history = () => import('./commands/history.ts');

/** Adds a command that answers one result, in words or with `--json` as one object. */
function command(name: string, description: string, load: () => Promise<Run>): Command {
  return new Command(name)
    .description(description)
    .option('--json', 'answer one JSON object')
    .exitOverride()
    .action(async (...given: unknown[]) => {
      const self = given.at(-1) as Command;
      const options = self.opts();
      const run = await load();
      const result = await run(options, self.args);
      printResult(result, options['json'] === true);
      if (!result.ok) process.exitCode = 1;
    });
}

/** Commands that stand under one word. */
function group(name: string, description: string, commands: readonly Command[]): Command {
  const word = new Command(name).description(description).exitOverride();
  for (const one of commands) word.addCommand(one);
  return word;
}

function parsePurpose(text: string): Purpose {
  const purpose = PURPOSES.find((one) => one === text);
  if (!purpose) throw new InvalidArgumentError(`It must be one of ${PURPOSES.join(', ')}.`);
  return purpose;
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
      const { serve } = await import('./serve.ts');
      await serve();
    }),
);
program.addCommand(
  command(
    'migrate',
    'bring the database to the newest schema',
    async () => (await import('./commands/migrate.ts')).migrateDatabase,
  ),
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
      .requiredOption(
        '--owner <account>',
        "the owner's account id; by an e-mail address alone the owner token stays unused",
      ),
    command('list', 'every app with its callbacks', async () => (await apps()).listApps),
  ]),
);
program.addCommand(
  group('keys', 'Keys for digests, sealing, sessions and the history.', [
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
      async () => (await history()).verifyHistory,
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
program.addCommand(
  command(
    'backup',
    'copy the SQLite database into a new file while the bridge serves',
    async () => (await import('./commands/backup.ts')).backup,
  ).argument('<file>'),
);
program.addCommand(
  command(
    'restore',
    'put a backup in place; it stays silent until it is taken over',
    async () => (await import('./commands/restore.ts')).restore,
  )
    .argument('[file]')
    .option('--take-over', 'the original is stopped: begin to work, with every grant in doubt'),
);
program.addCommand(
  command(
    'doctor',
    'check settings, keys, database and the modern side',
    async () => (await import('./commands/doctor.ts')).doctor,
  ),
);

program.parseAsync().catch((error: unknown) => {
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode === 0 ? 0 : 2;
    return;
  }
  process.stderr.write(`${reduceError(error).message}\n`);
  process.exitCode = 1;
});
