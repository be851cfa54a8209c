import type { Command } from 'commander';

/** What may follow after the words of a command. */
export interface CommandWords {
  /** The words up to here, with blanks between; empty for the program itself. */
  path: string;
  commands: Array<{ name: string; description: string }>;
  /** Long options, such as `--json`. */
  options: string[];
}

/** The words of every command below, the command itself first. */
export function wordsOf(command: Command, path = ''): CommandWords[] {
  const commands = command.commands.map((one) => ({ name: one.name(), description: one.description() }));
  const options = [...command.options.flatMap(({ long }) => long ?? []), '--help'];
  const below = command.commands.flatMap((one) => wordsOf(one, `${path} ${one.name()}`.trim()));
  return [{ path, commands, options }, ...below];
}
