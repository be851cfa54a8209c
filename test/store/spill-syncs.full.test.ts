import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../support/servers/held-answer.ts';
import { straceInto, whyNoStrace } from '../races/system-calls.ts';

/** What a power cut leaves of a spilled pair, as the system calls of a real process show it. */

const program = join(import.meta.dirname, 'programs', 'spill-pair.ts');
const CALLS = 'write,pwrite64,writev,fsync,fdatasync,?rename,?renameat,?renameat2,exit_group';

/** One call with its texts readable. */
function readable(line: string): string {
  return line.replaceAll(/(?:\\x[0-9a-f]{2})+/g, (text) =>
    Buffer.from(text.replaceAll('\\x', ''), 'hex').toString('latin1'),
  );
}

/** The successful calls, in the order of their ends: of one that others interrupted both parts stand on one line. */
function callsIn(trace: string): string[] {
  const begun = new Map<string, string>();
  return trace.split('\n').flatMap((line) => {
    const thread = /^\d+/.exec(line)?.[0] ?? '';
    if (line.endsWith('<unfinished ...>')) {
      begun.set(thread, line);
      return [];
    }
    const rest = /<\.\.\. \w+ resumed>(.*)$/.exec(line)?.[1];
    const whole = rest === undefined ? line : `${begun.get(thread) ?? ''}${rest}`;
    return / = -\d/.test(whole) ? [] : [readable(whole)];
  });
}

const missing = whyNoStrace();
const wherePossible = missing === undefined ? test : test.skip;
const because = missing === undefined ? '' : ` (skipped: ${missing})`;

wherePossible(
  `a pair counts as spilled when its file and the name of its file are on the disk${because}`,
  async () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'spill-syncs-')));
    try {
      const [spill, trace] = [join(folder, 'spill'), join(folder, 'trace')];
      const [strace = '', ...options] = straceInto(trace, CALLS);
      const node = [process.execPath, '--import', 'tsx', program, spill];
      expect(execFileSync(strace, [...options, ...node], { encoding: 'utf8' })).toBe('spilled');
      // The watcher is no child of the program and may still write.
      await until(() => readFileSync(trace, 'latin1').includes('+++ exited with'));
      const calls = callsIn(readFileSync(trace, 'latin1'));
      const steps: Array<[string, (call: string) => boolean]> = [
        ['written', (call) => /write/.test(call) && call.includes('.draft>, "{')],
        ['synced', (call) => /f(data)?sync\(/.test(call) && call.includes('.draft')],
        ['named', (call) => /rename/.test(call) && call.includes('g1.1.pair')],
        ['its name synced', (call) => /fsync\(/.test(call) && call.includes(`<${spill}>`)],
        ['said', (call) => /write\(1<.*>, "spilled", 7\)/.test(call)],
      ];
      const order = calls.flatMap((call) => steps.filter(([, is]) => is(call)).map(([step]) => step));
      expect(order).toEqual(steps.map(([step]) => step));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
  60_000,
);
