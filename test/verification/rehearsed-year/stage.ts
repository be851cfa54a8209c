import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore } from '../../../src/store/driver/open-store.ts';
import { countCallsSince } from '../../../src/store/usage/known-calls.ts';
import type { Store } from '../../../src/store/driver/store.ts';
import { startPostgres } from '../../support/database/postgres.ts';
import { SettableClock } from '../../support/bridge/settable-clock.ts';
import { copyBuild } from './build-copy.ts';
import { type Machine, startMachine } from './machine.ts';
import { type MailServer, startMailServer } from '../shared/mail-server.ts';
import type { RehearsalOptions } from './options.ts';
import { BEGINNING } from './world/world.ts';

/** What a year is rehearsed on: a database, a mail server, a clock, and two machines on one database. */
export interface Stage {
  store: Store;
  clock: SettableClock;
  mail: MailServer;
  machines: readonly Machine[];
  close(): Promise<void>;
}

const MACHINES = 2;

function settingsOf(folder: string, { url, port, machine }: { url: string; port: number; machine: number }) {
  return {
    DATABASE_URL: url,
    VAR_DIR: join(folder, `machine-${machine}`),
    // one secret for all, as machines on one database have it
    KEYS_FILE: join(folder, 'keys.json'),
    SMTP_URL: `smtp://127.0.0.1:${port}`,
    MAIL_FROM: 'no-reply@bridge.example',
    PUBLIC_URL: 'https://bridge.example',
    MODERN_AUTH_URL: 'http://127.0.0.1:9',
    MODERN_API_URL: 'http://127.0.0.1:9',
    MODERN_CLIENT_ID: 'bridge',
    LOG_LEVEL: 'error',
  };
}

async function openDatabase({ database }: RehearsalOptions, folder: string) {
  if (database === 'sqlite') {
    const file = join(folder, 'bridge.db');
    return {
      url: `sqlite:${file}`,
      location: { kind: 'sqlite' as const, file },
      stop: async () => undefined,
    };
  }
  // killed are the machines, never the database: what it keeps over a power cut is the crash campaign's to prove
  const server = await startPostgres();
  // by its socket: a year is some hundred thousand statements
  const url = server.socketUrl;
  return { url, location: { kind: 'postgres' as const, url }, stop: () => server.stop() };
}

/** Starts everything; `close` leaves nothing behind. */
export async function openStage(options: RehearsalOptions): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), 'rehearsal-'));
  const build = copyBuild(options.sabotage);
  const ends: Array<() => unknown> = [
    () => [folder, build].forEach((one) => rmSync(one, { recursive: true })),
  ];
  const close = async () => {
    for (const end of ends.toReversed()) await end();
    ends.length = 0;
  };
  try {
    const database = await openDatabase(options, folder);
    ends.push(database.stop);
    const store = await openStore(database.location);
    ends.push(() => store.close());
    // The tokens of this world are from long before, and so are the counts of their calls.
    await countCallsSince(store, 0);
    const mail = await startMailServer(MACHINES);
    ends.push(() => mail.close());
    const clock = new SettableClock(BEGINNING);
    const clockFile = join(folder, 'now');
    ends.push(clock.share(clockFile));
    const machines: Machine[] = [];
    // one after the other: the first makes the keys
    for (const [machine, port] of mail.ports.entries()) {
      const settings = settingsOf(folder, { url: database.url, port, machine });
      const sabotage = machine === 0 ? options.sabotage : 'none';
      const started = await startMachine({ build, clockFile, sabotage, settings });
      ends.push(() => started.close());
      machines.push(started);
    }
    return { store, clock, mail, machines, close };
  } catch (error) {
    await close();
    throw error;
  }
}
