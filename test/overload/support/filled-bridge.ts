import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { openContext } from '../../../src/app/open-context.ts';
import { readConfig } from '../../../src/config/config.ts';
import { createLogger } from '../../../src/shared/log/logger.ts';
import { buildProgram } from '../../processes/running-program.ts';
import { type BridgeProcess, startBridgeProcess } from '../../support/bridge/bridge-process.ts';
import { freshDatabase } from '../../support/database/database.ts';
import { freePort } from '../../support/servers/free-port.ts';
import { connectTokens, tokenOf } from './fill.ts';
import { type SlowApi, startSlowApi } from './slow-api.ts';

/** One bridge in a process of its own, as it is deployed, with many connected tokens and a new API behind it. */

export interface FilledBridge {
  process: BridgeProcess;
  port: number;
  api: SlowApi;
  /** A file with every token; and one for each app. */
  tokens: string;
  tokensOfApp: string[];
  /** The resident memory of the process, in megabytes. */
  memory(): number;
  stop(): Promise<void>;
}

interface FilledBridgeOptions {
  database?: 'sqlite' | 'postgres';
  tokens?: number;
  apps?: number;
  /** How long the new API takes, in milliseconds. */
  apiTakes?: number;
  env?: Record<string, string>;
  /** A program that runs the bridge. */
  under?: readonly string[];
}

const clientIdOf = (app: number) => app.toString(16).padStart(24, 'c');

async function fill(settings: Record<string, string>, tokens: number, apps: number): Promise<void> {
  const config = readConfig(settings);
  if (!config.upstream) throw new Error('the settings name no new API');
  const logger = createLogger({ level: 'error', name: 'test', stream: new PassThrough().resume() });
  const opened = await openContext(config, config.upstream, { logger });
  const { context } = opened;
  const ids = Array.from({ length: apps }, (_, app) => clientIdOf(app));
  const created_at = context.clock.now();
  for (const client_id of ids)
    await context.store.durable
      .insertInto('apps')
      .values({ client_id, name: `App ${client_id}`, source: 'imported', created_at })
      .execute();
  await connectTokens(context, tokens, ids);
  await opened.close();
}

/** Starts a bridge that refuses calls in an overload, unless `env` says otherwise. */
export async function startFilledBridge({
  database = 'sqlite',
  tokens = 500,
  apps = 5,
  apiTakes = 0,
  env = {},
  under = [],
}: FilledBridgeOptions = {}): Promise<FilledBridge> {
  await buildProgram();
  const folder = mkdtempSync(join(tmpdir(), 'overload-'));
  const api = await startSlowApi(apiTakes);
  const PORT = String(await freePort());
  const kept = database === 'postgres' ? await freshDatabase() : undefined;
  const settings = {
    PORT,
    PUBLIC_URL: `http://127.0.0.1:${PORT}`,
    VAR_DIR: folder,
    MODERN_AUTH_URL: api.url,
    MODERN_API_URL: api.url,
    MODERN_CLIENT_ID: 'bridge',
    LEGACY_RATE_LIMIT: '0',
    PROFILES_FRESH_SECONDS: '86400',
    OVERLOAD_WAIT_MS: '200',
    LOG_LEVEL: 'warn',
    ...(kept && { DATABASE_URL: kept.url }),
    ...env,
  };
  await fill(settings, tokens, apps);
  const numbers = Array.from({ length: tokens }, (_, number) => number);
  const write = (name: string, chosen: readonly number[]) => {
    const file = join(folder, name);
    writeFileSync(file, chosen.map(tokenOf).join('\n'));
    return file;
  };
  const process = await startBridgeProcess({ settings, under });
  return {
    process,
    port: Number(PORT),
    api,
    tokens: write('tokens.txt', numbers),
    tokensOfApp: Array.from({ length: apps }, (_, app) =>
      write(
        `tokens-${app}.txt`,
        numbers.filter((number) => number % apps === app),
      ),
    ),
    memory: () =>
      Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${process.pid()}/status`, 'utf8'))?.[1]) / 1024,
    async stop() {
      await process.stop();
      await api.close();
      await kept?.drop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
