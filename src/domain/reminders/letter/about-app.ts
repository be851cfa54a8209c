import { DAY } from '../../../shared/lifetimes.ts';
import { type Asked, callersOf, lostCalls } from '../../usage/callers.ts';
import { type Calls, callsOf } from '../../usage/calls-of.ts';
import type { Context } from '../../context.ts';
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
import type { HolderPart, OwnerPart, Part, Person } from '../people.ts';
import type { Links } from './links.ts';
import type { Reader } from './moments.ts';
import { plainName } from './plain.ts';
import type { Told } from './stages.ts';

/** Everything that a mail tells of one app, read before any of it is put into words. */

/** What is common to both roles. */
export interface AppFacts {
  clientId: string;
  /** Safe to be shown. */
  name: string;
  /** Those that bring something to it, the earlier first. */
  dates: readonly AppDate[];
  /** Those of the next days that the app will meet and that change calls, by their start. */
  brownouts: readonly Brownout[];
  /** Until when it is left out of the brownouts of all, where these change calls. */
  exemptUntil: number | undefined;
  /** Whether an old backend is behind, which answers up to the retirement. */
  hasOldBackend: boolean;
  reader: Reader;
  links: Links;
}

/** One role of the person for the app, with what is due for it. */
export interface RoleFacts<RolePart> {
  app: AppFacts;
  part: RolePart;
  due: readonly Told[];
  /** Undefined when it cannot be read just now. */
  calls: Calls | undefined;
  /** How many tokens the calls are of, where not all are looked at. */
  ofTokens: number | undefined;
  /** Whether there may have been more calls. */
  isPartial: boolean;
  /** Whether the person is known here by an e-mail address alone. */
  isUnproven: boolean;
}

/** How far ahead brownouts are told. */
const BROWNOUTS_AHEAD = 60 * DAY;

/** What the mail sums up. */
export const CALLS_WITHIN_DAYS = 30;

/** The date of an app; undefined where it has none, or none that brings anything. */
export function dateOf({ dates }: Pick<AppFacts, 'dates'>, milestone: Milestone): AppDate | undefined {
  return dates.find((date) => date.milestone === milestone);
}

/** Whether the new API alone answers connected tokens: the old backend is gone, or was never there. */
export function isBridgeAlone(app: Pick<AppFacts, 'dates' | 'hasOldBackend' | 'reader'>): boolean {
  return !app.hasOldBackend || (dateOf(app, 'retirement')?.at ?? Infinity) <= app.reader.now;
}

/** What an owner starts for the own app needs no announcement, and what changes no call none either. */
const toTell = ({ clientId, rehearses }: Brownout, hasOldBackend: boolean) =>
  clientId === undefined && changesCalls(rehearses, hasOldBackend);

/** Until when an app is left out of something. */
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

/** The app as the lifecycle of this moment has it. */
export function aboutApp(
  context: Context,
  { clientId, appName }: Pick<HolderPart, 'clientId' | 'appName'>,
  { reader, links }: Pick<AppFacts, 'reader' | 'links'>,
): AppFacts {
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

type Evidence = Pick<RoleFacts<Part>, 'calls' | 'ofTokens' | 'isPartial'>;

/** The mail is of use without its evidence. */
async function readCalls(context: Context, asked: () => Promise<Asked>): Promise<Evidence> {
  try {
    const { who, isPartial } = await asked();
    const calls = await callsOf(context, who, { days: CALLS_WITHIN_DAYS });
    return { calls, ofTokens: undefined, isPartial: isPartial(CALLS_WITHIN_DAYS) };
  } catch (error) {
    context.logger.warn('a reminder goes without its calls, usage cannot be read', { error });
    return { calls: undefined, ofTokens: undefined, isPartial: false };
  }
}

/** The calls of a holder's tokens; of very many those of the tokens that were used last. */
async function callsOfHolder(context: Context, ids: readonly string[]): Promise<Evidence> {
  const isCut = ids.length > TOKENS_MAX;
  const asked = async (): Promise<Asked> => {
    const isLost = await lostCalls(context);
    return { who: ids.slice(0, TOKENS_MAX), isPartial: (days) => isCut || isLost(days) };
  };
  return { ...(await readCalls(context, asked)), ofTokens: isCut ? TOKENS_MAX : undefined };
}

/** Whose tokens a person's mail is about. */
export function holderIn({ accountId }: Person, { waitingEmail }: Pick<Links, 'waitingEmail'>) {
  return { accountId, emails: waitingEmail === undefined ? [] : [waitingEmail] };
}

/** What is due for the holder of tokens. */
export async function aboutHolder(
  context: Context,
  person: Person,
  { app, part, due }: Pick<RoleFacts<HolderPart>, 'app' | 'part' | 'due'>,
): Promise<RoleFacts<HolderPart>> {
  const holder = holderIn(person, app.links);
  const tokens = await waitingTokensOf(context.store.durable, app.clientId, holder);
  const ids = tokens.map(({ id }) => id);
  const isUnproven =
    tokens.length === 0
      ? person.accountId === undefined
      : tokens.some(({ account_id }) => account_id === null);
  return { app, part, due, isUnproven, ...(await callsOfHolder(context, ids)) };
}

/** What is due for the owner of an app. */
export async function aboutOwner(
  context: Context,
  { app, part, due }: Pick<RoleFacts<OwnerPart>, 'app' | 'part' | 'due'>,
): Promise<RoleFacts<OwnerPart>> {
  const { durable } = context.store;
  const isUnproven = (await ownerOf(durable, app.clientId)) === null;
  const { clientId } = app;
  const evidence = await readCalls(context, () => callersOf(context, { clientId }));
  return { app, part, due, isUnproven, ...evidence };
}
