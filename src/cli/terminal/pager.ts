import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readTerminalWishes } from '../../config/config.ts';

/** Ends by itself where the text fits, keeps colours, and leaves the text on the screen. */
const USUAL_PAGER = 'less -FRX';

/** Whether the text is longer than the screen of a person who can turn its pages. */
function isLong(text: string): boolean {
  const { stdin, stdout } = process;
  return stdin.isTTY && stdout.isTTY && text.split('\n').length > stdout.rows;
}

/** Gives the text to the pager; false where there is none. */
async function page(pager: string, text: string): Promise<boolean> {
  const child = spawn('sh', ['-c', pager], { stdio: ['pipe', 'inherit', 'inherit'] });
  // A person who has seen enough ends the pager before it has read everything.
  child.stdin.on('error', () => undefined);
  child.stdin.end(text);
  const [code] = (await once(child, 'close')) as [number | null];
  // What a shell ends with where it finds no such program.
  return code !== 127;
}

/** Prints a text, through a pager where it is longer than the screen. PAGER names another pager; empty or `cat`, none. */
export async function printPaged(text: string, isAllowed: boolean): Promise<void> {
  const { pager = USUAL_PAGER } = readTerminalWishes();
  const isPaged = isAllowed && pager !== '' && pager !== 'cat' && isLong(text);
  if (!isPaged || !(await page(pager, text))) process.stdout.write(text);
}
