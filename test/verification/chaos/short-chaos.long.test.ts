import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { buildProgram } from '../../processes/running-program.ts';

/** `npm run chaos`, as short as it says something, and on builds that are wrong in one way. It needs haproxy. */

const LIMIT_MS = 900_000;

const checkout = resolve(import.meta.dirname, '../../..');

beforeAll(() => buildProgram(), LIMIT_MS);

function chaos(...args: string[]): Promise<{ code: number; said: string }> {
  const options = { cwd: checkout, maxBuffer: 2 ** 24, timeout: LIMIT_MS };
  return new Promise((done) => {
    execFile(process.execPath, ['scripts/chaos.mjs', ...args], options, (error, stdout, stderr) => {
      const code = typeof error?.code === 'number' ? error.code : error ? 1 : 0;
      done({ code, said: `${stdout}${stderr}` });
    });
  });
}

test(
  'eight rounds of kills, upgrades and downgrades fail no accepted call',
  async () => {
    const { code, said } = await chaos('--rounds', '8', '--seed', '10');
    if (code !== 0) throw new Error(said);
    expect(said).toMatch(/^0 violations$/m);
    expect(said).toMatch(/^migrate +1 /m);
  },
  LIMIT_MS,
);

test.each([
  ['drain-closes-at-once', 'stop', /call failed: .*(?:502 SH|socket hang up)/],
  ['second-send', 'new API away', /presented twice: refresh token \w+ was presented again/],
])(
  'a build with %s is not clean',
  async (sabotage, kind, wrong) => {
    const { code, said } = await chaos(
      '--rounds',
      '40',
      '--seed',
      '10',
      '--only',
      kind,
      '--sabotage',
      sabotage,
    );
    expect(said).toMatch(wrong);
    expect(code).toBe(1);
  },
  LIMIT_MS,
);
