import { seedDemo } from '../../src/modern/demo/seed.ts';
import { openStore } from '../../src/modern/store/store.ts';

/** The records of the demo in a throw-away store: what a main API over other tokens serves. */
export function openDemoData() {
  const store = openStore(':memory:');
  const { accountId } = seedDemo(store);
  return { data: store.mainApi, accountId, close: store.close };
}
