import {
  type BrownoutRow,
  readBrownouts,
  readDates,
  readExemptions,
  readExtensionEnds,
  readExtensions,
} from '../../store/lifecycle/lifecycle.ts';
import type { Database } from '../../store/driver/store.ts';
import type { Brownout, DateName, Lifecycle, Milestone } from './lifecycle.ts';

/** Reads the rows of dates, extensions, exemptions and brownouts as the domain knows them. */

function brownoutOf({ id, client_id, rehearses, starts_at, ends_at, text }: BrownoutRow): Brownout {
  return { id, clientId: client_id ?? undefined, rehearses, startsAt: starts_at, endsAt: ends_at, text };
}

/** The dates of all apps, without extensions. */
export async function readCommonDates(db: Database): Promise<Lifecycle['dates']> {
  const rows = await readDates(db);
  return Object.fromEntries(rows.flatMap(({ name, at }) => (at === null ? [] : [[name, at]])));
}

/** The whole lifecycle, without the brownouts that are over at `now`. */
export async function readLifecycle(db: Database, now: number): Promise<Lifecycle> {
  // One query after the other: a transaction has one connection.
  const dates = await readCommonDates(db);
  const extended = await readExtensions(db);
  const exempt = await readExemptions(db);
  const brownouts = await readBrownouts(db, now);
  const extensions = new Map<string, Partial<Record<Milestone, number>>>();
  for (const { client_id, name, until } of extended)
    extensions.set(client_id, { ...extensions.get(client_id), [name]: until });
  return {
    dates,
    extensions,
    exemptions: new Map(exempt.map(({ client_id, until }) => [client_id, until])),
    brownouts: brownouts.map(brownoutOf),
  };
}

/** When dates were last set, and extensions last ended. A date may apply only from then on, although it was past before. */
export interface DateChanges {
  ofAll: Readonly<Partial<Record<DateName, number>>>;
  /** By client id. */
  ofApp: ReadonlyMap<string, Readonly<Partial<Record<Milestone, number>>>>;
}

/** The changes since a moment, in Unix milliseconds. Earlier changes of the dates of all may be among them. */
export async function readDateChanges(db: Database, since: number): Promise<DateChanges> {
  const dates = await readDates(db);
  const ofApp = new Map<string, Partial<Record<Milestone, number>>>();
  for (const { client_id, name, ended_at } of await readExtensionEnds(db, since))
    ofApp.set(client_id, { ...ofApp.get(client_id), [name]: ended_at });
  return { ofAll: Object.fromEntries(dates.map(({ name, changed_at }) => [name, changed_at])), ofApp };
}
