import { DAY } from '../../../shared/lifetimes.ts';
import { type CallsQuery, callersOf, knownCallDays } from '../../usage/callers.ts';
import { type CallSummary, callsOf } from '../../usage/calls-of.ts';
import { type CountedDays, unknownDays } from '../../usage/counted-days.ts';
import type { RemindersDeps } from '../deps.ts';
import {
  type AppDate,
  type Brownout,
  brownoutsAhead,
  changesCalls,
  datesOf,
  type Lifecycle,
  type Milestone,
} from '../../lifecycle/lifecycle.ts';
import { ownerOf } from '../../../store/apps/apps.ts';
import { TOKENS_MAX, waitingTokensOf } from '../../../store/reminders/mail-tokens.ts';
import type { HolderPart, OwnerPart, AppPart, ReminderPerson } from '../people.ts';
import type { Links } from './links.ts';
import type { LetterReader } from './moments.ts';
import { plainName } from './plain.ts';
import type { LetterStage } from './stages.ts';

/** The facts that a mail tells of one app. All facts are read before the mail is worded. */

/** The facts that holder and owner share. */
export interface LetterApp {
  clientId: string;
  /** Cleaned, safe to be shown. */
  name: string;
  /** The dates that bring something to the app, the earlier first. */
  dates: readonly AppDate[];
  /** The announced brownouts of the next days that the app will meet and that change calls, by their start. */
  brownouts: readonly Brownout[];
  /** Until when the app is left out of the brownouts of all apps; undefined when the brownouts change no calls. */
  exemptUntil: number | undefined;
  /** Whether the old API runs behind the bridge and answers up to the retirement. */
  hasOldBackend: boolean;
  reader: LetterReader;
  links: Links;
}

/** One role of the person for the app, with the due reminders of the role. */
export interface RoleFacts<RolePart> {
  app: LetterApp;
  part: RolePart;
  due: readonly LetterStage[];
  /** Undefined when usage cannot be read at the moment. */
  calls: CallSummary | undefined;
  /** The number of tokens whose calls are told, when not all tokens are looked at. */
  ofTokens: number | undefined;
  /** What is known of the calls of these days. */
  counted: CountedDays;
  /** Whether the bridge knows the person by an e-mail address alone. */
  isUnproven: boolean;
  /** The last four characters of the tokens of which they are known, the last used token first; empty for an owner. */
  endings: readonly string[];
}

/** How far ahead a mail tells of brownouts. */
const BROWNOUTS_AHEAD = 60 * DAY;

/** The days of calls that the mail sums up. */
export const CALLS_WITHIN_DAYS = 30;

/** The date of an app for a milestone; undefined when no date is set, or when the date brings nothing to the app. */
export function appDateOf({ dates }: Pick<LetterApp, 'dates'>, milestone: Milestone): AppDate | undefined {
  return dates.find((date) => date.milestone === milestone);
}

/** Whether only the new API answers connected tokens: the old API is retired, or never ran behind the bridge. */
export function isBridgeAlone(app: Pick<LetterApp, 'dates' | 'hasOldBackend' | 'reader'>): boolean {
  return !app.hasOldBackend || (appDateOf(app, 'retirement')?.at ?? Infinity) <= app.reader.now;
}

/** A brownout needs no announcement when the owner of the app started it, or when it changes no call. */
const toTell = ({ clientId, rehearses }: Brownout, hasOldBackend: boolean) =>
  clientId === undefined && changesCalls(rehearses, hasOldBackend);

/** Until when an app is left out of brownouts; undefined when no announced brownout could change its calls. */
function exemptionOf(
  { exemptions, brownouts }: Lifecycle,
  { clientId, now }: { clientId: string; now: number },
  hasOldBackend: boolean,
): number | undefined {
  const until = exemptions.get(clientId) ?? now;
  const isOfUse =
    changesCalls('retirement', hasOldBackend) || brownouts.some((one) => toTell(one, hasOldBackend));
  return until > now && isOfUse ? until : undefined;
}

/** The facts about an app by the dates of this moment. */
export function aboutApp(
  context: RemindersDeps,
  { clientId, appName }: Pick<HolderPart, 'clientId' | 'appName'>,
  { reader, links }: Pick<LetterApp, 'reader' | 'links'>,
): LetterApp {
  const lifecycle = context.lifecycle.current();
  const asked = { clientId, now: reader.now };
  const hasOldBackend = context.oldBackend !== undefined;
  return {
    clientId,
    name: plainName(appName, clientId),
    dates: datesOf(lifecycle, asked),
    brownouts: brownoutsAhead(lifecycle, asked).filter(
      (one) => toTell(one, hasOldBackend) && one.startsAt < reader.now + BROWNOUTS_AHEAD,
    ),
    hasOldBackend,
    exemptUntil: exemptionOf(lifecycle, asked, hasOldBackend),
    reader,
    links,
  };
}

type RoleCalls = Pick<RoleFacts<AppPart>, 'calls' | 'ofTokens' | 'counted'>;

/** Reads the calls for a mail. The mail goes out without calls when usage cannot be read. */
async function readCalls(context: RemindersDeps, asked: () => Promise<CallsQuery>): Promise<RoleCalls> {
  try {
    const { who, within } = await asked();
    const calls = await callsOf(context, who, { days: CALLS_WITHIN_DAYS });
    return { calls, ofTokens: undefined, counted: within(CALLS_WITHIN_DAYS) };
  } catch (error) {
    context.logger.warn('usage cannot be read, a reminder is sent without its calls', { error });
    return { calls: undefined, ofTokens: undefined, counted: unknownDays(CALLS_WITHIN_DAYS) };
  }
}

/** The calls of these tokens together. Above `TOKENS_MAX` tokens, only the calls of the tokens used last. */
export async function callsOfTokens(context: RemindersDeps, ids: readonly string[]): Promise<RoleCalls> {
  const isCut = ids.length > TOKENS_MAX;
  const asked = async (): Promise<CallsQuery> => {
    const within = await knownCallDays(context, ids);
    return {
      who: ids.slice(0, TOKENS_MAX),
      within: (days) => (isCut ? unknownDays(days) : within(days)),
    };
  };
  return { ...(await readCalls(context, asked)), ofTokens: isCut ? TOKENS_MAX : undefined };
}

/** The account and addresses whose tokens a person's mail is about. */
export function holderIn({ accountId }: ReminderPerson, { waitingEmail }: Pick<Links, 'waitingEmail'>) {
  return { accountId, emails: waitingEmail === undefined ? [] : [waitingEmail] };
}

/** The facts for the holder of tokens. */
export async function aboutHolder(
  context: RemindersDeps,
  person: ReminderPerson,
  { app, part, due }: Pick<RoleFacts<HolderPart>, 'app' | 'part' | 'due'>,
): Promise<RoleFacts<HolderPart>> {
  const holder = holderIn(person, app.links);
  const tokens = await waitingTokensOf(context.store.durable, app.clientId, holder);
  const ids = tokens.map(({ id }) => id);
  const isUnproven =
    tokens.length === 0
      ? person.accountId === undefined
      : tokens.some(({ account_id }) => account_id === null);
  const endings = tokens.flatMap(({ hint_last }) => hint_last ?? []);
  return { app, part, due, isUnproven, endings, ...(await callsOfTokens(context, ids)) };
}

/** The facts for the owner of an app. */
export async function aboutOwner(
  context: RemindersDeps,
  { app, part, due }: Pick<RoleFacts<OwnerPart>, 'app' | 'part' | 'due'>,
): Promise<RoleFacts<OwnerPart>> {
  const { durable } = context.store;
  const isUnproven = (await ownerOf(durable, app.clientId)) === null;
  const { clientId } = app;
  const evidence = await readCalls(context, () => callersOf(context, { clientId }));
  return { app, part, due, isUnproven, endings: [], ...evidence };
}
