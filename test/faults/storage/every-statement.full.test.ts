import { databaseKinds } from '../../store/support/stores.ts';
import type { FaultPlace } from './support/flow.ts';
import { testMainFlows } from './support/main-flows.ts';
import { testMode } from '../../support/jest/test-mode.ts';

/**
 * A part of the faults of `every-statement.long.test.ts`: those of short flows and of commits, and every sixth of the
 * others; in CI every twelfth.
 */

const SHARE = testMode.isBrief ? 12 : 6;

const isChosen = ({ at, moment, statement }: FaultPlace) =>
  at <= 2 || /^commit/i.test(statement) || (at + (moment === 'after' ? 3 : 0)) % SHARE === 0;

describe.each(databaseKinds)('row F167 on %s', (kind) => testMainFlows(kind, isChosen));
