import { buildProgram } from '../processes/running-program.ts';
import { expectNoViolation } from './campaign-run.ts';

/** The shortest campaign that says something; test:long has longer ones, and the sabotaged builds. */

beforeAll(() => buildProgram(), 120_000);

test.each(['sqlite', 'postgres'])(
  'a short campaign on %s violates nothing',
  (database) => expectNoViolation(database, '12'),
  300_000,
);
