import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openContext, type OpenContext } from '../../../src/app/open-context.ts';
import { readConfig } from '../../../src/config/config.ts';
import { createLogger } from '../../../src/shared/log/logger.ts';
import { PURPOSES, type KeyPurpose } from '../../../src/shared/secrets.ts';
import { addKeyToFile } from '../../../src/store/files/keys-file.ts';
import type { Store } from '../../../src/store/driver/store.ts';
import { type Door, openDoor } from '../../endpoints/support/door.ts';
import { buildProgram } from '../../processes/running-program.ts';
import { freePort } from '../servers/free-port.ts';
import { until } from '../servers/held-answer.ts';
import { logLines } from './log-lines.ts';
import { BRIDGE_CLIENT } from '../servers/modern-side.ts';
import { spawnBridge } from './spawned-bridge.ts';

/** A bridge whose keys a test changes under it, and others on its database with a key file of their own. */

export interface KeyDoor extends Door {
  varDir: string;
  keysFile: string;
  /** The lines that it logged, from the given level on. */
  lines(): string[];
}

/** Nothing is answered from a cache. */
const NO_CACHE = { PROFILES_FRESH_SECONDS: '0', PROFILES_STALE_SECONDS: '0' };

export async function openKeyDoor(env: Record<string, string> = {}, level = 'warn'): Promise<KeyDoor> {
  const varDir = mkdtempSync(join(tmpdir(), 'key-door-'));
  const { stream, lines } = logLines();
  const log = { level, stream };
  const door = await openDoor({ env: { VAR_DIR: varDir, ...NO_CACHE, ...env }, log });
  return {
    ...door,
    varDir,
    keysFile: join(varDir, 'keys.json'),
    lines,
    async stop() {
      await door.stop();
      rmSync(varDir, { recursive: true, force: true });
    },
  };
}

/** Settings that lead to the same database and modern side, with a key file and a folder of their own. */
export function settingsBeside(door: KeyDoor, name: string): Record<string, string> & { KEYS_FILE: string } {
  const { database } = door.bridge;
  const varDir = join(door.varDir, name);
  return {
    VAR_DIR: varDir,
    KEYS_FILE: join(door.varDir, `${name}.json`),
    DATABASE_URL: database.kind === 'sqlite' ? `sqlite:${database.file}` : database.url,
    PUBLIC_URL: door.bridgeUrl,
    MODERN_AUTH_URL: door.proxy.origin,
    MODERN_API_URL: door.proxy.origin,
    MODERN_CLIENT_ID: BRIDGE_CLIENT,
    LEGACY_RATE_LIMIT: '0',
    ...NO_CACHE,
  };
}

/** Copies a key file as an operator does, and adds keys to the copy. */
export function copyKeys(from: string, to: string, add: readonly string[] = []): void {
  writeFileSync(to, readFileSync(from), { mode: 0o600 });
  for (const id of add) addKeyToFile(to, id);
}

/** What a second process would work with, in this one; it serves nothing. */
export async function openBeside(door: KeyDoor, name: string): Promise<OpenContext> {
  const config = readConfig(settingsBeside(door, name));
  if (!config.upstream) throw new Error('the settings name no modern side');
  const logger = createLogger({ level: 'error', name: 'beside', stream: logLines().stream });
  return openContext(config, config.upstream, { logger });
}

/** A second bridge that serves; two on SQLite in one process would wait for each other. */
export async function serveBeside(door: KeyDoor, name: string) {
  await buildProgram();
  const { stream, lines } = logLines();
  const PORT = String(await freePort());
  const log = { level: 'warn', stream };
  const spawned = await spawnBridge({ ...settingsBeside(door, name), PORT }, { log, clock: undefined });
  return { url: `http://127.0.0.1:${PORT}`, lines, close: () => spawned.close() };
}

/** Resolves when every process on the database has said that it holds a key of every purpose. */
export async function untilHeld(door: KeyDoor, id: string): Promise<void> {
  const { durable } = door.bridge.context.store;
  await until(async () => {
    const rows = await durable.selectFrom('key_holders').select('held').execute();
    return rows.every(({ held }) => held.split(`"${id}"`).length > PURPOSES.length);
  });
}

/** Makes a key the active one of every purpose, without asking anybody whether it is held. */
export async function activateBySql(store: Store, id: string): Promise<void> {
  await store.transaction(async (tx) => {
    await tx.updateTable('keys').set({ state: 'old' }).where('state', '=', 'active').execute();
    await tx.updateTable('keys').set({ state: 'active' }).where('id', '=', id).execute();
  });
}

/** Drops a key, whatever stands on it. */
export async function dropBySql({ durable }: Store, purpose: KeyPurpose, id: string): Promise<void> {
  await durable
    .updateTable('keys')
    .set({ state: 'dropped' })
    .where('purpose', '=', purpose)
    .where('id', '=', id)
    .execute();
}
