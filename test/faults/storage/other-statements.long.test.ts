import { databaseKinds } from '../../store/support/stores.ts';
import {
  testImport,
  testPeopleFlows,
  testReminders,
  testStaffApi,
  testTakingBack,
  testWebhooks,
} from './support/other-flows.ts';

describe.each(databaseKinds)('apps and staff, on %s', (kind) => testPeopleFlows(kind));

describe.each(databaseKinds)('an import, on %s', (kind) => testImport(kind));

describe.each(databaseKinds)('reminders, on %s', (kind) => testReminders(kind));

describe.each(databaseKinds)('the staff API, on %s', (kind) => testStaffApi(kind));

describe.each(databaseKinds)('webhooks, on %s', (kind) => testWebhooks(kind));

/** The full ring takes a revocation back by the staff API alone. */
describe.each(databaseKinds)('what staff take back, on %s', (kind) => testTakingBack(kind));
