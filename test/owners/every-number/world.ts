import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { importFile } from '../../../src/domain/import/reading/import-file.ts';
import { DAY } from '../../../src/shared/lifetimes.ts';
import { staffBrowser } from '../../staff/support/staff-browser.ts';
import type { CookieWalker } from '../../support/callers/cookie-walker.ts';
import { type OldBackend, startOldBackend } from '../../support/servers/old-backend.ts';
import { sendRaw } from '../../support/callers/raw-request.ts';
import { holdJobs } from '../../support/bridge/hold-jobs.ts';
import { freshDatabase } from '../../support/database/database.ts';
import { SettableClock } from '../../support/bridge/settable-clock.ts';
import { startSystem, type System } from '../../support/bridge/system.ts';
import { browserOf, DANA, SAM } from '../support/people.ts';

/** A bridge before the retirement with an app of 5,000 tokens, one of which Dana holds thousands, and small ones. */

interface ImportedApp {
  clientId: string;
  name: string;
  owner: string;
  tokens: number;
  /** The account of a token, or an address. */
  holder: (index: number) => { account_id: string } | { account_email: string };
}

const hex = (text: string, length: number) =>
  createHash('sha256').update(text).digest('hex').slice(0, length);

const account = (name: string) => ({ account_id: hex(name, 24) });

export const BIG: ImportedApp = {
  clientId: hex('big', 24),
  name: 'Bigly',
  owner: DANA.accountId,
  tokens: 5000,
  // Dana's own, those of addresses, and of nearly as many accounts as there are tokens.
  holder: (index) => {
    if (index < 8) return { account_id: DANA.accountId };
    if (index % 10 === 9) return { account_email: `holder${index}@mail.example` };
    return account(`holder ${index}`);
  },
};

export const WIDE: ImportedApp = {
  clientId: hex('wide', 24),
  name: 'Widely',
  owner: SAM.accountId,
  tokens: 2103,
  holder: (index) => (index < 2100 ? { account_id: DANA.accountId } : account(`holder ${index}`)),
};

export const SMALL: ImportedApp = {
  clientId: hex('small', 24),
  name: 'Smally',
  owner: DANA.accountId,
  tokens: 3,
  holder: (index) => ({ account_id: [DANA.accountId, SAM.accountId, hex('holder 12', 24)][index] ?? '' }),
};

export const APPS = [BIG, WIDE, SMALL];

export const tokenOf = ({ name }: ImportedApp, index: number) => `1/${hex(`${name} ${index}`, 32)}`;

function* rows() {
  for (const app of APPS) {
    const { clientId: client_id, name, owner, tokens, holder } = app;
    const callback_urls = [`https://${name.toLowerCase()}.example/cb`];
    yield { type: 'app', client_id, name, callback_urls, owner_account_id: owner };
    for (let index = 0; index < tokens; index += 1)
      yield { type: 'token', access_token: tokenOf(app, index), client_id, ...holder(index) };
  }
}

export interface World {
  clock: SettableClock;
  old: OldBackend;
  system: System;
  /** Signed in anew, for a session ends within the hour. */
  signIn(): Promise<{ dana: CookieWalker; sam: CookieWalker }>;
  /** The id of the holder of a token at the old API. */
  userOf(app: ImportedApp, index: number): string;
  /** Imports all rows. */
  importAll(): Promise<void>;
  /** A call of the old API with a token; its status. */
  call(app: ImportedApp, index: number, path?: string): Promise<number>;
  stop(): Promise<void>;
}

const HOUR = 3_600_000;

/** What the hour of the clock on the wall would bring: the test says when it is counted, and that nobody is mailed. */
const HOURLY = ['plan-reminders', 'keep-progress', 'keep-moving-calls'];

/** On PostgreSQL of its own, or on the database of the mode. */
export async function startWorld(kind: 'sqlite' | 'postgres'): Promise<World> {
  const database = kind === 'postgres' ? await freshDatabase() : undefined;
  const clock = new SettableClock();
  // A day's middle: what is counted by days stays within one while an hour passes.
  // The commands have the machine's clock, for which all that the test does has happened already.
  clock.set(Math.floor((Date.now() - 14 * HOUR) / DAY) * DAY + 10 * HOUR);
  const accounts = APPS.flatMap((app) =>
    [0, 1, 2000, 4998].map((index) => ({
      tokens: index < app.tokens ? [tokenOf(app, index)] : [],
      user: { id: hex(`old ${app.name} ${index}`, 24) },
    })),
  );
  const old = await startOldBackend({ accounts });
  const system = await startSystem({
    clock,
    env: {
      ...(database && { DATABASE_URL: database.url }),
      LEGACY_BACKEND_URL: old.url,
      LEGACY_RATE_LIMIT: '0',
      LEGACY_DEPRECATED_AT: new Date(clock.now() - 30 * DAY).toISOString(),
      LEGACY_RETIREMENT_AT: new Date(clock.now() + 60 * DAY).toISOString(),
      BRIDGE_SUNSET_AT: new Date(clock.now() + 200 * DAY).toISOString(),
    },
  });
  const letJobsGo = await holdJobs(system.bridge.context, HOURLY);
  await staffBrowser(system, 'lead');
  const folder = mkdtempSync(join(tmpdir(), 'grantbridge-numbers-'));
  const file = join(folder, 'import.ndjson');
  writeFileSync(file, [...rows()].map((row) => JSON.stringify(row)).join('\n'));
  return {
    clock,
    old,
    system,
    signIn: async () => ({ dana: await browserOf(system), sam: await browserOf(system, SAM) }),
    userOf: (app, index) => hex(`old ${app.name} ${index}`, 24),
    async importAll() {
      const origin = { actor: 'test', requestId: null };
      const asked = { file, folder, isDryRun: false, origin, onProgress: () => {} };
      const { new: added, refused } = await importFile(system.bridge.context, asked);
      expect([added, refused]).toEqual([APPS.reduce((sum, { tokens }) => sum + tokens + 1, 0), 0]);
    },
    async call(app, index, path = '/1/user.json') {
      const headers = { authorization: `Bearer ${tokenOf(app, index)}`, 'user-agent': 'caller/1.0' };
      return (await sendRaw(system.bridgeUrl, { path, headers })).status;
    },
    async stop() {
      letJobsGo();
      await system.stop();
      await database?.drop();
      await old.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
