import { type OldAccount, type OldBackend, startOldBackend } from '../../support/servers/old-backend.ts';
import { startSystem, type System } from '../../support/bridge/system.ts';

/** A bridge without a limit, with the old API of one account behind it. */

export let old: OldBackend;
export let system: System;

/** Starts both before the tests of a file, and stops them after. */
export function withOldApi(account: OldAccount): void {
  beforeAll(async () => {
    old = await startOldBackend({ accounts: [account] });
    system = await startSystem({ env: { LEGACY_BACKEND_URL: old.url, LEGACY_RATE_LIMIT: '0' } });
  });

  afterAll(async () => {
    await system.stop();
    await old.close();
  });
}
