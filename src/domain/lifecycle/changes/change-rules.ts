import { SECOND } from '../../../shared/lifetimes.ts';
import { momentText } from '../../../shared/moments.ts';
import { Refusal } from '../../../shared/refusals/refusal.ts';
import { findApp } from '../../../store/apps/apps.ts';
import { isIdentifiedApp } from '../../../store/tokens/observed.ts';
import type { Database } from '../../../store/driver/store.ts';
import type { Origin } from '../../origin.ts';
import type { LifecycleDeps } from '../deps.ts';
import type { Milestone } from '../lifecycle.ts';

/** The common rules for changes of dates, extensions, exemptions and brownouts. */

/** The person who asks for the change, for the history. */
export type ChangeOrigin = Pick<Origin, 'actor'> & Partial<Origin>;

/** The change was refused and nothing was stored. The message gives the reason to a person in one sentence. */
export class ChangeRefused extends Refusal {}

/**
 * The least time between a change and its effect. Every process reads the tables once a second, so a change that starts
 * this far ahead starts everywhere in the same millisecond.
 */
export const STARTS_AHEAD = 2 * SECOND;

/** @throws {ChangeRefused} no app has this client id, or the app is retired */
export async function requireApp(tx: Database, clientId: string): Promise<void> {
  if (!(await findApp(tx, clientId)))
    throw new ChangeRefused('No app that was registered or imported has this client id.');
}

/**
 * An unidentified program is any caller that sends its user agent, so everybody could take what such a program is
 * given.
 * @throws {ChangeRefused} nobody registered or imported an app with this client id, or the app is retired
 */
export async function requireIdentifiedApp(tx: Database, clientId: string): Promise<void> {
  if (!(await isIdentifiedApp(tx, clientId)))
    throw new ChangeRefused('No app that was registered or imported has this client id.');
}

/** @throws {ChangeRefused} the time is past */
export function requireFuture(until: number, now: number): void {
  if (until <= now) throw new ChangeRefused(`${momentText(until)} is past.`);
}

/** What a date ends, of all apps or `of this app`. */
const ENDS: Record<Milestone, (whose: string) => string> = {
  retirement: (whose) => `all tokens${whose} that are not connected`,
  sunset: (whose) => `every old address${whose}`,
};

/**
 * A slip must not end anything at once.
 * @throws {ChangeRefused} the date is past or less than two seconds ahead
 */
export function requireAhead(
  { name, at, whose = '' }: { name: Milestone; at: number; whose?: string },
  now: number,
): void {
  if (at >= now + STARTS_AHEAD) return;
  throw new ChangeRefused(
    `${momentText(at)} is past, or not two seconds ahead: it would end ${ENDS[name](whose)} at once. If that is meant, it has to be forced (--force; in the staff API is_forced).`,
  );
}

/** Makes a change in one transaction. This process follows the change as soon as the promise resolves. */
export async function changeLifecycle<T>(
  context: LifecycleDeps,
  work: (tx: Database, now: number) => Promise<T>,
): Promise<T> {
  const answer = await context.store.transaction((tx) => work(tx, context.clock.now()));
  // The change is stored even when this reading fails. The regular reading follows within a second.
  await context.lifecycle.refresh().catch(() => undefined);
  return answer;
}
