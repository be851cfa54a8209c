import { z } from 'zod';
import {
  forgetCallsBefore,
  keepCalls,
  type MovingCallsRow,
  readKeptCalls,
} from '../../store/cut-over/kept-calls.ts';
import { dayOf } from '../../shared/moments.ts';
import type { CutOverDeps } from './deps.ts';
import { knownCallDays } from '../usage/callers.ts';
import type { CountedDays } from '../usage/counted-days.ts';
import { readBudget } from '../limits/budget-reading.ts';
import { retirementOf } from '../lifecycle/old-backend-for.ts';
import { provenApp } from '../tokens/proven-app.ts';
import type { ConnectedToken } from './connected-tokens.ts';
import { isCutOver, isMovedEarly } from './moved-early.ts';
import { DAYS_MEASURED, measureMoving, type MovingCalls } from './moving-calls.ts';
import { type Outlook, reckon } from './reckon.ts';

/**
 * The requests that a cut-over or the retirement will need of each client at the new API. Commands, `doctor` and pages
 * show the same figures.
 */

/** Some calls were not counted, therefore the budget is not known to suffice. */
function atLeast(outlook: Outlook, counted: CountedDays): Outlook {
  const verdict = outlook.verdict === 'suffices' ? 'unknown' : outlook.verdict;
  return { ...outlook, counted, verdict };
}

/** The outlook of these calls, which are those of tokens of one app, or of all apps. */
async function reckonAll(
  context: CutOverDeps,
  moving: readonly MovingCalls[],
  who: { clientId: string } | 'all',
): Promise<Outlook[]> {
  const today = dayOf(context.clock.now());
  const counted = (await knownCallDays(context, who))(DAYS_MEASURED);
  const outlooks = moving.map(async (one) => {
    const outlook = reckon(one, await readBudget(context, one.modernClientId), today);
    return counted.isPartial ? atLeast(outlook, counted) : outlook;
  });
  return Promise.all(outlooks);
}

/** Whether a token's pair of app and account moves between two percentages, in either direction. */
const isBetween = (token: ConnectedToken, [one, other]: readonly [number, number]) => {
  const pair = { clientId: token.client_id, accountId: token.account_id };
  return provenApp(token) !== undefined && isMovedEarly(pair, one) !== isMovedEarly(pair, other);
};

/** The outlook of a cut-over from one percentage to another. Empty where the app has no old API any more. */
export async function outlookOfCutOver(
  context: CutOverDeps,
  clientId: string,
  between: readonly [number, number],
): Promise<Outlook[]> {
  if (!appHasOldApi(context, clientId)) return [];
  const isMoving = (token: ConnectedToken) => isBetween(token, between);
  return reckonAll(context, (await measureMoving(context, { clientId, isMoving })) ?? [], { clientId });
}

/** Above this number of connected tokens, whoever sets a date gets the last count by a running bridge. */
export const TOKENS_COUNTED = 20_000;

/** Whether an app still has an old API, and can move. `clientId` is undefined for an app that is not proven. */
export function appHasOldApi(context: CutOverDeps, clientId: string | undefined): boolean {
  return context.oldBackend !== undefined && retirementOf(context, clientId)?.because !== 'date';
}

/** Whether any app still has an old API: after the general retirement, an app with an extension may have one. */
export function hasOldApi(context: CutOverDeps): boolean {
  const apps = [undefined, ...context.lifecycle.current().extensions.keys()];
  return apps.some((clientId) => appHasOldApi(context, clientId));
}

/** Selects the tokens that the retirement will move. Each app is retired at its own time. */
const leftIn = (context: CutOverDeps) => (token: ConnectedToken) =>
  !isCutOver(token) && appHasOldApi(context, provenApp(token));

/**
 * The outlook for the tokens of an app that the cut-over has not moved. Undefined where the app has more than `most`
 * tokens, because a person waits for the page.
 */
export async function outlookOfApp(
  context: CutOverDeps,
  clientId: string,
  most: number,
): Promise<Outlook[] | undefined> {
  if (!appHasOldApi(context, clientId)) return [];
  const moving = await measureMoving(context, { clientId, most, isMoving: leftIn(context) });
  return moving && reckonAll(context, moving, { clientId });
}

const counts = z.object({ tokens: z.number(), accounts: z.number() });

const kept = counts.extend({
  apps: z.number().optional(),
  withoutPosts: counts,
  calls: z.array(z.object({ day: z.string(), endpoint: z.string(), calls: z.number() })),
});

/** A text of another version that this version cannot read is skipped. */
function readKept({ modern_client_id: modernClientId, body, counted_at: countedAt }: MovingCallsRow) {
  try {
    return [{ countedAt, moving: { modernClientId, ...kept.parse(JSON.parse(body)) } }];
  } catch {
    return [];
  }
}

/** The row of a whole count. It tells a count without tokens that move from a count that was never made. */
const WHOLE_COUNT = '';

/** Counts the calls of all tokens that the retirement will move, and stores the counts for the pages. */
export async function keepMovingCalls(context: CutOverDeps): Promise<void> {
  const { store, clock } = context;
  const countedAt = clock.now();
  const moving = hasOldApi(context) ? await measureMoving(context, { isMoving: leftIn(context) }) : [];
  for (const { modernClientId, ...rest } of moving ?? [])
    await keepCalls(store, {
      modern_client_id: modernClientId,
      body: JSON.stringify(rest),
      counted_at: countedAt,
    });
  await keepCalls(store, { modern_client_id: WHOLE_COUNT, body: '', counted_at: countedAt });
  await forgetCallsBefore(store, countedAt);
}

/** The outlook of the last stored count (made once an hour). Undefined where this version can read no count. */
async function lastOutlook(context: CutOverDeps): Promise<Outlook[] | undefined> {
  const rows = await readKeptCalls(context.store);
  const clients = rows.filter((row) => row.modern_client_id !== WHOLE_COUNT);
  const last = clients.flatMap(readKept);
  if (rows.length === 0 || last.length < clients.length) return undefined;
  const outlooks = await reckonAll(
    context,
    last.map(({ moving }) => moving),
    'all',
  );
  return outlooks.map((outlook, place) => ({ ...outlook, countedAt: last[place]?.countedAt ?? 0 }));
}

/**
 * The requests that the retirement will need of each client. Where there are more than `most` tokens, the last stored
 * count serves. Undefined where no count was made yet or the count was lost: undefined does not mean that no token
 * moves.
 */
export async function outlookOfRetirement(
  context: CutOverDeps,
  most: number,
): Promise<Outlook[] | undefined> {
  if (!hasOldApi(context)) return [];
  const now = await measureMoving(context, { most, isMoving: leftIn(context) });
  return now ? reckonAll(context, now, 'all') : lastOutlook(context);
}
