import { newHexId } from '../../../shared/ids.ts';
import { DAY } from '../../../shared/lifetimes.ts';
import { momentText } from '../../../shared/moments.ts';
import { endBrownout, findOverlap, findPublic, insertBrownout } from '../../../store/lifecycle/brownouts.ts';
import type { Database } from '../../../store/driver/store.ts';
import type { LifecycleDeps } from '../deps.ts';
import type { Brownout, Milestone } from '../lifecycle.ts';
import { readCommonDates } from '../read-lifecycle.ts';
import { recordEvent } from '../../history/record-event.ts';
import { type ChangeOrigin, ChangeRefused, changeLifecycle, STARTS_AHEAD } from './change-rules.ts';

interface NewBrownout extends ChangeOrigin {
  rehearses: Milestone;
  startsAt: number;
  endsAt: number;
  /** The explanation for callers and readers. */
  text: string;
}

/** The longest brownout. Instead of a longer brownout, move the date. */
const LONGEST = 7 * DAY;

const TEXT_MAX = 300;

/**
 * Control characters, invisible characters, and characters that turn the direction of the text. The text stands on one
 * line of an answer.
 */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/u;

function checkText(given: string): string {
  const text = given.trim();
  if (text === '' || Array.from(text).length > TEXT_MAX || UNPRINTABLE.test(text.replaceAll('\u200D', '')))
    throw new ChangeRefused(`The text has to have 1 to ${TEXT_MAX} printable characters on one line.`);
  return text;
}

function checkWindow({ startsAt, endsAt }: NewBrownout, now: number): void {
  if (startsAt < now + STARTS_AHEAD)
    throw new ChangeRefused(
      `A brownout has to be known to every process before it begins, at least two seconds ahead; ${momentText(startsAt)} is not.`,
    );
  if (endsAt <= startsAt) throw new ChangeRefused('A brownout has to end after it begins.');
  if (endsAt - startsAt > LONGEST) throw new ChangeRefused('A brownout lasts seven days at most.');
}

async function checkPlace(tx: Database, { rehearses, startsAt, endsAt }: NewBrownout): Promise<void> {
  const date = (await readCommonDates(tx))[rehearses];
  if (date === undefined) throw new ChangeRefused(`No ${rehearses} is set, so there is nothing to rehearse.`);
  if (date < endsAt)
    throw new ChangeRefused(
      `The ${rehearses} comes before its end, at ${momentText(date)}: from then on there is nothing to rehearse.`,
    );
  const other = await findOverlap(tx, { rehearses, startsAt, endsAt });
  if (other)
    throw new ChangeRefused(
      `Brownout ${other.id} of the ${rehearses} stands there already, from ${momentText(other.starts_at)} to ${momentText(other.ends_at)}.`,
    );
}

/**
 * Plans a brownout: a window in which every app that is not exempt gets the answers of the time after a date.
 * @throws {ChangeRefused}
 */
export async function planBrownout(context: LifecycleDeps, given: NewBrownout): Promise<Brownout> {
  const { rehearses, startsAt, endsAt, actor, requestId = null } = given;
  const brownout = { id: newHexId(), rehearses, startsAt, endsAt, text: checkText(given.text) };
  return changeLifecycle(context, async (tx, now) => {
    checkWindow(given, now);
    await checkPlace(tx, given);
    await insertBrownout(tx, {
      id: brownout.id,
      client_id: null,
      rehearses,
      starts_at: startsAt,
      ends_at: endsAt,
      text: brownout.text,
      planned_by: actor,
      planned_at: now,
    });
    const words = `brownout ${brownout.id} of the ${rehearses}, from ${momentText(startsAt)} to ${momentText(endsAt)}; ${brownout.text}`;
    await recordEvent(context, tx, { at: now, actor, action: 'brownout_planned', reason: words, requestId });
    return { ...brownout, clientId: undefined };
  });
}

/**
 * Removes a planned brownout, or ends a running brownout. Answers whether the brownout had begun.
 * @throws {ChangeRefused}
 */
export async function removeBrownout(
  context: LifecycleDeps,
  { id, actor, requestId = null }: ChangeOrigin & { id: string },
): Promise<{ hadBegun: boolean }> {
  return changeLifecycle(context, async (tx, now) => {
    const row = await findPublic(tx, id);
    if (!row) throw new ChangeRefused('No brownout has this id.');
    if (!(await endBrownout(tx, id, now))) throw new ChangeRefused('This brownout is over already.');
    const hadBegun = row.starts_at <= now;
    const words = `brownout ${id} of the ${row.rehearses}, from ${momentText(row.starts_at)} to ${momentText(row.ends_at)}: ${hadBegun ? 'ended while it ran' : 'taken back before it began'}`;
    await recordEvent(context, tx, { at: now, actor, action: 'brownout_removed', reason: words, requestId });
    return { hadBegun };
  });
}
