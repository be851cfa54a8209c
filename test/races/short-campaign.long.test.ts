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
  (sabotage) => expectCaught(sabotage),
  900_000,
);

test.each([
  ['unread-refusal-proves', 'hostile', 'sqlite'],
  ['busy-proves', 'hostile', 'sqlite'],
  ['quiet-time-ignored', 'network', 'sqlite'],
  ['spill-removed-first', 'spill-taken-back', 'sqlite'],
  ['code-claimed-twice', 'exchange.after', 'sqlite'],
  ['silence-proves', 'request-out', 'sqlite'],
  ['siblings-forgotten', 'partition', 'postgres'],
  ['late-pair-dropped', 'partition', 'postgres'],
] as const)(
  'a build with %s is caught by rounds of the kind %s on %s',
  (sabotage, kind, database) => expectCaught(sabotage, { kind, database }),
  900_000,
);
