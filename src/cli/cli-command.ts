import { Command } from 'commander';
import { printResult, type Result } from './commands/result.ts';

/** How every operator command is built. */

type CommandAction = (options: Record<string, unknown>, operands: string[]) => Promise<Result>;

/** Adds a command that answers one result, as lines of text or with `--json` as one object. */
export function command(name: string, description: string, load: () => Promise<CommandAction>): Command {
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

/** Commands below one common word, such as `dates set` and `dates show`. */
export function group(name: string, description: string, commands: readonly Command[]): Command {
  const word = new Command(name).description(description).exitOverride();
  for (const one of commands) word.addCommand(one);
  return word;
}
