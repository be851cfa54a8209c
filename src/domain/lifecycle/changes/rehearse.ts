import { newHexId } from '../../../shared/ids.ts';
import { DAY, MINUTE, USAGE_KEPT } from '../../../shared/lifetimes.ts';
import { momentText } from '../../../shared/moments.ts';
import { claimRehearsal, endBrownout, lastRehearsals } from '../../../store/lifecycle/brownouts.ts';
import type { BrownoutRow } from '../../../store/lifecycle/lifecycle.ts';
import type { Database } from '../../../store/driver/store.ts';
import { callsWholeAfter } from '../../../store/usage/known-calls.ts';
import type { Origin } from '../../origin.ts';
import type { LifecycleDeps } from '../deps.ts';
import { dateFor, type Milestone, rehearsalId } from '../lifecycle.ts';
import { readLifecycle } from '../read-lifecycle.ts';
import { recordEvent } from '../../history/record-event.ts';
import { type Usage, usageOf } from '../../usage/usage.ts';
import { ChangeRefused, changeLifecycle, requireApp, STARTS_AHEAD } from './change-rules.ts';

/**
 * The rehearsal of an owner: a brownout for the owner's app alone. The end is stored before the rehearsal begins, so
 * the rehearsal ends even if the process dies that began it.
 */

/** Short enough for a person to watch. */
const REHEARSAL_LASTS = 5 * MINUTE;

/** The explanation that the calls of the app get during the rehearsal. */
const TEXT = 'The owner of this app rehearses its end. This ends by itself within five minutes.';

const PAST_SHOWN = 5;

/** Failed calls are counted by day and kept as long as all usage. */
const DAYS_KEPT = USAGE_KEPT / DAY;

/** A rehearsal of one app; times in Unix milliseconds. */
export interface Rehearsal {
  id: string;
  rehearses: Milestone;
  startsAt: number;
  /** The end of the rehearsal, ahead or past. */
  endsAt: number;
  /** The calls that failed because of the rehearsal; undefined where no such call is known. */
  failed: Usage | undefined;
  /** Whether the counts of this time may have been lost. */
  isPartial: boolean;
}

interface RehearsalRequest extends Origin {
  clientId: string;
}

/**
 * The milestone that has come for the app already: the rehearsed milestone, or the sunset, which ends every service.
 */
async function findCome(
  tx: Database,
  { clientId, rehearses }: { clientId: string; rehearses: Milestone },
  now: number,
): Promise<Milestone | undefined> {
  const lifecycle = await readLifecycle(tx, now);
  return ([rehearses, 'sunset'] as const).find(
    (name) => (dateFor(lifecycle, name, clientId) ?? Infinity) <= now,
  );
}

/**
 * Begins a rehearsal, two seconds from now.
 * @throws {ChangeRefused} a rehearsal of this app runs, or the date or the sunset has come
 */
export async function startRehearsal(
  context: LifecycleDeps,
  { clientId, rehearses, actor, requestId }: RehearsalRequest & { rehearses: Milestone },
): Promise<Rehearsal> {
  const id = newHexId();
  return changeLifecycle(context, async (tx, now) => {
    await requireApp(tx, clientId);
    const come = await findCome(tx, { clientId, rehearses }, now);
    if (come) throw new ChangeRefused(`The ${come} has come: there is nothing left to rehearse.`);
    const [startsAt, endsAt] = [now + STARTS_AHEAD, now + STARTS_AHEAD + REHEARSAL_LASTS];
    const planned = { text: TEXT, planned_by: actor, planned_at: now };
    const row = { id, client_id: clientId, rehearses, starts_at: startsAt, ends_at: endsAt, ...planned };
    if (!(await claimRehearsal(tx, row)))
      throw new ChangeRefused('A rehearsal of this app runs already. Wait until it ends, or end it.');
    const words = `the ${rehearses}, until ${momentText(endsAt)}`;
    const change = { at: now, actor, action: 'rehearsal_started', reason: words, clientId, requestId };
    await recordEvent(context, tx, change);
    return { id, rehearses, startsAt, endsAt, failed: undefined, isPartial: false };
  });
}

/** Ends the rehearsal of an app early. Answers whether a rehearsal ran. */
export async function stopRehearsal(
  context: LifecycleDeps,
  { clientId, actor, requestId }: RehearsalRequest,
): Promise<boolean> {
  return changeLifecycle(context, async (tx, now) => {
    const [last] = await lastRehearsals(tx, clientId, 1);
    if (!last || !(await endBrownout(tx, last.id, now))) return false;
    const words = `the ${last.rehearses}, which would have gone on until ${momentText(last.ends_at)}`;
    const change = { at: now, actor, action: 'rehearsal_stopped', reason: words, clientId, requestId };
    await recordEvent(context, tx, change);
    return true;
  });
}

interface KnownUsage {
  usage: ReadonlyMap<string, Usage>;
  wholeAfter: number;
}

function rehearsalOf(row: BrownoutRow, { usage, wholeAfter }: KnownUsage): Rehearsal {
  return {
    id: row.id,
    rehearses: row.rehearses,
    startsAt: row.starts_at,
    endsAt: Math.max(row.starts_at, row.removed_at ?? row.ends_at),
    failed: usage.get(rehearsalId(row.id)),
    isPartial: row.starts_at <= wholeAfter,
  };
}

/**
 * The running rehearsal of an app, or the rehearsal that begins within two seconds, and the last five past rehearsals,
 * the newest first.
 */
export async function rehearsalsOf(
  context: LifecycleDeps,
  clientId: string,
): Promise<{ running: Rehearsal | undefined; past: Rehearsal[] }> {
  const last = await lastRehearsals(context.store.durable, clientId, PAST_SHOWN + 1);
  // A rehearsal older than the kept usage is left out: its failed calls are not known any more.
  const rows = last.filter(({ starts_at: startsAt }) => startsAt > context.clock.now() - (USAGE_KEPT - DAY));
  // Writes the counts of this process to the tables. Other processes write every ten seconds.
  await context.usage.flush();
  const usage = await usageOf(
    context,
    rows.map(({ id }) => rehearsalId(id)),
    { days: DAYS_KEPT },
  );
  const { tokens: wholeAfter } = await callsWholeAfter(context.store);
  const known = { usage, wholeAfter };
  const now = context.clock.now();
  const running = rows.find(({ removed_at, ends_at }) => removed_at === null && ends_at > now);
  const past = rows.filter((row) => row !== running).slice(0, PAST_SHOWN);
  return {
    running: running && rehearsalOf(running, known),
    past: past.map((row) => rehearsalOf(row, known)),
  };
}
