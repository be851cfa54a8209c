import type { LegacyApp } from '../../support/callers/authorize.ts';
import type { CookieWalker } from '../../support/callers/cookie-walker.ts';
import { type OldAccount, startOldBackend } from '../../support/servers/old-backend.ts';
import type { SettableClock } from '../../support/bridge/settable-clock.ts';
import type { StartedBridge } from '../../support/bridge/started-bridge.ts';
import { startSystem, type System } from '../../support/bridge/system.ts';
import { browserOf, SAM, waitingToken } from './people.ts';
import { startSecond } from './second-bridge.ts';

/** Two processes on one database before an old API, with two people who are signed in. */

export interface TwoBridges {
  system: System;
  /** Another process on the same database. */
  other: StartedBridge;
  dana: CookieWalker;
  sam: CookieWalker;
  /** A token that waits and that the old API answers as long as there is one; Sam's unless said otherwise. */
  passedToken(app: LegacyApp, accountId?: string): Promise<string>;
  stop(): Promise<void>;
}

/** Starts them; no call is one too many for them. */
export async function startTwoBridges(clock: SettableClock): Promise<TwoBridges> {
  const accounts: OldAccount[] = [];
  const old = await startOldBackend({ accounts });
  const env = { LEGACY_BACKEND_URL: old.url, LEGACY_RATE_LIMIT: '0' };
  const system = await startSystem({ clock, env });
  const other = await startSecond(system, { clock, env });
  return {
    system,
    other,
    dana: await browserOf(system),
    sam: await browserOf(system, SAM),
    async passedToken(app, accountId = SAM.accountId) {
      const { token } = await waitingToken(system, { app, accountId });
      accounts.push({ tokens: [token], user: { id: `user-of-${token.slice(-8)}` }, profiles: [] });
      return token;
    },
    async stop() {
      await other.close();
      await system.stop();
      await old.close();
    },
  };
}
