import { Command } from 'commander';
import { askFirst } from './terminal/question.ts';
import { printResult, type Result } from './commands/result.ts';

/** How every operator command is built. */

type CommandAction = (options: Record<string, unknown>, operands: string[]) => Promise<Result>;

/** Adds a command that answers one result, as lines of text or with `--json` as one object. */
export function command(name: string, description: string, load: () => Promise<CommandAction>): Command {
  return new Command(name)
    .description(description)
    .option('--json', 'answer one JSON object')
    .option('--no-color', 'no colour, as with NO_COLOR')
    .option('--no-pager', 'print a long answer at once, not page by page')
    .exitOverride()
    .action(async (...given: unknown[]) => {
      const self = given.at(-1) as Command;
      const options = self.opts();
      await askFirst(self);
      const run = await load();
      const result = await run(options, self.args);
      const { json, color, pager } = options;
      await printResult(result, {
        asJson: json === true,
        hasColor: color !== false,
        hasPager: pager !== false,
      });
      if (!result.ok) process.exitCode = 1;
    });
}

/** Commands below one common word, such as `dates set` and `dates show`. */
export function group(name: string, description: string, commands: readonly Command[]): Command {
  const word = new Command(name).description(description).exitOverride();
  for (const one of commands) word.addCommand(one);
  return word;
}
