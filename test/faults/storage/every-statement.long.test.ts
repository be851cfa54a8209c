import { databaseKinds } from '../../store/support/stores.ts';
import { testMainFlows } from './support/main-flows.ts';

describe.each(databaseKinds)('on %s', (kind) => testMainFlows(kind));
