import { DAY, DEAD_GRANT_KEPT, PRESENTING_LIMIT } from '../../shared/lifetimes.ts';
import {
  DESK_MAX,
  type DeskKey,
  doubtKeys,
  extensionKeys,
  handoverKeys,
  undeliverableKeys,
  unprovenKeys,
  waitingKeys,
} from '../../store/support/desks.ts';
import { groupsWithoutAccount } from '../../store/support/desks-without-account.ts';
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

/** The keys of a desk in the order of the desk, up to the bound of the desk. */
export interface Stack<Key extends DeskKey = DeskKey> {
  keys: Key[];
  /** Whether the desk has more rows than `keys`. */
  isMore: boolean;
  /** How many rows the desk has, where all are counted. */
  total?: number;
}

/** The desk of extensions lists extensions that end within this time. */
const ENDING_SOON = 30 * DAY;

function inOrder<Key extends DeskKey>(keys: readonly Key[], isMore = keys.length > DESK_MAX): Stack<Key> {
  const sorted = keys.slice(0, DESK_MAX).toSorted((a, b) => a.rank - b.rank || (a.id < b.id ? -1 : 1));
  return { keys: sorted, isMore };
}

/**
 * How many tokens are searched for people without an account: for the desk of these people, and for each page that
 * shows the number of people.
 */
const LISTED = 5000;
const COUNTED = 1500;

/** People without an account; the person with the most tokens comes first. */
export async function withoutAccount({ store }: Pick<SupportDeps, 'store'>, tokensRead = LISTED) {
  const { groups, isMore } = await groupsWithoutAccount(store.durable, tokensRead);
  return inOrder(groups, isMore || groups.length > DESK_MAX);
}

/** A desk whose keys are read at once. The desk of ended connections is read day by day. */
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
async function waitingStack(context: SupportDeps): Promise<Stack> {
  const own = [...context.lifecycle.current().extensions.keys()];
  const { keys, total } = await waitingKeys(context.store.durable, {
    common: dayOfRefusal(context),
    own: own.map((id) => ({ id, place: dayOfRefusal(context, id) })),
  });
  return { ...inOrder(keys), total };
}

const STACKS: Record<StackedDesk, (context: SupportDeps) => Promise<Stack>> = {
  'in-doubt': async ({ store, clock }) =>
    inOrder(await doubtKeys(store.durable, { presentedBefore: clock.now() - PRESENTING_LIMIT })),
  undeliverable: async ({ store }) => inOrder(await undeliverableKeys(store.durable)),
  'no-account': (context) => withoutAccount(context, COUNTED),
  'hand-overs': async ({ store, clock }) =>
    inOrder(await handoverKeys(store.durable, { since: clock.now() - DEAD_GRANT_KEPT })),
  waiting: waitingStack,
  extensions: async ({ store, clock }) => {
    const now = clock.now();
    return inOrder(await extensionKeys(store.durable, { now, before: now + ENDING_SOON }));
  },
  unproven: async ({ store }) => inOrder(await unprovenKeys(store.durable)),
};

/** The rows of a desk. */
export function stackOf(context: SupportDeps, desk: StackedDesk): Promise<Stack> {
  return STACKS[desk](context);
}

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
  const { keys, isMore, total } = await stackOf(context, desk);
  return { count: total ?? keys.length, isMore: isMore && total === undefined };
}

/** The number of rows on each desk, up to a bound. `zone` is the time zone in which today begins and ends. */
export async function deskCounts(context: SupportDeps, zone: string): Promise<DeskCount[]> {
  return Promise.all(
    DESKS.map(async (desk) => {
      const counted = await countOf(context, desk, zone);
      return { desk, ...counted, countedAt: await countedAtOf(context, desk) };
    }),
  );
}
