import { Argument, Command } from 'commander';
import { bashScript } from './bash.ts';
import { fishScript } from './fish.ts';
import { wordsOf } from './words.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;

/** zsh reads completions of bash by itself. */
const zshScript = (words: ReturnType<typeof wordsOf>) =>
  ['#compdef grantbridge', 'autoload -Uz bashcompinit', 'bashcompinit', bashScript(words)].join('\n');

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript };

/** `completion SHELL` prints a script for the shell, made of the commands below `program`. */
export function completionCommand(program: Command): Command {
  return new Command('completion')
    .description('print a script that completes commands and options in a shell')
    .addArgument(new Argument('<shell>').choices(SHELLS))
    .exitOverride()
    .action((shell: (typeof SHELLS)[number]) => {
      process.stdout.write(`${SCRIPTS[shell](wordsOf(program))}\n`);
    });
}
