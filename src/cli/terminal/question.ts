import type { Command } from 'commander';
import { confirmed } from '../commands/confirm.ts';
import { WrongUsage } from '../commands/wrong-usage.ts';

/** A question before what cannot be taken back. */

interface QuestionAbout {
  options: Record<string, unknown>;
  operands: readonly string[];
}

const NOBODY =
  'Nobody can be asked, because standard input or standard error is no terminal. Nothing was changed. To do it without a question, add --yes.';

const hasTerminal = () => [process.stdin, process.stdout, process.stderr].some(({ isTTY }) => isTTY);

/**
 * Asks a person. A script without any terminal is asked nothing: it does what it says, as before there were questions.
 * @throws {WrongUsage} somebody is at a terminal, and cannot be asked
 */
async function requireYes(question: string): Promise<void> {
  if (!hasTerminal()) return;
  if (!process.stdin.isTTY || !process.stderr.isTTY) throw new WrongUsage(NOBODY);
  if (!(await confirmed([question], 'Go on?'))) throw new Error('Nothing was changed.');
}

type QuestionOf = (about: QuestionAbout) => string | undefined;

const questions = new WeakMap<Command, QuestionOf>();

/** Adds `--yes` to a command, and the question that a person is asked without it; undefined: none. */
export function withQuestion(one: Command, questionOf: QuestionOf): Command {
  questions.set(one, questionOf);
  return one.option('--yes', 'do it without a question');
}

/**
 * Asks before a command begins, where it has a question.
 * @throws {WrongUsage | Error} it must not begin
 */
export async function askFirst(one: Command): Promise<void> {
  const about = { options: one.opts<Record<string, unknown>>(), operands: one.args };
  const question = about.options['yes'] === true ? undefined : questions.get(one)?.(about);
  if (question !== undefined) await requireYes(question);
}
