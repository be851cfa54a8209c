import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** Callers of a kind that nobody wants, in a process of their own. */

const program = join(import.meta.dirname, '../programs/holder.mjs');

export type Behaviour =
  | 'silent'
  | 'kept'
  | 'headers'
  | 'body'
  | 'long body'
  | 'long chunks'
  | '100 MB'
  | '100 MB in chunks'
  | '100 MB once asked';

interface HolderOrder {
  port: number;
  count: number;
  how: Behaviour;
  path?: string;
  token?: string;
}

export interface Holder {
  /** How many connections came about. */
  opened: number;
  /**
   * Closes all connections. The first lines of the answers by status, and how many the server had closed. May be called
   * again.
   */
  end: () => Promise<{ answers: Record<string, number>; closed: number }>;
}

/** Opens the connections; resolves when all are open, or were closed again. */
export async function hold(order: HolderOrder): Promise<Holder> {
  const child = spawn(process.execPath, [program, JSON.stringify(order)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => (said += part));
  const closed = once(child, 'close');
  while (!said.includes('\n')) await Promise.race([once(child.stdout, 'data'), closed]);
  const [line = '', ...rest] = said.split('\n');
  said = rest.join('\n');
  return {
    opened: Number(line.replace('open ', '')),
    async end() {
      child.stdin.end();
      await closed;
      return JSON.parse(said) as { answers: Record<string, number>; closed: number };
    },
  };
}
