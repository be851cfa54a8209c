import { createInterface } from 'node:readline/promises';

/**
 * Tells a person at a terminal the reasons and asks; only `y` and `yes` go on. Without a terminal nobody can be asked, and
 * the answer is no. Nothing of it goes to standard output, which programs read.
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
