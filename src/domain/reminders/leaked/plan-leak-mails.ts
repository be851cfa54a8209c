import { groupBy } from '../../../shared/group-by.ts';
import { newHexId } from '../../../shared/ids.ts';
import { MINUTE, TAKE_BACK } from '../../../shared/lifetimes.ts';
import {
  LEAKED_STAGE,
  type LeakWithReaders,
  listLeakMails,
  listUntoldLeaks,
  markTold,
  openLeakMails,
  type PlannedLeakMail,
  releaseLeakMails,
} from '../../../store/reminders/leak-readers.ts';
import {
  insertPlanned,
  insertReminders,
  type NewMail,
  type NewReminder,
} from '../../../store/reminders/reminders.ts';
import type { PersonRole } from '../../../store/tables/lifecycle.ts';
import { restForCalls } from '../../work/yield-to-event-loop.ts';
import { besideMailOfDay } from '../asked.ts';
import type { RemindersDeps } from '../deps.ts';
import type { PersonIdentity } from '../people.ts';
import { localDay } from '../local-days.ts';
import { leakPerson, nameOfReader } from './leak-reader.ts';

/**
 * Plans the mails about leaked tokens: to the holder of each token, and to the owner of its app. A person gets one mail
 * for all tokens of a turn, beside the mail of the day. Any process may plan at any time: the ledger has each person,
 * token and role once. A token stays on the list until its mails have ended, so a mail that an older version dropped is
 * planned again.
 */

const TOKENS_AT_ONCE = 200;

/**
 * While a turn has more tokens than are read at once, its mails wait: the next tokens may be of the same people. When
 * the process dies in the turn, they leave after this time.
 */
const TURN_LIMIT = 5 * MINUTE;

/** One run over all tokens. */
interface PlanningTurn {
  /** When the turn began, Unix milliseconds. */
  now: number;
  /** When its mails may leave. */
  leaveAt: number;
}

/** A person who has to be told of a token. */
interface LeakReader {
  person: PersonIdentity;
  role: PersonRole;
  token: LeakWithReaders;
}

type PlannedLeakMails = readonly PlannedLeakMail[];

/** Finds the person behind a name, once for a page: many tokens have one holder, or one owner. */
type FindPerson = (name: string) => Promise<PersonIdentity>;

function onceEach({ shutdown }: RemindersDeps, find: FindPerson): FindPerson {
  const found = new Map<string, PersonIdentity>();
  return async (name) => {
    const known = found.get(name);
    if (known) return known;
    const person = await find(name);
    found.set(name, person);
    await restForCalls(shutdown.signal);
    return person;
  };
}

const ROLES: readonly PersonRole[] = ['holder', 'owner'];

/**
 * Whoever has to be told of a token and has no mail about it. The name in a mail is compared first: a mail that waits for
 * days would otherwise have its people read in every turn.
 */
async function untoldReaders(
  token: LeakWithReaders,
  mails: PlannedLeakMails,
  find: FindPerson,
): Promise<LeakReader[]> {
  const untold: LeakReader[] = [];
  for (const role of ROLES) {
    const name = nameOfReader(token, role);
    const own = mails.filter((mail) => mail.role === role);
    if (name === undefined || own.some((mail) => mail.person === name)) continue;
    const person = await find(name);
    if (!own.some((mail) => person.aliases.includes(mail.person))) untold.push({ person, role, token });
  }
  return untold;
}

function mailTo({ id: person, zone, address }: PersonIdentity, { now, leaveAt }: PlanningTurn): NewMail {
  const id = newHexId();
  return {
    id,
    person,
    day: localDay(now, zone),
    replaces: besideMailOfDay(id),
    address: address ?? null,
    state: 'due',
    attempts: 0,
    next_at: leaveAt,
    failure: null,
    created_at: now,
    ended_at: null,
  };
}

const reminderIn = (
  { id, person }: Pick<NewMail, 'id' | 'person'>,
  { role, token }: LeakReader,
  now: number,
): NewReminder => ({
  id: newHexId(),
  mail_id: id,
  person,
  client_id: token.client_id,
  role,
  stage: LEAKED_STAGE,
  planned_for: token.mapping_id,
  created_at: now,
});

/** Puts what people have to be told into the mails that wait for the end of a turn, or into new ones. */
async function keepMails(
  context: RemindersDeps,
  readers: readonly LeakReader[],
  turn: PlanningTurn,
): Promise<number> {
  const byPerson = groupBy(readers, ({ person }) => person.id);
  const remindersFor = (mails: ReadonlyArray<Pick<NewMail, 'id' | 'person'>>) =>
    mails.flatMap((mail) => (byPerson.get(mail.person) ?? []).map((one) => reminderIn(mail, one, turn.now)));
  return context.store.transaction(async (tx) => {
    const open = await openLeakMails(tx, [...byPerson.keys()], turn.now);
    const waiting = new Set(open.map(({ person }) => person));
    const mails = [...byPerson.values()].flatMap(([first]) =>
      first && !waiting.has(first.person.id) ? [mailTo(first.person, turn)] : [],
    );
    await insertReminders(tx, remindersFor(open));
    return (await insertPlanned(tx, mails, remindersFor(mails))).length;
  });
}

const isUnderWay = ({ state }: PlannedLeakMail) => state === 'due' || state === 'sending';

/**
 * What is done now about the tokens of a page. Nobody is told of a retired app: its pages are gone, and its calls are refused.
 * Its tokens stay on the list as long as the retirement can be taken back.
 */
function sorted(tokens: readonly LeakWithReaders[], now: number) {
  const isGone = ({ retired_at: at }: LeakWithReaders) => at !== null && at < now - TAKE_BACK;
  return {
    live: tokens.filter(({ retired_at: at }) => at === null),
    gone: tokens.filter(isGone).map(({ mapping_id: id }) => id),
  };
}

/** Plans the missing mails about some tokens, and takes the tokens off the list of which all mails have ended. */
async function planSome(
  context: RemindersDeps,
  tokens: readonly LeakWithReaders[],
  turn: PlanningTurn,
): Promise<number> {
  const { durable } = context.store;
  const { live, gone } = sorted(tokens, turn.now);
  const ids = live.map(({ mapping_id: id }) => id);
  const planned = groupBy(await listLeakMails(durable, ids), ({ mapping_id: id }) => id);
  const find = onceEach(context, (name) => leakPerson(context, name));
  const missing: LeakReader[] = [];
  const done = gone;
  for (const token of live) {
    const mails = planned.get(token.mapping_id) ?? [];
    const untold = await untoldReaders(token, mails, find);
    missing.push(...untold);
    if (untold.length === 0 && !mails.some(isUnderWay)) done.push(token.mapping_id);
  }
  const made = missing.length > 0 ? await keepMails(context, missing, turn) : 0;
  if (done.length > 0) await markTold(durable, done, context.clock.now());
  return made;
}

/** Plans what is missing, and returns the number of mails; none on a restored copy. */
export async function planLeakMails(context: RemindersDeps): Promise<number> {
  if (context.instance.why() !== undefined) return 0;
  const { durable } = context.store;
  const now = context.clock.now();
  let tokens = await listUntoldLeaks(durable, '', TOKENS_AT_ONCE);
  const isLong = tokens.length === TOKENS_AT_ONCE;
  const turn = { now, leaveAt: isLong ? now + TURN_LIMIT : now };
  let made = await planSome(context, tokens, turn);
  while (tokens.length === TOKENS_AT_ONCE) {
    await restForCalls(context.shutdown.signal);
    tokens = await listUntoldLeaks(durable, tokens.at(-1)?.mapping_id ?? '', TOKENS_AT_ONCE);
    made += await planSome(context, tokens, turn);
  }
  if (isLong) await releaseLeakMails(durable, turn);
  return made;
}
