// Cached calls on PostgreSQL beside SQLite, and by two machines beside one. The CPU is that of the bridge alone.
import { join } from 'node:path';
import { register } from 'tsx/esm/api';
import { atMost } from '../figures.mjs';
import { linesOf, overOther } from '../measure.mjs';

/** Enough that most calls meet another row than the one before. */
const TOKENS = 20_000;

/** As the tests start it, with commits that outlive the machine: a production refuses another. */
async function startPostgres(stage) {
  const unregister = register();
  const { startPostgres: start } = await import('../../../test/support/database/postgres.ts');
  await unregister();
  return stage.keep(await start({ fsync: true }));
}

const wantedOf = ({ tokens }) => ({ tokens: Math.min(TOKENS, tokens) });

async function fillPostgres(stage, name) {
  const { url } = await startPostgres(stage);
  return stage.filled(name, wantedOf(stage.options), { DATABASE_URL: url });
}

const loadOf = (env) => ({ file: join(env.VAR_DIR, 'tokens.txt'), request: 'header' });

/** One bridge on each database. */
export async function postgres(stage) {
  const onPostgres = await fillPostgres(stage, 'on-postgres');
  const onSqlite = await stage.filled('some', wantedOf(stage.options));
  const contenders = [
    { ...(await stage.serve('on SQLite', onSqlite)), load: loadOf(onSqlite) },
    { ...(await stage.serve('on PostgreSQL', onPostgres)), load: loadOf(onPostgres) },
  ];
  for (const one of contenders) await stage.callOnce(one, one.load);
  const measured = await stage.rounds(contenders);
  return linesOf('profiles.json, fresh, header', measured, {
    'on PostgreSQL': { with: 'on SQLite', ...overOther('SQLite', atMost(1.3)) },
  });
}

/** Two processes with folders of their own on one database, beside one of them alone. */
export async function machines(stage) {
  const env = await fillPostgres(stage, 'machines');
  const one = await stage.serve('one machine', env);
  const second = await stage.serve('second', await stage.anotherMachine(env, 'second-machine'));
  const both = {
    name: 'two machines',
    pids: [...one.pids, ...second.pids],
    ports: [...one.ports, ...second.ports],
  };
  await stage.callOnce(one, loadOf(env));
  const measured = await stage.rounds([one, both], loadOf(env));
  return linesOf('profiles.json, fresh, header, on PostgreSQL', measured, {
    'two machines': { with: 'one machine', ...overOther('one machine', reported(1.15)) },
  });
}

/** With two cores, a figure over several processes is reported, not judged. */
export const reported = (limit) => ({ ...atMost(limit), isReported: true });
