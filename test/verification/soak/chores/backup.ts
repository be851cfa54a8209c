import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startPostgres } from '../../../support/database/postgres.ts';
import type { SoakRun } from '../run.ts';
import { runUntilDone } from './operator.ts';

/**
 * A backup while everything runs, and a drill on it beside: it is taken over at addresses that lead nowhere, and its
 * history is verified. PostgreSQL is backed up by its own programs, which npm does not bring: there the folder of the
 * server is copied while the server is down for a restart.
 */

const NOWHERE = 'https://modern.invalid';

function drillSettings({ ground }: SoakRun, databaseUrl?: string): Record<string, string> {
  const folder = join(ground.folder, 'drill');
  mkdirSync(folder, { mode: 0o700 });
  // the keys of the moment of the backup
  copyFileSync(ground.machines[0]?.settings['KEYS_FILE'] ?? '', join(folder, 'keys.json'));
  return {
    VAR_DIR: folder,
    DATABASE_URL: databaseUrl ?? `sqlite:${join(folder, 'bridge.db')}`,
    MODERN_AUTH_URL: NOWHERE,
    MODERN_API_URL: NOWHERE,
    MODERN_CLIENT_ID: 'drill',
  };
}

async function drill(run: SoakRun, settings: Record<string, string>, file?: string): Promise<void> {
  const operands = file === undefined ? [] : [file];
  await runUntilDone(run, { settings, args: ['restore', ...operands, '--take-over'] }, { tries: 1 });
  const { json } = await runUntilDone(run, { settings, args: ['history', 'verify'] }, { tries: 1 });
  run.say(`a backup was restored, its history of ${String(json?.['entries'])} entries is whole`);
}

async function onSqlite(run: SoakRun): Promise<void> {
  const file = join(run.ground.folder, 'backup.db');
  await runUntilDone(run, { settings: run.ground.machines[0]?.settings ?? {}, args: ['backup', file] });
  await drill(run, drillSettings(run), file);
}

async function onPostgres(run: SoakRun): Promise<void> {
  const { ground } = run;
  // outside of the soak's own folder, which the user of the server may not enter
  const copy = mkdtempSync(join(tmpdir(), 'soak-backup-'));
  let settings = {};
  // as an administrator stops it: what is copied then is whole
  await ground.database.restart('SIGINT', async () => {
    await promisify(execFile)('cp', ['-a', join(ground.postgres?.folder ?? '', 'data'), copy]);
    settings = drillSettings(run);
  });
  const server = await startPostgres({ folder: copy });
  try {
    await drill(run, { ...settings, DATABASE_URL: server.url });
  } finally {
    await server.stop();
    rmSync(copy, { recursive: true, force: true });
  }
}

/** Makes a backup and tries it. */
export async function backUp(run: SoakRun): Promise<void> {
  const trouble = { what: 'backup', from: Date.now(), until: Number.POSITIVE_INFINITY };
  run.ledger.troubles.push(trouble);
  await (run.options.database === 'postgres' ? onPostgres(run) : onSqlite(run));
  trouble.until = Date.now();
}
