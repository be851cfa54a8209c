import type { CookieWalker } from '../../support/callers/cookie-walker.ts';
import { type OldAccount, type OldBackend, startOldBackend } from '../../support/servers/old-backend.ts';
import { startSystem, type System } from '../../support/bridge/system.ts';
import { browserOf, SAM } from '../support/people.ts';

/** One running system for the chapters of app-pages.test.ts: each start costs more than a chapter. */
export interface Stage {
  system: System;
  old: OldBackend;
  /** What the old backend knows. */
  accounts: OldAccount[];
  /** Signed-in browsers. */
  dana: CookieWalker;
  sam: CookieWalker;
}

/** Clients that apps have of their own at the modern side, with our callback. */
export const CONFIDENTIAL = {
  clientId: 'planner-client',
  clientSecret: 'planner-secret',
  name: 'Night planner',
};
export const PUBLIC = {
  clientId: 'pocket-client',
  name: 'Pocket planner',
  ofApp: '4e9680c0512f7ed3220000bb',
};

export async function setStage(): Promise<Stage> {
  const accounts: OldAccount[] = [];
  const old = await startOldBackend({ accounts });
  const env = { LEGACY_BACKEND_URL: old.url, LEGACY_RATE_LIMIT: '0' };
  const system = await startSystem({ ownClients: [CONFIDENTIAL, PUBLIC], env });
  const [dana, sam] = [await browserOf(system), await browserOf(system, SAM)];
  return { system, old, accounts, dana, sam };
}
