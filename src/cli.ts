#!/usr/bin/env node
import { Command, CommanderError, Option } from 'commander';
import { addApp, listApps } from './commands/apps.ts';
import { backup } from './commands/backup.ts';
import { doctor } from './commands/doctor.ts';
import { exportHistory, verifyHistory } from './commands/history.ts';
import { activate, addKey, drop, listAllKeys, parsePurpose, reseal } from './commands/keys.ts';
import { migrateDatabase } from './commands/migrate.ts';
import { restore } from './commands/restore.ts';
import { printResult, type Result } from './commands/result.ts';
import { serve } from './serve.ts';
import { reduceError } from './shared/redaction.ts';

/** The operator's command (README, "The operator's command"): exit 0 done, 1 failed, 2 wrong usage. */

process.setSourceMapsEnabled(true);

const program = new Command('grantbridge')
  .version('0.1.0')
  .description('Runs and looks after the bridge.')
  .exitOverride();

type Run = (options: Record<string, unknown>, operands: string[]) => Promise<Result>;

/** Adds a command that answers one result, in words or with `--json` as one object. */
function command(name: string, description: string, run: Run): Command {
  return new Command(name)
    .description(description)
    .option('--json', 'answer one JSON object')
    .exitOverride()
    .action(async (...given: unknown[]) => {
      const self = given.at(-1) as Command;
      const options = self.opts();
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

const onePurpose = () =>
  new Option('--purpose <purpose>', 'only this one of digest, sealing, session, history').argParser(
    parsePurpose,
  );

program.addCommand(
  new Command('serve').description('run what the settings ask for').exitOverride().action(serve),
);
program.addCommand(command('migrate', 'bring the database to the newest schema', migrateDatabase));
program.addCommand(
  group('apps', 'Registered legacy apps.', [
    command('add', 'register an app; prints client_id, client_secret and owner_token once', addApp)
      .requiredOption('--name <name>', 'what people see on the approval page')
      .requiredOption(
        '--callback <url...>',
        'https, or http on a loopback address; may be given more than once',
      )
      .requiredOption(
        '--owner <account>',
        "the owner's account id; by an e-mail address alone the owner token stays unused",
      ),
    command('list', 'every app with its callbacks', listApps),
  ]),
);
program.addCommand(
  group('keys', 'Keys for digests, sealing, sessions and the history.', [
    command('list', 'every key, what stands on it, and which processes hold it', listAllKeys),
    command('add', "a new key for each purpose in this machine's key file", addKey),
    command('activate', 'the key that writes from now on, once every process holds it', activate)
      .argument('<id>')
      .addOption(onePurpose()),
    command('reseal', 'seal everything with the active key; may be interrupted and run again', reseal),
    command('drop', 'take a key away that nothing needs any more', drop)
      .argument('<id>')
      .addOption(onePurpose()),
  ]),
);
program.addCommand(
  group('history', 'What was changed, by whom and why.', [
    command('verify', 'name the first entry that was edited, removed, added or moved', verifyHistory).option(
      '--anchor <file...>',
      'anchors beyond those of this machine: another file of them, or a captured log',
    ),
    new Command('export')
      .description('every entry as a line of JSON, on standard output')
      .option('--output <file>', 'into a new file instead')
      .exitOverride()
      .action(exportHistory),
  ]),
);
program.addCommand(
  command('backup', 'copy the SQLite database into a new file while the bridge serves', backup).argument(
    '<file>',
  ),
);
program.addCommand(
  command('restore', 'put a backup in place; it stays silent until it is taken over', restore)
    .argument('[file]')
    .option('--take-over', 'the original is stopped: begin to work, with every grant in doubt'),
);
program.addCommand(command('doctor', 'check settings, keys, database and the modern side', doctor));

program.parseAsync().catch((error: unknown) => {
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode === 0 ? 0 : 2;
    return;
  }
  process.stderr.write(`${reduceError(error).message}\n`);
  process.exitCode = 1;
});
