import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { buildProgram } from '../../processes/running-program.ts';

/** `npm run rehearse-year`, with few people and a short year: that it finds nothing, and that it would. */

const checkout = resolve(import.meta.dirname, '../../..');
const LIMIT_MS = 240_000;

function rehearse(...args: string[]): Promise<{ code: number; said: string }> {
  const command = ['scripts/rehearse-year.mjs', '--seed', '1', '--people', '30', '--days', '60', ...args];
  const options = { cwd: checkout, maxBuffer: 2 ** 24, timeout: LIMIT_MS };
  return new Promise((done) => {
    execFile(process.execPath, command, options, (error, stdout, stderr) => {
      const code = typeof error?.code === 'number' ? error.code : error ? 1 : 0;
      done({ code, said: `${stdout}${stderr}` });
    });
  });
}

beforeAll(() => buildProgram(), 120_000);

test.each(['postgres', 'sqlite'])(
  'a short year on %s violates nothing, with three kills',
  async (database) => {
    const { code, said } = await rehearse('--database', database, '--kills', '3');
    if (code !== 0) throw new Error(said);
    expect(said).toMatch(/^kills +3, \d between claim and mark$/m);
    expect(said).toMatch(/^stages due +[1-9]\d+$/m);
    for (const name of ['missing', 'twice', 'too late', 'after acting, or not due', 'other violations'])
      expect(said).toMatch(new RegExp(`^${name} +0$`, 'm'));
  },
  LIMIT_MS,
);

test.each([
  ['skipped-mark', /^unexplained repeat: /m],
  ['second-id', /^twice: .*Message-ID/m],
  ['dropped-reminder', /^missing: |^ledger: .*never arrived/m],
  ['no-second-look', /^not due: /m],
  ['night-mail', /^night: /m],
  ['lost-refusal', /^ledger: .*never arrived/m],
])(
  'a machine with %s is caught',
  async (sabotage, complaint) => {
    const { code, said } = await rehearse('--database', 'sqlite', '--kills', '0', '--sabotage', sabotage);
    expect(said).toMatch(complaint);
    expect(code).toBe(1);
  },
  LIMIT_MS,
);
