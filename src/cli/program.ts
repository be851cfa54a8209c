import { Command } from 'commander';
import { buildInfo, buildWords } from '../domain/instance/build-info.ts';
import { lifecycleCommands } from './cli-lifecycle.ts';
import { operationCommands, programCommands } from './cli-operation.ts';
import { reminderCommands } from './cli-reminders.ts';
import { apiKeyCommands, staffCommands } from './cli-staff.ts';
import { tokenSideCommands } from './cli-tokens.ts';
import { webhookCommands } from './cli-webhooks.ts';
import { completionCommand } from './completion/completion-command.ts';
import { addExamples } from './examples.ts';

/**
 * The operator's command (docs/operate/commands.md). Each module is loaded on demand: help and wrong usage load none of
 * them, and only `serve` loads the server.
 */
export function createProgram(): Command {
  const program = new Command('grantbridge')
    .version(buildWords(buildInfo()))
    .description('Runs and looks after the bridge.')
    .exitOverride();
  const commands = [
    ...programCommands(),
    ...tokenSideCommands(),
    staffCommands(),
    apiKeyCommands(),
    webhookCommands(),
    ...lifecycleCommands(),
    reminderCommands(),
    ...operationCommands(),
    completionCommand(program),
  ];
  for (const one of commands) program.addCommand(one);
  addExamples(program);
  return program;
}
