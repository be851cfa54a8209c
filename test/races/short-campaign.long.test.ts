import { buildProgram } from '../processes/running-program.ts';
import { expectCaught, expectNoViolation } from './campaign-run.ts';

beforeAll(() => buildProgram(), 120_000);

test.each(['sqlite', 'postgres'])(
  'a campaign of forty rounds on %s violates nothing',
  (database) => expectNoViolation(database, '40'),
  300_000,
);

test.each(['no-presenting-record', 'lease-instead-of-version', 'second-send'])(
  'a build with %s is caught within three campaigns of twelve rounds',
  expectCaught,
  900_000,
);
