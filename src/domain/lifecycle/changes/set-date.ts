import { momentText } from '../../../shared/moments.ts';
import { countAfter } from '../../../store/lifecycle/brownouts.ts';
import { setDate } from '../../../store/lifecycle/lifecycle-dates.ts';
import type { Database } from '../../../store/driver/store.ts';
import type { LifecycleDeps } from '../deps.ts';
import type { DateName, Lifecycle } from '../lifecycle.ts';
import { readLifecycle } from '../read-lifecycle.ts';
import { recordEvent } from '../../history/record-event.ts';
import { checkedReason } from '../../history/reason.ts';
import { type ChangeOrigin, ChangeRefused, changeLifecycle, requireAhead } from './change-rules.ts';
import { sunsetBeforeRetirement } from './sunset-first.ts';

interface NewDate extends ChangeOrigin {
  name: DateName;
  /** Undefined unsets the date. */
  at: number | undefined;
  reason: string;
  /** Whether a retirement or sunset may be set that is past or less than two seconds ahead. */
  isForced?: boolean;
}

/** The outcome of a change, and the extensions and brownouts that the date affects. */
export interface SetDateResult {
  isChanged: boolean;
  before: number | undefined;
  /** How many apps have an extension beyond this date; 0 for a deprecation. */
  extensions: number;
  /** How many brownouts of this milestone end after the date, or rehearse a milestone without a date. */
  idleBrownouts: number;
  /**
   * Where the retirement comes later than the sunset, which ends everything first: for all apps, and for how many
   * extended apps.
   */
  sunsetFirst: { isCommon: boolean; apps: number };
}

function checkOrder({ deprecation, sunset }: Lifecycle['dates']): void {
  if (deprecation !== undefined && sunset !== undefined && sunset < deprecation)
    throw new ChangeRefused(
      `The sunset (${momentText(sunset)}) must not be before the deprecation (${momentText(deprecation)}).`,
    );
}

const wordFor = (at: number | undefined) => (at === undefined ? 'not set' : momentText(at));

/** A deprecation ends nothing. */
function checkAhead({ name, at, isForced }: NewDate, now: number): void {
  if (!isForced && at !== undefined && name !== 'deprecation') requireAhead({ name, at }, now);
}

async function whatStands(
  tx: Database,
  { name, at, lifecycle }: NewDate & { lifecycle: Lifecycle },
  now: number,
) {
  const clientIds = [...lifecycle.extensions.keys()];
  const isEndedFirst = (clientId?: string) => sunsetBeforeRetirement(lifecycle, clientId) !== undefined;
  const sunsetFirst = {
    isCommon: isEndedFirst(),
    apps: clientIds.filter((clientId) => isEndedFirst(clientId)).length,
  };
  if (name === 'deprecation') return { extensions: 0, idleBrownouts: 0, sunsetFirst };
  const later = [...lifecycle.extensions.values()].filter((own) => (own[name] ?? 0) > (at ?? Infinity));
  const idleBrownouts = await countAfter(tx, name, Math.max(at ?? 0, now));
  return { extensions: later.length, idleBrownouts, sunsetFirst };
}

/**
 * Sets or unsets a date of all apps. Setting the same value again changes nothing.
 * @throws {ChangeRefused}
 */
export async function setDateOf(context: LifecycleDeps, date: NewDate): Promise<SetDateResult> {
  const { name, at, actor, requestId = null } = date;
  const reason = checkedReason(date.reason);
  return changeLifecycle(context, async (tx, now) => {
    const known = await readLifecycle(tx, now);
    const before = known.dates[name];
    const dates = { ...known.dates, [name]: at };
    const beside = await whatStands(tx, { ...date, lifecycle: { ...known, dates } }, now);
    if (before === at) return { isChanged: false, before, ...beside };
    checkOrder(dates);
    checkAhead(date, now);
    await setDate(tx, { name, at: at ?? null, changed_at: now, changed_by: actor });
    const words = `${name}: ${wordFor(at)}, was ${wordFor(before)}; ${reason}`;
    await recordEvent(context, tx, { at: now, actor, action: 'date_set', reason: words, requestId });
    return { isChanged: true, before, ...beside };
  });
}
