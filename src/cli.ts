#!/usr/bin/env node
import { Command, CommanderError } from 'commander';
import { addApp, listApps } from './commands/apps.ts';
import { doctor } from './commands/doctor.ts';
import { migrateDatabase } from './commands/migrate.ts';
import { printResult, type Result } from './commands/result.ts';
import { serve } from './serve.ts';
import { reduceError } from './shared/redaction.ts';

/** The operator's command (README, "The operator's command"): exit 0 done, 1 failed, 2 wrong usage. */

process.setSourceMapsEnabled(true);

const program = new Command('grantbridge')
  .version('0.1.0')
  .description('Runs and looks after the bridge.')
  .exitOverride();

/** Adds a command that answers one result, in words or with `--json` as one object. */
function command(
  name: string,
  description: string,
  run: (options: Record<string, unknown>) => Promise<Result>,
): Command {
  return new Command(name)
    .description(description)
    .option('--json', 'answer one JSON object')
    .exitOverride()
    .action(async (options: Record<string, unknown>) => {
      const result = await run(options);
      printResult(result, options['json'] === true);
      if (!result.ok) process.exitCode = 1;
    });
}

const apps = new Command('apps').description('Registered legacy apps.').exitOverride();
apps.addCommand(
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
);
apps.addCommand(command('list', 'every app with its callbacks', listApps));

program.addCommand(
  new Command('serve').description('run what the settings ask for').exitOverride().action(serve),
);
program.addCommand(command('migrate', 'bring the database to the newest schema', migrateDatabase));
program.addCommand(apps);
program.addCommand(command('doctor', 'check settings, keys, database and the modern side', doctor));

program.parseAsync().catch((error: unknown) => {
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode === 0 ? 0 : 2;
    return;
  }
  process.stderr.write(`${reduceError(error).message}\n`);
  process.exitCode = 1;
});
