import { copyFileSync, renameSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { chanceOf } from '../../shared/faults/chance.ts';
import { exchangeUnknown } from '../callers/consents.ts';
import { showToken } from '../callers/reads.ts';
import { knownTokens } from '../fleet.ts';
import type { SoakRun } from '../run.ts';
import { type Ended, runOnce, runUntilDone } from './operator.ts';

/** A rotation of all keys: add, copy, activate, reseal, drop. */

export interface Rotation {
  id: string;
  /** Resolves when new values are made with the new key. */
  activated: Promise<void>;
  /** What keeps the old key of a purpose, until nothing does. */
  kept: Map<string, string>;
  isDropped: boolean;
}

const OLD = 'k1';

function settingsOf({ ground }: SoakRun, machine = 0) {
  const settings = ground.machines[machine]?.settings;
  if (!settings) throw new Error('there is no such machine');
  return settings;
}

/** Another machine reads a whole file, the one before or the new one. */
function copyKeys(run: SoakRun): void {
  const from = settingsOf(run)['KEYS_FILE'] ?? '';
  for (const { settings } of run.ground.machines.slice(1)) {
    const to = settings['KEYS_FILE'] ?? '';
    copyFileSync(from, `${to}.new`);
    renameSync(`${to}.new`, to);
  }
}

async function activate(run: SoakRun): Promise<string> {
  const settings = settingsOf(run);
  const { json } = await runUntilDone(run, { settings, args: ['keys', 'add'] });
  const id = String(json?.['id']);
  copyKeys(run);
  await runUntilDone(run, { settings, args: ['keys', 'activate', id] });
  return id;
}

/** Longer than the start of a command, shorter than the whole. */
const KILL_WITHIN = [400, 1500] as const;

async function reseal(run: SoakRun): Promise<void> {
  const [settings, args] = [settingsOf(run), ['keys', 'reseal']];
  const killAfter = chanceOf(run.options.seed, 5).between(...KILL_WITHIN);
  const { code } = await runOnce(run, { settings, args, killAfter });
  if (code === null) run.ledger.count('commands killed');
  await runUntilDone(run, { settings, args });
}

/** A digest is made anew when its value is next seen: every token and every secret is, also those that have ended. */
async function showAll(run: SoakRun): Promise<void> {
  const { fleet } = run;
  const chance = chanceOf(run.options.seed, 6);
  for (const app of [...fleet.apps, fleet.hostile]) await exchangeUnknown(run, chance, app);
  for (const token of knownTokens(fleet)) await showToken(run, chance, token);
}

interface DropOutcome {
  purpose: string;
  kept?: string;
}

function noteKept(rotation: Rotation, { json }: Ended): void {
  const outcomes = (json?.['outcomes'] ?? []) as DropOutcome[];
  for (const { purpose, kept } of outcomes) {
    if (kept === undefined) rotation.kept.delete(purpose);
    else rotation.kept.set(purpose, kept);
  }
}

/** Drops the old key where nothing needs it any more; answers whether that is so for every purpose on every machine. */
async function dropOld(run: SoakRun, rotation: Rotation): Promise<boolean> {
  const endings: Ended[] = [];
  for (const { settings } of run.ground.machines) {
    const ended = await runOnce(run, { settings, args: ['keys', 'drop', OLD] });
    noteKept(rotation, ended);
    endings.push(ended);
  }
  return endings.every(({ code }) => code === 0);
}

/** In looks at the machines. */
const DROPS_EVERY = 4;

/** One more attempt when everything is at rest. */
export async function endRotation(run: SoakRun, rotation: Rotation): Promise<void> {
  if (rotation.isDropped) return;
  await showAll(run);
  rotation.isDropped = await dropOld(run, rotation);
}

/** Begins a rotation; `stopped` ends its attempts to drop the old key, which the end of the soak takes up again. */
export function startRotation(
  run: SoakRun,
  stopped: AbortSignal,
): { rotation: Rotation; done: Promise<void> } {
  const activated = activate(run);
  const rotation: Rotation = {
    id: '',
    activated: activated.then((id) => void (rotation.id = id)),
    kept: new Map(),
    isDropped: false,
  };
  const rest = async () => {
    await rotation.activated;
    run.say(`key ${rotation.id} is active`);
    await reseal(run);
    while (!rotation.isDropped && !stopped.aborted) {
      await showAll(run);
      rotation.isDropped = await dropOld(run, rotation);
      await delay(DROPS_EVERY * run.options.pace.every.sample, undefined, { signal: stopped }).catch(
        () => undefined,
      );
    }
  };
  return { rotation, done: rest() };
}
