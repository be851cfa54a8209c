import { chunksOf } from '../../shared/chunks-of.ts';
import { DAY } from '../../shared/lifetimes.ts';
import { newHexId } from '../../shared/ids.ts';
import {
  insertPlanned,
  type NewMail,
  type NewReminder,
  readRemindersOf,
  type ReminderRow,
} from '../../store/reminders/reminders.ts';
import type { MailRow } from '../../store/reminders/mails.ts';
import { readDateChanges } from '../lifecycle/read-lifecycle.ts';
import { GIVE_UP_AFTER } from './deliver-put-off.ts';
import type { RemindersDeps } from './deps.ts';
import { AGAIN, askedStages, isForContact } from './asked.ts';
import { type Candidate, keyOfRow, loadPerson, peoplePages } from './load-people.ts';
import { noteLastUse } from './note-last-use.ts';
import type { DueStage, ReminderPerson, Stage } from './people.ts';
import { localDay, nextMorning } from './local-days.ts';
import {
  isTimeToMail,
  keyOfDate,
  keyOfStage,
  LATE,
  type PlanInput,
  stagesDue,
  USED_WITHIN,
} from './plan-stages.ts';
import { countedCallDays } from '../usage/callers.ts';
import { unknownDays } from '../usage/counted-days.ts';
import { restForCalls } from '../work/yield-to-event-loop.ts';

/**
 * Makes the mails of the day. Any process may run the planner at any time: the unique keys of the ledger put each
 * reminder into one mail, and allow each person one mail a day.
 */

/** How many people's mails are written in one transaction. */
const PEOPLE_AT_ONCE = 50;

/** Counts that cannot be read prove nothing. `noteLastUse` tells of them. */
async function hasCounted(context: RemindersDeps): Promise<boolean> {
  const within = await countedCallDays(context).catch(() => unknownDays);
  return !within(USED_WITHIN / DAY).isPartial;
}

/** What people are planned by at a moment, as it is known now. */
export async function planningAt(context: RemindersDeps, now: number): Promise<PlanInput> {
  const isCounted = await hasCounted(context);
  const { reminderDays: days, usesKnownUntil } = context.settings;
  // The changes are read after the dates: a date that applies by a change is never known without it.
  const lifecycle = context.lifecycle.current();
  const changes = await readDateChanges(context.store.durable, now - LATE);
  return { lifecycle, changes, days, now, usesKnownUntil, isCounted };
}

interface Plan {
  person: ReminderPerson;
  due: DueStage[];
}

/**
 * A person without a known address gets a mail too: the delivery looks for an address again, and passes on what
 * contacts may be told.
 */
function mailOf({ person: { id, zone, address } }: Plan, now: number): NewMail {
  return {
    id: newHexId(),
    person: id,
    day: localDay(now, zone),
    replaces: '',
    address: address ?? null,
    state: 'due',
    attempts: 0,
    next_at: now,
    failure: null,
    created_at: now,
    ended_at: null,
  };
}

/** The rows of the ledger that put stages into a mail; `now` in Unix milliseconds. */
export function remindersIn(
  mail: Pick<NewMail, 'id' | 'person'>,
  due: readonly Stage[],
  now: number,
): NewReminder[] {
  return due.map(({ clientId, role, stage, plannedFor }) => ({
    id: newHexId(),
    mail_id: mail.id,
    person: mail.person,
    client_id: clientId,
    role,
    stage,
    planned_for: plannedFor,
    created_at: now,
  }));
}

async function keepPlans(context: RemindersDeps, plans: readonly Plan[], now: number): Promise<number> {
  const written = plans.map((plan) => {
    const mail = mailOf(plan, now);
    return { mail, reminders: remindersIn(mail, plan.due, now) };
  });
  const made = await context.store.transaction((tx) =>
    insertPlanned(
      tx,
      written.map(({ mail }) => mail),
      written.flatMap(({ reminders }) => reminders),
    ),
  );
  await restForCalls(context.shutdown.signal);
  return made.length;
}

/** The stages that a new mail would tell. */
const stagesFor = ({ person, told, heldDates }: Candidate, planning: PlanInput) =>
  stagesDue(person, told, planning).filter((stage) => !heldDates.has(keyOfDate(stage)));

function plansOf(page: readonly Candidate[], planning: PlanInput): Plan[] {
  const { now } = planning;
  return page
    .filter(({ isHeld }) => !isHeld)
    .map((one) => ({ person: one.person, due: stagesFor(one, planning) }))
    .filter(({ person, due }) => due.length > 0 && isTimeToMail(person, due, { now }));
}

/** Makes a mail for each person who is due for one now, and returns the number of mails; none on a restored copy. */
export async function planReminders(context: RemindersDeps): Promise<number> {
  if (context.instance.why() !== undefined) return 0;
  await noteLastUse(context);
  const now = context.clock.now();
  let made = 0;
  const planningNow = () => planningAt(context, now);
  for await (const { people, planning } of peoplePages(context, { planningNow })) {
    const plans = plansOf(people, planning);
    for (const some of chunksOf(plans, PEOPLE_AT_ONCE)) made += await keepPlans(context, some, now);
  }
  return made;
}

/** The stages of a person's next mail. */
export interface Preview extends Plan {
  /** The person's own day of the mail, `YYYY-MM-DD`. */
  day: string;
  /** Whether planning at this moment would make the mail. Else the mail waits for the nine o'clock of `day`. */
  isNow: boolean;
}

/**
 * The stages of the mail that this moment makes, or that waits for the morning. A mail that waits has the stages of its
 * morning: they may be others than those of the night before.
 */
function previewOf(candidate: Candidate, planning: PlanInput): Preview {
  const { person, isHeld } = candidate;
  const { now } = planning;
  const { zone } = person;
  const planAt = (at: number) => {
    const due = stagesFor(candidate, { ...planning, now: at });
    return { person, due, day: localDay(at, zone), isNow: at === now };
  };
  const present = planAt(now);
  if (!isHeld && isTimeToMail(person, present.due, { now })) return present;
  const morning = nextMorning(now, zone);
  const isToday = localDay(morning, zone) === present.day;
  const todays = isToday ? planAt(morning) : present;
  if (!isHeld || todays.due.length === 0) return todays;
  // Today has its mail already.
  return planAt(isToday ? nextMorning(morning, zone) : morning);
}

/** Previews with the place after which the next ones begin. */
interface PreviewPage {
  previews: Preview[];
  last: string;
}

/**
 * Whether a preview is of a day so late that the mails on their way now have arrived by then, or are given up. Only a preview
 * leaves them out: whoever plans for another day sends them too.
 */
function isPastMails({ clock, settings }: RemindersDeps): boolean {
  const now = clock.now();
  const { usesKnownUntil = now } = settings;
  return now - usesKnownUntil > GIVE_UP_AFTER;
}

async function* previewPages(context: RemindersDeps, after?: string): AsyncIterable<PreviewPage> {
  const now = context.clock.now();
  const haveMailsEnded = isPastMails(context);
  const planningNow = async () => ({ ...(await planningAt(context, now)), haveMailsEnded });
  for await (const { people, planning, last } of peoplePages(context, { planningNow, after })) {
    const previews = people.map((one) => previewOf(one, planning)).filter(({ due }) => due.length > 0);
    yield { previews, last };
  }
}

/** The mails of this moment, and those that wait for the morning; writes nothing. */
export async function* previewReminders(context: RemindersDeps): AsyncIterable<Preview> {
  for await (const { previews } of previewPages(context)) yield* previews;
}

const PREVIEWS = 100;

/** What one look may read, where hardly anybody is due. */
const PAGES_READ = 20;

/** Some of the same mails after a place; `next` is the place to go on from, undefined at the end. */
export async function previewsAfter(
  context: RemindersDeps,
  after?: string,
): Promise<{ previews: Preview[]; next: string | undefined }> {
  const previews: Preview[] = [];
  let pages = 0;
  for await (const page of previewPages(context, after)) {
    previews.push(...page.previews);
    pages += 1;
    if (previews.length >= PREVIEWS || pages === PAGES_READ) return { previews, next: page.last };
  }
  return { previews, next: undefined };
}

/** The same context at another moment, for a preview. What is in use now is taken to be in use then. */
export function contextAt<Deps extends RemindersDeps>(context: Deps, at: number): Deps {
  const usesKnownUntil = Math.min(at, context.clock.now());
  return {
    ...context,
    settings: { ...context.settings, usesKnownUntil },
    clock: { now: () => at, elapsed: () => context.clock.elapsed(), wall: () => at },
    // A copy is silent only towards other machines, and a preview leaves nothing.
    instance: { ...context.instance, isCopy: () => false, why: () => undefined },
  };
}

const rowPart = ({ client_id: clientId, role }: ReminderRow) => ({ clientId, role });

/** The stages of a mail that are still due, and the ids of its other reminders. */
interface RemainingPlan extends Plan {
  gone: string[];
  /** The stages that have come due since, and that the mail can tell too. */
  fresh: DueStage[];
}

type MailInLedger = Pick<MailRow, 'id' | 'person' | 'replaces'>;

/** Whether a stage is another one of the same date. */
const isOfDateOf = ({ clientId, role, plannedFor }: Stage, row: ReminderRow) =>
  clientId === row.client_id && role === row.role && plannedFor !== '' && plannedFor === row.planned_for;

/**
 * The mail of the day tells everything that no other mail tells. A mail to a contact tells the next stage of a date of
 * which it was to tell: a new mail would count its days anew, and the date would pass before anybody else is told.
 */
function joinable(
  mail: MailInLedger,
  rows: readonly ReminderRow[],
  due: readonly DueStage[],
): readonly DueStage[] {
  if (mail.replaces === '') return due;
  return isForContact(mail) ? due.filter((one) => rows.some((row) => isOfDateOf(one, row))) : [];
}

/**
 * Looks up which stages of a mail are still due. A person who has acted, or is past a stage, is not told of the stage.
 * Undefined when the person has vanished; then no reminder of the mail is due.
 */
export async function stillDue(
  context: RemindersDeps,
  mail: MailInLedger,
): Promise<RemainingPlan | undefined> {
  const now = context.clock.now();
  const planning = await planningAt(context, now);
  const loaded = await loadPerson(context, mail.person, { planning, exceptMail: mail.id });
  if (!loaded) return undefined;
  const { person, told, heldDates } = loaded;
  const rows = await readRemindersOf(context.store.durable, mail.id);
  const own = new Map(rows.map((row) => [keyOfRow(row), row.id]));
  const come = stagesDue(person, told, planning);
  const planned = come.filter((one) => own.has(keyOfStage(one)));
  const others = come.filter((one) => !own.has(keyOfStage(one)) && !heldDates.has(keyOfDate(one)));
  for (const one of planned) own.delete(keyOfStage(one));
  const asked = rows.flatMap((row) => {
    const due = row.stage === AGAIN ? askedStages(person, rowPart(row), planning) : [];
    if (due.length > 0) own.delete(keyOfRow(row));
    return due;
  });
  const fresh = [...joinable(mail, rows, others)];
  return { person, due: [...planned, ...asked], gone: [...own.values()], fresh };
}
