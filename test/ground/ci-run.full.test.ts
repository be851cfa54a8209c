import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createProject, type Project } from './ready-project.ts';

/** What `.ci/run` makes of the check and of both rings, which stand-ins for npm play here. */

interface Part {
  code: number;
  /** What the ring writes as its summary; nothing if it broke off before that. */
  summary?: { passed: number; failed: number; notes: string[] };
}

let project: Project;
beforeEach(() => (project = createProject(['.ci/run'])));
afterEach(() => project.remove());

function addProgram(name: string, text: string): void {
  project.write(`bin/${name}`, `#!/bin/sh\n${text}\n`);
  chmodSync(join(project.folder, 'bin', name), 0o755);
}

const caseOf = (script: string, { code, summary }: Part) => {
  const write = summary ? `printf '%s' '${JSON.stringify(summary)}' >"$TEST_SUMMARY"; ` : '';
  return `*" ${script}") ${write}exit ${code};;`;
};

const good = (passed: number, notes: string[] = []): Part => ({
  code: 0,
  summary: { passed, failed: 0, notes },
});

async function runCi(parts: { check?: number; fast?: Part; full?: Part }) {
  const { check = 0, fast = good(10), full = good(5) } = parts;
  const cases = [caseOf('check', { code: check }), caseOf('test', fast), caseOf('test:full', full)];
  addProgram('npm', `case " $*" in\n${cases.join('\n')}\nesac`);
  // The tools of the machine are not the point, and nothing is installed for this.
  addProgram('apt-get', 'exit 1');
  const PATH = `${join(project.folder, 'bin')}:${process.env['PATH']}`;
  const child = spawn('bash', ['.ci/run'], { cwd: project.folder, env: { PATH } });
  let output = '';
  child.stdout.on('data', (chunk) => (output += chunk));
  const [code] = (await once(child, 'close')) as [number];
  return { code, lines: output.trimEnd().split('\n') };
}

test('its last line adds up both rings, and what they noted stands before it', async () => {
  const fast = good(10, ['FLAKY test/a.test.ts', '    held', '    Expected: 1']);
  const { code, lines } = await runCi({ fast, full: good(5, ['LEFT OUT b', 'FLAKY c']) });
  expect(lines.slice(-6)).toEqual([
    'FLAKY test/a.test.ts',
    '    held',
    '    Expected: 1',
    'LEFT OUT b',
    'FLAKY c',
    '15 passed, 0 failed',
  ]);
  expect(code).toBe(0);
});

test('a good run lists nothing before it', async () => {
  const { code, lines } = await runCi({});
  expect(lines.at(-2)).toMatch(/^npm run test:full ended with 0 after \d+ s$/);
  expect({ code, last: lines.at(-1) }).toEqual({ code: 0, last: '15 passed, 0 failed' });
});

test.each<[string, Parameters<typeof runCi>[0], string]>([
  ['a check that fails counts as one', { check: 1 }, '15 passed, 1 failed'],
  [
    'failures of both rings and of the check add up',
    {
      check: 1,
      fast: { code: 1, summary: { passed: 7, failed: 3, notes: [] } },
      full: { code: 1, summary: { passed: 1, failed: 4, notes: [] } },
    },
    '8 passed, 8 failed',
  ],
  ['a ring that says nothing counts as one', { full: { code: 124 } }, '10 passed, 1 failed'],
  [
    'a ring that ends badly though nothing failed counts as one',
    { fast: { ...good(10), code: 1 } },
    '15 passed, 1 failed',
  ],
])('%s', async (_name, parts, last) => {
  const { code, lines } = await runCi(parts);
  expect({ code, last: lines.at(-1) }).toEqual({ code: 1, last });
});

test('it ends within forty minutes, and slow parts leave both rings their time', () => {
  const text = readFileSync(join(project.folder, '.ci/run'), 'utf8');
  const numberOf = (name: string) => Number(new RegExp(`^${name}=(\\d+)$`, 'm').exec(text)?.[1]);
  const limits = [...text.matchAll(/^.*\btimeout(?: -k 15)? (\d+) /gm)].map(([, limit]) => Number(limit));
  expect(numberOf('ENDS_AFTER')).toBeLessThan(40 * 60);
  // Of the tools, promtool, the installation and the check, with fifteen seconds each to end.
  expect(limits).toHaveLength(4);
  const ofRings = numberOf('ENDS_AFTER') - limits.reduce((sum, limit) => sum + limit + 15, 0);
  expect(ofRings - numberOf('FULL_RING')).toBeGreaterThan(600);
  expect(text).toContain('\nrun_ring $(($(time_left) - FULL_RING)) test\n');
});
