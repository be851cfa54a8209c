import { setTimeout as delay } from 'node:timers/promises';
import type { Chore } from '../plan/plan.ts';
import type { SoakRun } from '../run.ts';
import { backUp } from './backup.ts';
import { type ImportedPeople, importTokens } from './import.ts';
import { keepMails, type Mails, remindAll } from './reminders.ts';
import { type Rotation, startRotation } from './rotation.ts';

/** The work beside the load. */
export interface Chores {
  mails: Mails;
  rotation: Rotation | undefined;
  people: ImportedPeople | undefined;
  isBackedUp: boolean;
  /** Resolves when all of it is done; what failed was complained of. */
  done: Promise<void>;
}

/** Begins each part at its time; `signal` keeps what has not begun from beginning. */
export function startChores(run: SoakRun, signal: AbortSignal): Chores {
  const { plan, ledger, beganAt } = run;
  const due = async (chore: Chore) => {
    const wait = Math.max(0, beganAt + plan.chores[chore] - Date.now());
    await delay(wait, undefined, { signal }).catch(() => undefined);
    return !signal.aborted;
  };
  const guarded = async (chore: Chore, work: () => Promise<void>) => {
    try {
      if (await due(chore)) await work();
    } catch (error) {
      ledger.complain(chore, (error as Error).message);
    }
  };
  const rotate = guarded('rotation', async () => {
    const { rotation, done } = startRotation(run, signal);
    chores.rotation = rotation;
    rotating = done;
    await rotation.activated;
  });
  let rotating: Promise<void> | undefined;
  const take = guarded('import', async () => {
    // a digest of the old key would keep that key for as long as nobody calls with the token
    await rotate;
    chores.people = await importTokens(run);
  });
  const parts = [
    rotate.then(() => rotating).catch((error: Error) => ledger.complain('rotation', error.message)),
    take,
    guarded('backup', async () => {
      await backUp(run);
      chores.isBackedUp = true;
    }),
    guarded('reminders', async () => {
      await take;
      await remindAll(run);
    }),
  ];
  const chores: Chores = {
    mails: keepMails(run),
    rotation: undefined,
    people: undefined,
    isBackedUp: false,
    done: Promise.all(parts).then(() => undefined),
  };
  return chores;
}
