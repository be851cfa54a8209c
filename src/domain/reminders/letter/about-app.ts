import { DAY } from '../../../shared/lifetimes.ts';
import { type Calls, callsOf } from '../../calls-of.ts';
import type { Context } from '../../context.ts';
import { type Brownout, dateFor, type Lifecycle, type Milestone } from '../../lifecycle.ts';
import { ownerOf, tokensOfApp, waitingTokensOf } from '../../../store/mail-tokens.ts';
import type { Due, HolderPart, OwnerPart, Person } from '../people.ts';
import { emailsOf, type Links } from './links.ts';
import type { Reader } from './moments.ts';
import { plainName } from './plain.ts';

/** Everything that a mail tells of one app, read before any of it is put into words. */

/** A date that applies to the app. */
interface AppDate {
  at: number;
  /** The date of all others, where this app was given more time. */
  forOthers: number | undefined;
}

/** What is common to both roles. */
export interface AppFacts {
  clientId: string;
  /** Safe to be shown. */
  name: string;
  dates: Partial<Record<Milestone, AppDate>>;
  /** Those of the next days that the app will meet, by their start. */
  brownouts: readonly Brownout[];
  /** Until when it is left out of the brownouts of all. */
  exemptUntil: number | undefined;
  reader: Reader;
  links: Links;
}

/** One role of the person for the app, with what is due for it. */
export interface RoleFacts<RolePart> {
  app: AppFacts;
  part: RolePart;
  due: readonly Due[];
  /** Undefined when it cannot be read just now. */
  calls: Calls | undefined;
  /** Whether the person is known here by an e-mail address alone. */
  isUnproven: boolean;
}

/** How far ahead brownouts are told. */
const BROWNOUTS_AHEAD = 60 * DAY;

/** What the mail sums up. */
export const CALLS_WITHIN_DAYS = 30;

const MILESTONES = ['retirement', 'sunset'] as const;

function datesOf(lifecycle: Lifecycle, clientId: string): AppFacts['dates'] {
  const dates: AppFacts['dates'] = {};
  for (const milestone of MILESTONES) {
    const [at, common] = [dateFor(lifecycle, milestone, clientId), lifecycle.dates[milestone]];
    if (at === undefined || common === undefined) continue;
    dates[milestone] = { at, forOthers: at > common ? common : undefined };
  }
  return dates;
}

/** Those of all that come before the date itself; what an owner starts for the own app needs no announcement. */
function brownoutsOf(
  { brownouts, exemptions }: Lifecycle,
  app: Pick<AppFacts, 'clientId' | 'dates'>,
  now: number,
) {
  const exemptUntil = exemptions.get(app.clientId) ?? 0;
  return brownouts.filter(
    ({ clientId, startsAt, endsAt, rehearses }) =>
      clientId === undefined &&
      endsAt > Math.max(now, exemptUntil) &&
      startsAt < Math.min(now + BROWNOUTS_AHEAD, app.dates[rehearses]?.at ?? Infinity),
  );
}

/** The app as the lifecycle of this moment has it. */
export function aboutApp(
  context: Context,
  { clientId, appName }: Pick<HolderPart, 'clientId' | 'appName'>,
  { reader, links }: Pick<AppFacts, 'reader' | 'links'>,
): AppFacts {
  const lifecycle = context.lifecycle.current();
  const dates = datesOf(lifecycle, clientId);
  const exemptUntil = lifecycle.exemptions.get(clientId);
  return {
    clientId,
    name: plainName(appName, clientId),
    dates,
    brownouts: brownoutsOf(lifecycle, { clientId, dates }, reader.now),
    exemptUntil: exemptUntil !== undefined && exemptUntil > reader.now ? exemptUntil : undefined,
    reader,
    links,
  };
}

/** The mail is of use without its evidence. */
async function readCalls(context: Context, mappingIds: readonly string[]): Promise<Calls | undefined> {
  try {
    return await callsOf(context, mappingIds, { days: CALLS_WITHIN_DAYS });
  } catch (error) {
    context.logger.warn('a reminder goes without its calls, usage cannot be read', { error });
    return undefined;
  }
}

/** What is due for the holder of tokens. */
export async function aboutHolder(
  context: Context,
  person: Person,
  { app, part, due }: Pick<RoleFacts<HolderPart>, 'app' | 'part' | 'due'>,
): Promise<RoleFacts<HolderPart>> {
  const holder = { accountId: person.accountId, emails: emailsOf(person) };
  const tokens = await waitingTokensOf(context.store.durable, app.clientId, holder);
  const ids = tokens.map(({ id }) => id);
  const isUnproven =
    tokens.length === 0
      ? person.accountId === undefined
      : tokens.some(({ account_id }) => account_id === null);
  return { app, part, due, isUnproven, calls: await readCalls(context, ids) };
}

/** What is due for the owner of an app. */
export async function aboutOwner(
  context: Context,
  { app, part, due }: Pick<RoleFacts<OwnerPart>, 'app' | 'part' | 'due'>,
): Promise<RoleFacts<OwnerPart>> {
  const { durable } = context.store;
  const isUnproven = (await ownerOf(durable, app.clientId)) === null;
  const calls = await readCalls(context, await tokensOfApp(durable, app.clientId));
  return { app, part, due, isUnproven, calls };
}
