import { databaseKinds } from '../../store/support/stores.ts';
import { testImport, testPeopleFlows, testReminders } from './support/other-flows.ts';

describe.each(databaseKinds)('apps and staff, on %s', (kind) => testPeopleFlows(kind));

describe.each(databaseKinds)('an import, on %s', (kind) => testImport(kind));

describe.each(databaseKinds)('reminders, on %s', (kind) => testReminders(kind));
