import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { buildProgram } from '../processes/running-program.ts';

/** `npm run crash-campaign`, short: enough to see that it runs, that it finds nothing, and that it would. */

const checkout = resolve(import.meta.dirname, '../..');

/** On a machine that does nothing else a campaign here takes less than half a minute. */
const LIMIT_MS = 110_000;

interface Ended {
  code: number;
  /** All it said, its table last. */
  said: string;
}

function campaign(...args: string[]): Promise<Ended> {
  const command = ['scripts/crash-campaign.mjs', '--seed', '1', ...args];
  const options = { cwd: checkout, maxBuffer: 2 ** 24, timeout: LIMIT_MS };
  return new Promise((done) => {
    execFile(process.execPath, command, options, (error, stdout, stderr) => {
      const code = typeof error?.code === 'number' ? error.code : error ? 1 : 0;
      done({ code, said: `${stdout}${stderr}` });
    });
  });
}

beforeAll(() => buildProgram(), 120_000);

test.each(['sqlite', 'postgres'])(
  'a short campaign on %s violates nothing',
  async (database) => {
    const { code, said } = await campaign('--database', database, '--rounds', '20', '--lanes', '4');
    // the table says why, where it is not so
    if (code !== 0) throw new Error(said);
    expect(said).toMatch(/rounds 20, seed 1/);
    expect(said).toMatch(/^ {2}presented again WITHOUT either +0$/m);
    expect(said).toMatch(/^ {2}answers lost +0$/m);
    expect(said).toMatch(/^0 violations$/m);
  },
  120_000,
);

test.each([
  ['no-presenting-record', 4],
  ['lease-instead-of-version', 6],
  ['second-send', 11],
])(
  'a build with %s is caught',
  async (sabotage, round) => {
    const { code, said } = await campaign('--sabotage', sabotage, '--round', String(round));
    expect(said).toMatch(/I3: refresh token \w+ was presented again, \d+ ms after a byte had left/);
    expect(said).toContain(`--database sqlite --round ${round} --sabotage ${sabotage}`);
    expect(code).toBe(1);
  },
  60_000,
);
