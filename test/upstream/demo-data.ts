import { seedModernDemo } from '../../src/modern/demo/seed.ts';
import { openModernStore } from '../../src/modern/store/store.ts';

/** The records of the demo in a throw-away store: what a main API over other tokens serves. */
export function openDemoData() {
  const store = openModernStore(':memory:');
  const { accountId } = seedModernDemo(store);
  return { data: store.mainApi, accountId, close: store.close };
}
