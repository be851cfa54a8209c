import { SECOND } from '../../../shared/lifetimes.ts';
import { momentText } from '../../../shared/moments.ts';
import { findApp } from '../../../store/apps/apps.ts';
import { isIdentifiedApp } from '../../../store/tokens/observed.ts';
import type { Database } from '../../../store/driver/store.ts';
import type { Context, Origin } from '../../context.ts';

/** What every change of dates, extensions, exemptions and brownouts keeps to. */

/** Who asks, for the history. */
export type By = Pick<Origin, 'actor'> & Partial<Origin>;

/** A change that was not made, and why, in one sentence for a person. */
export class ChangeRefused extends Error {
  override readonly name = 'ChangeRefused';
}

/** Every process reads the tables once a second; what begins no sooner begins everywhere in the same millisecond. */
export const STARTS_AHEAD = 2 * SECOND;

/** @throws {ChangeRefused} where no app has this client id, or it is retired */
export async function requireApp(tx: Database, clientId: string): Promise<void> {
  if (!(await findApp(tx, clientId)))
    throw new ChangeRefused('No app that was registered or imported has this client id.');
}

/**
 * An unidentified program is whoever sends its user agent: what it is given, everybody could take.
 * @throws {ChangeRefused} where no app that somebody registered or imported has this client id, or it is retired
 */
export async function requireIdentifiedApp(tx: Database, clientId: string): Promise<void> {
  if (!(await isIdentifiedApp(tx, clientId)))
    throw new ChangeRefused('No app that was registered or imported has this client id.');
}

/** @throws {ChangeRefused} where a time that has to come is past */
export function requireFuture(until: number, now: number): void {
  if (until <= now) throw new ChangeRefused(`${momentText(until)} is past.`);
}

/** Makes a change in one transaction; this process knows it when it is answered. */
export async function changeLifecycle<T>(
  context: Context,
  work: (tx: Database, now: number) => Promise<T>,
): Promise<T> {
  const answer = await context.store.transaction((tx) => work(tx, context.clock.now()));
  // What this fails to read is read within a second; the change stands.
  await context.lifecycle.refresh().catch(() => undefined);
  return answer;
}
