import { DAY, DEAD_GRANT_KEPT, PRESENTING_LIMIT } from '../../shared/lifetimes.ts';
import {
  appsThatWait,
  type DeskSource,
  extensionsThatEnd,
  grantsInDoubt,
  openHandovers,
  undeliverableMails,
  tokensUnproven,
  waitingNames,
} from '../../store/support/desk-sources.ts';
import { countDesk } from '../../store/support/desks.ts';
import type { SupportDeps } from './deps.ts';
import { datesOf } from '../lifecycle/lifecycle.ts';
import { lastCountAt } from '../progress/last-count.ts';
import { todayIn } from './ended/days.ts';
import { countBroken } from './ended/ended-on-day.ts';

/** The desks of support: the lists of things that a member of the staff has to look at. */

export const DESKS = [
  'in-doubt',
  'died-today',
  'undeliverable',
  'no-account',
  'hand-overs',
  'waiting',
  'extensions',
  'unproven',
] as const;

export type Desk = (typeof DESKS)[number];

/**
 * The desk of extensions lists extensions that end within this time, and for as long those that are over. Nothing has to be
 * done about one that is over, so the desk would keep it for ever.
 */
const ENDING_SOON = 30 * DAY;

/** A desk that is one list. The desk of ended connections is read day by day. */
export type StackedDesk = Exclude<Desk, 'died-today'>;

/**
 * The ranks of apps without a date, after every day that a date can have; and of apps whose sunset has come, where
 * connecting helps nobody any more.
 */
const [NO_DATE, ENDED] = [1e5, 2e5];

/**
 * The day (since 1970) from which the waiting tokens of an app are refused; 0 where they are refused already. Without an
 * app: of every app without more time.
 */
function dayOfRefusal({ lifecycle, clock, oldBackend }: SupportDeps, clientId?: string): number {
  const [now, hasOldApi] = [clock.now(), oldBackend !== undefined];
  const dates = datesOf(lifecycle.current(), { clientId, now });
  const past = dates.filter(({ at }) => at <= now);
  if (past.some(({ milestone }) => milestone === 'sunset')) return ENDED;
  if (!hasOldApi || past.length > 0) return 0;
  const next = dates.find(({ at }) => at > now);
  return next === undefined ? NO_DATE : Math.min(Math.floor(next.at / DAY), NO_DATE - 1);
}

/**
 * Apps whose tokens are refused already come first, then apps by the nearest date. Of one day, the app with the most
 * people comes first. Only apps with more time have dates of their own, and those are few.
 */
function waitingSource(context: SupportDeps): DeskSource {
  const own = [...context.lifecycle.current().extensions.keys()];
  return appsThatWait(context.store.durable, {
    common: dayOfRefusal(context),
    own: own.map((id) => ({ id, place: dayOfRefusal(context, id) })),
    noDate: NO_DATE,
    ended: ENDED,
  });
}

const SOURCES: Readonly<Record<StackedDesk, (context: SupportDeps) => DeskSource>> = {
  'in-doubt': ({ store, clock }) => grantsInDoubt(store.durable, clock.now() - PRESENTING_LIMIT),
  undeliverable: ({ store }) => undeliverableMails(store.durable),
  'no-account': ({ store }) => waitingNames(store.durable),
  'hand-overs': ({ store, clock }) => openHandovers(store.durable, clock.now() - DEAD_GRANT_KEPT),
  waiting: waitingSource,
  extensions({ store, clock }) {
    const now = clock.now();
    return extensionsThatEnd(store.durable, { now, after: now - ENDING_SOON, before: now + ENDING_SOON });
  },
  unproven: ({ store }) => tokensUnproven(store.durable),
};

/** Where the rows of a desk stand now. */
export const sourceOf = (context: SupportDeps, desk: StackedDesk): DeskSource => SOURCES[desk](context);

/** The tabs and orders of each desk, by the names that `desk-sources.ts` of the store gives them. */
export const DESK_TABLES = {
  'in-doubt': { tabs: ['all', 'doubt', 'sent'], sorts: ['urgent', 'last'] },
  undeliverable: { tabs: ['all'], sorts: ['newest', 'oldest'] },
  'no-account': { tabs: ['all', 'address', 'old-id'], sorts: ['most', 'fewest'] },
  'hand-overs': { tabs: ['all'], sorts: ['urgent', 'newest'] },
  waiting: { tabs: ['all', 'refused', 'dated', 'undated', 'ended'], sorts: ['urgent', 'people'] },
  extensions: { tabs: ['all', 'ahead', 'over'], sorts: ['urgent'] },
  unproven: { tabs: ['all'], sorts: ['newest', 'oldest'] },
} as const satisfies Readonly<Record<StackedDesk, { tabs: readonly string[]; sorts: readonly string[] }>>;

export type DeskTab = (typeof DESK_TABLES)[StackedDesk]['tabs'][number];
export type DeskSort = (typeof DESK_TABLES)[StackedDesk]['sorts'][number];

export interface DeskCount {
  desk: Desk;
  count: number;
  /** Whether the desk has more rows than `count`. */
  isMore: boolean;
  /** When the desk was counted; undefined for a desk that is counted now. */
  countedAt: number | undefined;
}

/** When a desk was counted; undefined for a desk that is counted for each question. */
export async function countedAtOf(context: SupportDeps, desk: Desk): Promise<number | undefined> {
  return desk === 'waiting' ? lastCountAt(context) : undefined;
}

type BoundedCount = Pick<DeskCount, 'count' | 'isMore'>;

async function countOf(context: SupportDeps, desk: Desk, zone: string): Promise<BoundedCount> {
  if (desk === 'died-today') return countBroken(context, todayIn(zone, context.clock.now()));
  const { all = 0 } = await countDesk(context.store.durable, sourceOf(context, desk));
  return { count: all, isMore: false };
}

/** The number of rows on each desk; only of what ended today up to a bound. `zone` is the time zone in which today begins and ends. */
export async function deskCounts(context: SupportDeps, zone: string): Promise<DeskCount[]> {
  return Promise.all(
    DESKS.map(async (desk) => {
      const counted = await countOf(context, desk, zone);
      return { desk, ...counted, countedAt: await countedAtOf(context, desk) };
    }),
  );
}
