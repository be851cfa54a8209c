import { spawnSync } from 'node:child_process';
import { appendFileSync, chownSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { until } from '../servers/held-answer.ts';
import { startPostgres, type TestPostgres } from './postgres.ts';

/** A second PostgreSQL server that follows another one by streaming replication, and can take its place. */
export interface TestStandby {
  url: string;
  port: number;
  /** From here on no commit of the first server is answered before this one has it. */
  beSynchronous(): Promise<void>;
  /** From here on it gets nothing any more, and the first server waits for nobody. */
  stopFollowing(): Promise<void>;
  /** It takes writes, on a timeline of its own. */
  promote(): Promise<void>;
  stop(): Promise<void>;
}

const FOLLOWS_WITHIN = 30_000;

/** What a server answers to a statement, on a connection of its own. */
export async function askServer<Row extends object>(url: string, statement: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(statement)).rows;
  } finally {
    await client.end();
  }
}

async function set(url: string, name: string, value: string): Promise<void> {
  await askServer(url, `alter system set ${name} = '${value}'`);
  await askServer(url, 'select pg_reload_conf()');
}

/** The packages bring no `pg_basebackup`. The files of a server that ended in order are as good a base. */
function copyFiles(primary: TestPostgres, folder: string): void {
  const from = join(primary.folder, 'data');
  const { status, stderr } = spawnSync('cp', ['-a', from, folder], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`the server could not be copied: ${stderr}`);
  const data = join(folder, 'data');
  const follow = `primary_conninfo = 'host=127.0.0.1 port=${primary.port} user=postgres'\n`;
  appendFileSync(join(data, 'postgresql.auto.conf'), follow);
  const signal = join(data, 'standby.signal');
  writeFileSync(signal, '', { mode: 0o600 });
  const { uid, gid } = statSync(data);
  chownSync(signal, uid, gid);
}

const kindOf = (url: string) =>
  askServer<{ state: string; sync: string }>(
    url,
    'select state, sync_state as sync from pg_stat_replication',
  ).then(([row]) => (row?.state === 'streaming' ? row.sync : undefined));

/** Starts a standby of a server, which is restarted for it. */
export async function startStandby(primary: TestPostgres): Promise<TestStandby> {
  const folder = mkdtempSync(join(tmpdir(), 'pg-'));
  await primary.restart('SIGINT', async () => copyFiles(primary, folder));
  const standby = await startPostgres({ folder });
  await until(async () => (await kindOf(primary.url)) !== undefined, FOLLOWS_WITHIN);
  return {
    url: standby.url,
    port: standby.port,
    async beSynchronous() {
      await set(primary.url, 'synchronous_standby_names', '*');
      await until(async () => (await kindOf(primary.url)) === 'sync', FOLLOWS_WITHIN);
    },
    async stopFollowing() {
      await set(standby.url, 'primary_conninfo', '');
      await until(async () => (await kindOf(primary.url)) === undefined, FOLLOWS_WITHIN);
    },
    async promote() {
      await askServer(standby.url, 'select pg_promote()');
    },
    async stop() {
      await standby.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
