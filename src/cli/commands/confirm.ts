import { createInterface } from 'node:readline/promises';

/**
 * Shows the reasons to a person at a terminal and asks; only `y` and `yes` confirm. Without a terminal nobody can be
 * asked, and the answer is no. Writes nothing to standard output, because programs read standard output.
 */
export async function confirmed(reasons: readonly string[], question: string): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return false;
  process.stderr.write(`${reasons.join('\n')}\n`);
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(?:es)?$/i.test((await terminal.question(`${question} [y/N] `)).trim());
  } finally {
    terminal.close();
  }
}
