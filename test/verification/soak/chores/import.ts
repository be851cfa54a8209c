import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newHexId, newLegacyToken } from '../../../../src/shared/ids.ts';
import { DAY } from '../../../../src/shared/lifetimes.ts';
import { accountRow } from '../../rehearsed-year/world/rows.ts';
import { chanceOf } from '../../shared/faults/chance.ts';
import type { SoakRun } from '../run.ts';
import { runOnce, runUntilDone } from './operator.ts';

/** An import of some thousand tokens of people who will be told of the end, killed once and run again. */

export interface ImportedPeople {
  /** In lower case. */
  addresses: string[];
  rows: number;
}

const TOKENS_OF_ONE = 8;
const APPS = 12;

/** Where it is day and stays day until the soak has ended: mails wait for nine in the morning and leave on that day. */
function zoneOfDay(now: Date): string {
  const ahead = 13 - now.getUTCHours();
  // the signs of these names are those of POSIX
  return ahead === 0 ? 'Etc/GMT' : `Etc/GMT${ahead > 0 ? '-' : '+'}${Math.abs(ahead)}`;
}

async function knowPeople({ ground }: SoakRun, count: number): Promise<string[]> {
  const zone = zoneOfDay(new Date());
  const people = Array.from({ length: count }, (_, n) => ({
    id: `person-${n}`,
    accountId: `person-${n}`,
    email: `person-${n}@people.example`,
    zone,
  }));
  const now = ground.context.clock.now();
  const rows = people.map((person) => accountRow(person, now));
  await ground.context.store.durable.insertInto('accounts').values(rows).execute();
  return people.map(({ email }) => email);
}

function linesOf(rows: number, people: number, tokens: string[]): object[] {
  const apps = Array.from({ length: APPS }, (_, n) => ({
    type: 'app',
    client_id: newHexId(),
    name: `Imported App ${n}`,
    client_secret: newLegacyToken().slice(2),
    owner_account_id: `person-${n % people}`,
    callback_urls: ['https://imported.example/callback'],
  }));
  const lastUsed = new Date(Date.now() - 2 * DAY).toISOString();
  const held = Array.from({ length: rows }, (_, n) => {
    const token = newLegacyToken();
    tokens.push(token);
    return {
      type: 'token',
      access_token: token,
      client_id: apps[n % APPS]?.client_id,
      account_id: `person-${n % people}`,
      last_used_at: lastUsed,
    };
  });
  return [...apps, ...held];
}

/** Longer than the start of a command, shorter than the whole. */
const KILL_WITHIN = [500, 1500] as const;

/** Imports; what is interrupted is run again. */
export async function importTokens(run: SoakRun): Promise<ImportedPeople> {
  const { rows, seed } = run.options;
  const people = Math.ceil(rows / TOKENS_OF_ONE);
  const addresses = await knowPeople(run, people);
  const file = join(run.ground.folder, 'import.ndjson');
  const tokens: string[] = [];
  const lines = linesOf(rows, people, tokens).map((row) => JSON.stringify(row));
  writeFileSync(file, `${lines.join('\n')}\n`, { mode: 0o600 });
  const command = { settings: run.ground.machines[0]?.settings ?? {}, args: ['tokens', 'import', file] };
  const killAfter = chanceOf(seed, 7).between(...KILL_WITHIN);
  const { code } = await runOnce(run, { ...command, killAfter });
  if (code === null) run.ledger.count('commands killed');
  await runUntilDone(run, command);
  run.fleet.imported.push(...tokens);
  for (const token of tokens) run.ground.recorder.secrets.add(token);
  run.say(`${rows} tokens are imported`);
  return { addresses, rows };
}
