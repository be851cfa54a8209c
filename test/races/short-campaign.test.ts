import { buildProgram } from '../processes/running-program.ts';
import { expectCaught, expectNoViolation } from './campaign-run.ts';

/** The shortest campaign that says something; test:long has longer ones, and the other sabotaged builds. */

beforeAll(() => buildProgram(), 120_000);

test('a short campaign on sqlite violates nothing', () => expectNoViolation('sqlite', '12'), 120_000);

test(
  'a build with no-presenting-record is caught within three campaigns of twelve rounds',
  () => expectCaught('no-presenting-record'),
  240_000,
);
