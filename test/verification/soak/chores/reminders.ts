import { setTimeout as delay } from 'node:timers/promises';
import { DAY } from '../../../../src/shared/lifetimes.ts';
import type { Arrival } from '../../shared/mail-server.ts';
import type { SoakRun } from '../run.ts';
import type { ImportedPeople } from './import.ts';
import { runUntilDone } from './operator.ts';

/** The sunset comes near, and everybody of the import is told by mail: by a command and by the machines, whoever is first. */

export interface Mails {
  arrivals: Array<Omit<Arrival, 'raw'>>;
  /** Mails that came again under a Message-ID that was taken. */
  repeats: Array<Omit<Arrival, 'raw'>>;
}

/** Keeps who was written to. */
export function keepMails({ ground: { mail } }: Pick<SoakRun, 'ground'>): Mails {
  const mails: Mails = { arrivals: [], repeats: [] };
  mail.onArrival = ({ raw: _raw, ...arrival }) => void mails.arrivals.push(arrival);
  mail.onRepeat = (repeat) => void mails.repeats.push(repeat);
  return mails;
}

const DAYS_AHEAD = 7;

/** Sets the sunset, plans and sends. */
export async function remindAll(run: SoakRun): Promise<void> {
  const settings = run.ground.machines[0]?.settings ?? {};
  const at = new Date(Date.now() + DAYS_AHEAD * DAY).toISOString();
  await runUntilDone(run, { settings, args: ['dates', 'set', 'sunset', at, '--reason', 'a soak', '--yes'] });
  const { json } = await runUntilDone(run, { settings, args: ['reminders', 'plan'] });
  run.say(`the sunset is set, ${String(json?.['mails'])} mails are due`);
  await runUntilDone(run, { settings, args: ['reminders', 'run'] });
}

const LOOK_EVERY_MS = 500;

/** Waits until everybody was written to, for a while. */
async function untilTold(mails: Mails, { addresses }: ImportedPeople, patience: number): Promise<void> {
  const until = Date.now() + patience;
  const left = () => {
    const told = new Set(mails.arrivals.map(({ to }) => to));
    return addresses.filter((address) => !told.has(address)).length;
  };
  while (left() > 0 && Date.now() < until) await delay(LOOK_EVERY_MS);
}

/**
 * At rest: a process that was killed, or whose database was away, may hold mails for a quarter of an hour
 * (docs/decisions/0023). As if that time were over.
 */
export async function tellTheRest(run: SoakRun, mails: Mails, people: ImportedPeople): Promise<void> {
  const { ground, options } = run;
  await untilTold(mails, people, options.pace.told);
  await ground.context.store.durable
    .updateTable('mails')
    .set({ next_at: 0 })
    .where('state', 'in', ['due', 'sending'])
    .execute();
  const settings = ground.machines[0]?.settings ?? {};
  await runUntilDone(run, { settings, args: ['reminders', 'run'] });
  await untilTold(mails, people, options.pace.told);
}
