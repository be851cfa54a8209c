import { z } from 'zod';
import {
  forgetCallsBefore,
  keepCalls,
  type KeptCalls,
  readKeptCalls,
} from '../../store/cut-over/kept-calls.ts';
import { dayOf } from '../../shared/moments.ts';
import type { Context } from '../context.ts';
import { lostCalls } from '../usage/callers.ts';
import { readBudget } from '../limits/budget-reading.ts';
import { retirementOf } from '../lifecycle/old-backend-for.ts';
import { provenApp } from '../tokens/proven-app.ts';
import type { ConnectedToken } from './connected-tokens.ts';
import { isCutOver, isMovedEarly } from './moved-early.ts';
import { DAYS_MEASURED, measureMoving, type MovingCalls } from './moving-calls.ts';
import { type Outlook, reckon } from './reckon.ts';

/** What a cut-over or the retirement will ask of the clients at the new API, told by commands, `doctor` and pages alike. */

/** Of calls of which some were lost nobody can say that a budget suffices for all. */
function atLeast(outlook: Outlook): Outlook {
  const verdict = outlook.verdict === 'suffices' ? 'unknown' : outlook.verdict;
  return { ...outlook, isPartial: true, verdict };
}

async function reckonAll(context: Context, moving: readonly MovingCalls[]): Promise<Outlook[]> {
  const today = dayOf(context.clock.now());
  const isLost = (await lostCalls(context))(DAYS_MEASURED);
  const outlooks = moving.map(async (one) => {
    const outlook = reckon(one, await readBudget(context, one.modernClientId), today);
    return isLost ? atLeast(outlook) : outlook;
  });
  return Promise.all(outlooks);
}

/** Whether the pair of a token is on the way between two percentages, in whichever direction. */
const isBetween = (token: ConnectedToken, [one, other]: readonly [number, number]) => {
  const pair = { clientId: token.client_id, accountId: token.account_id };
  return provenApp(token) !== undefined && isMovedEarly(pair, one) !== isMovedEarly(pair, other);
};

/** What changes with a cut-over of an app from one percentage to another: nothing where no old API answers for the app. */
export async function outlookOfCutOver(
  context: Context,
  clientId: string,
  between: readonly [number, number],
): Promise<Outlook[]> {
  if (!appHasOldApi(context, clientId)) return [];
  const isMoving = (token: ConnectedToken) => isBetween(token, between);
  return reckonAll(context, (await measureMoving(context, { clientId, isMoving })) ?? []);
}

/** Whether an app still has an old API, so that something is left to move; undefined for one that nobody has proven. */
export function appHasOldApi(context: Context, clientId: string | undefined): boolean {
  return context.oldBackend !== undefined && retirementOf(context, clientId)?.because !== 'date';
}

/** Whether any app still has an old API: after the retirement of all, one with more time has it. */
export function hasOldApi(context: Context): boolean {
  const apps = [undefined, ...context.lifecycle.current().extensions.keys()];
  return apps.some((clientId) => appHasOldApi(context, clientId));
}

/** The retirement comes for each app at its own time. */
const leftIn = (context: Context) => (token: ConnectedToken) =>
  !isCutOver(token) && appHasOldApi(context, provenApp(token));

/**
 * What the rest of an app will need. Undefined where it has more tokens than may be looked at while somebody waits for a
 * page.
 */
export async function outlookOfApp(
  context: Context,
  clientId: string,
  most: number,
): Promise<Outlook[] | undefined> {
  if (!appHasOldApi(context, clientId)) return [];
  const moving = await measureMoving(context, { clientId, most, isMoving: leftIn(context) });
  return moving && reckonAll(context, moving);
}

const counts = z.object({ tokens: z.number(), accounts: z.number() });

const kept = counts.extend({
  apps: z.number().optional(),
  withoutPosts: counts,
  calls: z.array(z.object({ day: z.string(), endpoint: z.string(), calls: z.number() })),
});

/** A text that another version wrote, and nobody can read here, counts as none. */
function readKept({ modern_client_id: modernClientId, body, counted_at: countedAt }: KeptCalls) {
  try {
    return [{ countedAt, moving: { modernClientId, ...kept.parse(JSON.parse(body)) } }];
  } catch {
    return [];
  }
}

/** Kept in the place of a client's id: that all were counted, which the clients do not say where none is to move. */
const WHOLE_COUNT = '';

/** Counts the calls of all tokens that the retirement will move, and keeps them for the pages. */
export async function keepMovingCalls(context: Context): Promise<void> {
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

/** The last count, which a job makes once an hour; undefined where none is kept that this version can read. */
async function lastOutlook(context: Context): Promise<Outlook[] | undefined> {
  const rows = await readKeptCalls(context.store);
  const clients = rows.filter((row) => row.modern_client_id !== WHOLE_COUNT);
  const last = clients.flatMap(readKept);
  if (rows.length === 0 || last.length < clients.length) return undefined;
  const outlooks = await reckonAll(
    context,
    last.map(({ moving }) => moving),
  );
  return outlooks.map((outlook, place) => ({ ...outlook, countedAt: last[place]?.countedAt ?? 0 }));
}

/**
 * What the retirement will ask of each client. Of more tokens than may be looked at now the last count serves; undefined
 * where there is none, because none was made yet or it was lost: that does not say that nothing moves.
 */
export async function outlookOfRetirement(context: Context, most: number): Promise<Outlook[] | undefined> {
  if (!hasOldApi(context)) return [];
  const now = await measureMoving(context, { most, isMoving: leftIn(context) });
  return now ? reckonAll(context, now) : lastOutlook(context);
}
