import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../../../src/config/config.ts';
import type { Context } from '../../../src/domain/context.ts';
import { DAY } from '../../../src/shared/lifetimes.ts';
import type { Clock } from '../../../src/shared/clock.ts';
import { createLogger } from '../../../src/shared/log/logger.ts';
import { openContext, type OpenContext } from '../../../src/app/open-context.ts';
import { copyMigratedFile, migratedDatabase } from '../../support/database/migrated.ts';
import type { DatabaseKind } from '../../store/support/stores.ts';
import { SettableClock } from '../../support/bridge/settable-clock.ts';
import { type SmtpDoor, startSmtpServer } from '../../support/servers/smtp-server.ts';
import { addAccount, addApp, addToken, setDate } from './planning-ground.ts';

/** A database with people who are due for mails, and what sends them: here, or in processes of their own. */

const program = join(import.meta.dirname, 'programs', 'deliver.mjs');

interface Options {
  kind: DatabaseKind;
  /** Without it mails become files. */
  smtpPort?: number;
}

export interface DeliveryGround {
  folder: string;
  settings: Record<string, string>;
  /** Another process's view of the database, by its own clock or the machine's. */
  open(clock?: Clock): Promise<Context>;
  /** The built program in a process of its own: it sends what is due, then ends. */
  spawn(): ChildProcess;
  close(): Promise<void>;
}

export async function openDeliveryGround({ kind, smtpPort }: Options): Promise<DeliveryGround> {
  const folder = mkdtempSync(join(tmpdir(), 'delivery-'));
  const database = kind === 'postgres' ? await migratedDatabase() : undefined;
  const settings = {
    VAR_DIR: folder,
    PUBLIC_URL: 'http://localhost:3000',
    MODERN_AUTH_URL: 'http://127.0.0.1:9',
    MODERN_API_URL: 'http://127.0.0.1:9',
    MODERN_CLIENT_ID: 'bridge',
    MAIL_FROM: 'no-reply@bridge.example',
    ...(smtpPort !== undefined && { SMTP_URL: `smtp://127.0.0.1:${smtpPort}` }),
    ...(database && { DATABASE_URL: database.url }),
  };
  const logger = createLogger({ level: process.env['TEST_LOG'] ? 'debug' : 'none', name: 'delivery' });
  const opened: OpenContext[] = [];
  const children: ChildProcess[] = [];
  return {
    folder,
    settings,
    async open(clock) {
      const config = readConfig(settings);
      if (!config.upstream) throw new Error('the settings name a modern side');
      copyMigratedFile(config.database);
      const one = await openContext(config, config.upstream, { logger, ...(clock && { clock }) });
      opened.push(one);
      return one.context;
    },
    spawn() {
      const child = spawn(process.execPath, [program], {
        env: { PATH: process.env['PATH'], ...settings, LOG_LEVEL: 'error' },
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      children.push(child);
      return child;
    },
    async close() {
      for (const child of children) await killed(child);
      for (const one of opened) await one.close();
      await database?.drop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** kill -9, if it still runs; resolves when it is gone. */
export async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

/** In twenty days, so that the stage of thirty days stands at any hour of yesterday, today and tomorrow. */
export async function setRetirement(context: Context): Promise<void> {
  const at = new Date(Math.floor(Date.now() / DAY) * DAY + 20 * DAY).toISOString();
  await setDate(context, 'retirement', at);
}

/** Past nine in the morning of yesterday in UTC. */
export const yesterdayNoon = (): number => Math.floor(Date.now() / DAY) * DAY - DAY / 2;

/** An account whose token waits at an app. */
export async function addHolder(context: Context, email: string, clientId?: string): Promise<string> {
  const accountId = await addAccount(context, { email });
  await addToken(context, clientId ?? (await addApp(context, { name: 'Old app' })), {
    account_id: accountId,
  });
  return accountId;
}

/** An app of a person who is known by an address alone, with others to tell about it. */
export async function addOwnedApp(
  context: Context,
  { owner, contacts = [], name = 'Owned app' }: { owner: string; contacts?: string[]; name?: string },
): Promise<string> {
  const clientId = await addApp(context, { ownerEmail: owner, name });
  await addToken(context, clientId, { account_email: null, legacy_account_id: `of-${clientId}` });
  for (const address of contacts)
    await context.store.durable.insertInto('app_contacts').values({ client_id: clientId, address }).execute();
  return clientId;
}

/** The mails, one line for each: whom, where, how far. */
export async function readMails({ store }: Context): Promise<string[]> {
  const rows = await store.durable
    .selectFrom('mails')
    .select(['person', 'address', 'state', 'failure'])
    .orderBy('created_at')
    .orderBy('replaces')
    .orderBy('address')
    .execute();
  return rows.map(({ person, address, state, failure }) =>
    [person, address ?? '-', state, failure ?? ''].join(' ').trim(),
  );
}

/** It becomes noon for everybody: spawned processes go by the machine's clock, and send nothing into somebody's night. */
export async function makeNoon({ store }: Context): Promise<void> {
  const west = new Date().getUTCHours() - 12;
  const timezone = `Etc/GMT${west < 0 ? '' : '+'}${west}`;
  await store.durable.updateTable('accounts').set({ timezone }).execute();
}

/** A ground with a mail server and one view of it by a clock that stands at yesterday's noon; the retirement is set. */
export interface MailedGround {
  door: SmtpDoor;
  ground: DeliveryGround;
  clock: SettableClock;
  context: Context;
  close(): Promise<void>;
}

export async function openMailedGround(kind: DatabaseKind): Promise<MailedGround> {
  const door = await startSmtpServer();
  const ground = await openDeliveryGround({ kind, smtpPort: door.port });
  const clock = new SettableClock(yesterdayNoon());
  const context = await ground.open(clock);
  await setRetirement(context);
  const close = async () => {
    await ground.close();
    await door.close();
  };
  return { door, ground, clock, context, close };
}
