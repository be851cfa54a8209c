import { listExemptions } from '../../../store/lifecycle/brownout-exemptions.ts';
import { listExtensions } from '../../../store/lifecycle/extensions.ts';
import { readDates } from '../../../store/lifecycle/lifecycle.ts';
import type { LifecycleDeps } from '../deps.ts';
import { DATE_NAMES, type DateName, type Milestone } from '../lifecycle.ts';

/** The dates with who set them, and the times that single apps were given. */

interface SetDateFacts {
  name: DateName;
  at: number | undefined;
  changedAt: number | undefined;
  changedBy: string | undefined;
}

/** A later date of one app, or the time until which brownouts leave it out (`name` undefined). */
interface GrantedTime {
  clientId: string;
  appName: string;
  name: Milestone | undefined;
  until: number;
  isOver: boolean;
  reason: string;
  grantedBy: string;
}

type TimesDeps = Pick<LifecycleDeps, 'store' | 'clock'>;

/** Every date, in the order of their names. The fields of a date that nobody ever set are undefined. */
export async function datesWithSetters({ store }: TimesDeps): Promise<SetDateFacts[]> {
  const rows = await readDates(store.durable);
  return DATE_NAMES.map((name) => {
    const row = rows.find((one) => one.name === name);
    return { name, at: row?.at ?? undefined, changedAt: row?.changed_at, changedBy: row?.changed_by };
  });
}

interface TimeRow {
  client_id: string;
  app_name: string;
  until: number;
  reason: string;
  granted_by: string;
}

const timeIn = (row: TimeRow, now: number) => ({
  clientId: row.client_id,
  appName: row.app_name,
  until: row.until,
  isOver: row.until <= now,
  reason: row.reason,
  grantedBy: row.granted_by,
});

/** The extensions that nobody has ended. */
export async function extensionsInForce({ store, clock }: TimesDeps): Promise<GrantedTime[]> {
  const rows = await listExtensions(store.durable);
  return rows.map((row) => ({ ...timeIn(row, clock.now()), name: row.name }));
}

/** The exemptions that nobody has ended. */
export async function exemptionsInForce({ store, clock }: TimesDeps): Promise<GrantedTime[]> {
  const rows = await listExemptions(store.durable);
  return rows.map((row) => ({ ...timeIn(row, clock.now()), name: undefined }));
}
