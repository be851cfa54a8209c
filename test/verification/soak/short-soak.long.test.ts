import { buildProgram } from '../../processes/running-program.ts';
import { runSoakCommand } from './run-soak.ts';

/** `npm run soak`, as short as it says something: it runs, and finds nothing; and a build that presents again is seen. */

const LIMIT_MS = 900_000;

beforeAll(() => buildProgram(), LIMIT_MS);

test.each(['sqlite', 'postgres'] as const)(
  'a short soak on %s finds nothing wrong',
  async (database) => {
    const short = ['--minutes', '0.4', '--rows', '400', '--rate', '10'];
    const { code, said } = await runSoakCommand(LIMIT_MS, '--database', database, ...short);
    if (code !== 0) throw new Error(said);
    expect(said).toMatch(/^0 violations$/m);
    expect(said).toMatch(/^ {2}tokens imported +400$/m);
    // what broke off while the keys changed may need the old one for longer
    expect(said).toMatch(/^ {2}old key dropped +(yes|no: .+)$/m);
    expect(said).toMatch(/^ {2}backup made, restored and verified +yes$/m);
    expect(said).toMatch(/^ {2}presented again WITHOUT either +0$/m);
    expect(said).toMatch(/^ {2}kill-machine +[1-9]/m);
  },
  LIMIT_MS,
);

test(
  'a soak of a build that presents again is not clean',
  async () => {
    const { code, said } = await runSoakCommand(LIMIT_MS, '--minutes', '3', '--sabotage', 'second-send');
    expect(said).toMatch(/^I3: refresh token \w+ was presented again, /m);
    expect(code).toBe(1);
  },
  LIMIT_MS,
);
