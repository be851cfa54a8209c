import { databaseKinds } from '../../store/support/stores.ts';
import { databasesOf } from '../../support/jest/test-mode.ts';
import type { FaultPlace } from './support/flow.ts';
import {
  testImport,
  testPeopleFlows,
  testReminders,
  testStaffApi,
  testWebhooks,
} from './support/other-flows.ts';

/** A part of the faults of `other-statements.long.test.ts`: those of the commits, and every sixth of the others. */

const isChosen = ({ at, moment, statement }: FaultPlace) =>
  /^commit/i.test(statement) || (at + (moment === 'after' ? 3 : 0)) % 6 === 0;

describe.each(databaseKinds)('row F167 apps and staff, on %s', (kind) => testPeopleFlows(kind, isChosen));

describe.each(databaseKinds)('an import, on %s', (kind) => testImport(kind, isChosen));

describe.each(databaseKinds)('reminders, on %s', (kind) => testReminders(kind, isChosen));

describe.each(databasesOf('postgres'))('the staff API, on %s', (kind) => testStaffApi(kind, isChosen));

describe.each(databasesOf('postgres'))('webhooks, on %s', (kind) => testWebhooks(kind, isChosen));
