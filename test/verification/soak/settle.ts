import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { nextTurn } from '../../../src/domain/grants/refresh/stop/breaker-rules.ts';
import { readBreaker } from '../../../src/store/grants/refresh-breaker.ts';
import { calm, type CalmCallers } from '../shared/calm.ts';
import { digestOf } from '../shared/checker/history.ts';
import { grantIdOf } from '../shared/database.ts';
import { chanceOf } from '../shared/faults/chance.ts';
import { isAnswered, readCached } from './callers/reads.ts';
import { type Recording, readNotes } from './record.ts';
import type { SoakRun } from './run.ts';

/** The end of a soak: nothing is wrong any more, and everything comes to rest. */

const LOOK_EVERY_MS = 250;

function spilledIn({ ground }: SoakRun): number {
  const folders = ground.machines.map(({ settings }) => join(settings['VAR_DIR'] ?? '', 'spill'));
  const names = folders.flatMap((folder) => (existsSync(folder) ? readdirSync(folder) : []));
  return names.filter((name) => name.endsWith('.pair')).length;
}

async function openGrants({ ground }: SoakRun): Promise<string[]> {
  const rows = await ground.context.store.durable
    .selectFrom('grants')
    .select('id')
    .where('state', 'in', ['presenting', 'in_doubt'])
    .execute();
  return rows.map(({ id }) => id);
}

/** After lost answers the fleet makes one presentation now and then, until one is answered. */
async function isStopped({ ground }: SoakRun): Promise<boolean> {
  const { store, clock } = ground.context;
  const now = clock.now();
  const { kind } = nextTurn(await readBreaker(store.durable, now), now);
  return kind === 'stopped' || kind === 'probe';
}

/**
 * Calls go on, as those of old integrations would, until no grant is in doubt, no pair lies in a spill, and nothing
 * keeps the fleet from refreshing.
 */
export async function settleAll(run: SoakRun, { unsettled }: Recording): Promise<void> {
  const chance = chanceOf(run.options.seed, 8);
  const until = Date.now() + run.options.pace.settle;
  for (;;) {
    const [open, spilled] = [await openGrants(run), spilledIn(run)];
    const stopped = await isStopped(run);
    if (open.length === 0 && spilled === 0 && !stopped) return;
    if (Date.now() > until) {
      unsettled.push(
        `${open.length} grants are open, ${spilled} pairs are spilled${stopped ? ', refreshing is stopped' : ''}: ${open.slice(0, 5).join(' ')}`,
      );
      return;
    }
    await readCached(run, chance);
    await delay(LOOK_EVERY_MS);
  }
}

/** Every token that somebody holds is served or refused. */
export async function callRoll(run: SoakRun, { unsettled }: Recording): Promise<void> {
  const chance = chanceOf(run.options.seed, 11);
  const tokens = [...run.fleet.apps.flatMap(({ live }) => live), ...run.fleet.ended];
  for (const token of tokens)
    if (!(await isAnswered(run, chance, token)))
      unsettled.push(`token ${digestOf(token)} is answered 503 at rest`);
}

const LOOKED_AT = 3;

/** Of some grants: one end of an access token is one token request, and every caller is served. */
export async function calmAll(run: SoakRun, recording: Recording): Promise<void> {
  const { ground, fleet, ledger, options } = run;
  const { context, presentations } = ground;
  const callers: CalmCallers = {
    context,
    presentations,
    urls: ground.machines.map(({ url }) => url),
    first: 0,
    spread: 30,
    chance: chanceOf(options.seed, 9),
    calls: ledger.calls,
    expiries: recording.expiries,
    unsettled: recording.unsettled,
    calm: recording.calm,
    freshFor: options.pace.freshSeconds * 1000 + LOOK_EVERY_MS,
    isOwn(grantId, token) {
      readNotes(run, recording);
      return recording.notes.some(
        (note) => note.what === 'received' && note.grantId === grantId && note.token === token,
      );
    },
  };
  const served = fleet.apps.filter(({ live, isRefused }) => live.length > 0 && !isRefused);
  for (const { live } of served.slice(0, LOOKED_AT)) {
    const token = live.at(-1) ?? '';
    const id = await grantIdOf(context, token);
    if (id !== undefined) await calm(callers, { id, token });
  }
  if (recording.calm.length === 0) recording.unsettled.push('no grant was left to be looked at in the end');
}
