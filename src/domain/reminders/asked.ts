import { datesOf } from '../lifecycle/lifecycle.ts';
import type { DueStage, AppPart, ReminderPerson, Stage } from './people.ts';
import { type PlanInput, stagesDue } from './plan-stages.ts';

/**
 * A reminder that support sends once more. In the ledger, the reminder is a stage of its own at the moment of asking,
 * in a mail of its own. The mail tells the state at the time of sending, whatever the person was told before.
 */

/** The stage of a requested reminder in the ledger. */
export const AGAIN = 'again';

const PREFIX = `${AGAIN}/`;

/** The value of `replaces` for a mail that neither waits for the mail of the day nor takes its place. */
export const besideMailOfDay = (mailId: string): string => `${PREFIX}${mailId}`;

/** Of a mail in the place of a refused mail that went beside the mail of the day. */
const INSTEAD = 'beside/';

/** The value of `replaces` for a mail in the place of a refused mail; it is beside the mail of the day where that was. */
export function inPlaceOf({ id, replaces }: { id: string; replaces: string }): string {
  const isBeside = [PREFIX, INSTEAD].some((prefix) => replaces.startsWith(prefix));
  return isBeside ? `${INSTEAD}${id}` : id;
}

/** Whether a mail goes to a contact of an app in the place of a refused mail. */
export function isForContact({ replaces }: { replaces: string }): boolean {
  return replaces !== '' && !replaces.startsWith(PREFIX);
}

/** Requested mails are sent at once, not at nine in the morning. */
const IS_ASKED = { isUrgent: true, isAsked: true } as const;

const waitingOf = (part: AppPart) => (part.role === 'holder' ? part.waiting : part.tokens.waiting);

/**
 * The reminder when no stage has come. It names the next date, or the last date when all are past, or no date when none
 * is set.
 */
function nextOf(part: AppPart, { lifecycle, now }: PlanInput): DueStage {
  const { clientId, role } = part;
  const dates = datesOf(lifecycle, { clientId, now });
  const date = dates.find(({ at }) => at > now) ?? dates.at(-1);
  const about = { part, milestone: date?.milestone, at: date?.at, because: 'support has it sent' };
  return { clientId, role, stage: AGAIN, plannedFor: '', ...about, ...IS_ASKED };
}

/** What a person has to be told of one app at this moment; empty when no token waits. */
export function askedStages(
  person: ReminderPerson,
  { clientId, role }: Pick<Stage, 'clientId' | 'role'>,
  planning: PlanInput,
): DueStage[] {
  const part = person.parts.find((one) => one.clientId === clientId && one.role === role);
  if (!part || waitingOf(part) === 0) return [];
  const come = stagesDue({ ...person, parts: [part] }, new Set(), planning);
  const told = come.filter(({ stage }) => stage !== 'unused').map((due) => ({ ...due, ...IS_ASKED }));
  return told.length > 0 ? told : [nextOf(part, planning)];
}
