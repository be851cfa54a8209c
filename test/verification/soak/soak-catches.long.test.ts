import { buildProgram } from '../../processes/running-program.ts';
import { runSoakCommand } from './run-soak.ts';

/** The soak on a build that loses pairs: it starts, it calls, it judges, and it is not clean. */

const LIMIT_MS = 600_000;

beforeAll(() => buildProgram(), LIMIT_MS);

test(
  'a soak of a build that drops a pair is not clean',
  async () => {
    const few = ['--minutes', '3', '--rate', '5'];
    const { code, said } = await runSoakCommand(LIMIT_MS, ...few, '--sabotage', 'pair-dropped');
    expect(said).toMatch(/^answer lost: version \d+ of grant \w+ (was kept|came) and is not stored$/m);
    expect(said).toMatch(/^ {2}again: npm run soak -- --minutes 3 --seed 10 .* --sabotage /m);
    expect(code).toBe(1);
  },
  LIMIT_MS,
);
