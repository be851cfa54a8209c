import { buildProgram } from '../processes/running-program.ts';
import { expectNoViolation } from './campaign-run.ts';

/** The shortest campaign that says something; test:long has longer ones, and the sabotaged builds. */

beforeAll(() => buildProgram(), 120_000);

test('a short campaign on sqlite violates nothing', () => expectNoViolation('sqlite', '12'), 300_000);
