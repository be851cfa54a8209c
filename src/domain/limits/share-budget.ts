import { z } from 'zod';
import { SECOND } from '../../shared/lifetimes.ts';
import { findBudget, storeBudget } from '../../store/limits/budgets.ts';
import type { KnownBudget } from '../../upstream/known-budget.ts';
import { LONGEST_WINDOW } from '../../upstream/rate-budget.ts';
import type { LimitsDeps } from './deps.ts';

/**
 * The share changes with every answer, so the process passes a share on at most this often. A pause is passed on at
 * once.
 */
const SHARE_EVERY = 1 * SECOND;

const NOTHING: KnownBudget = { share: 1, saidAt: 0, validUntil: 0, pausedUntil: 0, windows: [] };

const windowsKept = z.array(
  z.object({ limit: z.number(), left: z.number(), seconds: z.number(), validMs: z.number() }),
);

/** Windows that another version stored in an unreadable form count as no windows. */
function readWindows(windows: string | null): KnownBudget['windows'] {
  try {
    return windowsKept.parse(JSON.parse(windows ?? '[]'));
  } catch {
    return [];
  }
}

/** A later time was written by a wrong clock. */
function isPlausible({ saidAt, validUntil, pausedUntil }: KnownBudget, now: number): boolean {
  return saidAt <= now + SECOND && Math.max(validUntil, pausedUntil) <= now + LONGEST_WINDOW + SECOND;
}

/** The newest report on a client's budget that any process has stored. */
export async function sharedBudget(
  { store, clock }: Pick<LimitsDeps, 'store' | 'clock'>,
  modernClientId: string,
): Promise<KnownBudget> {
  const row = await findBudget(store, modernClientId);
  if (!row) return NOTHING;
  const { said_at: saidAt, valid_until: validUntil, paused_until: pausedUntil } = row;
  const windows = readWindows(row.windows);
  const budget = { share: row.share_permille / 1000, saidAt, validUntil, pausedUntil, windows };
  return isPlausible(budget, clock.now()) ? budget : NOTHING;
}

function isNews(own: KnownBudget, shared: KnownBudget, now: number): boolean {
  if (!isPlausible(own, now)) return false;
  const isNewPause = own.pausedUntil > Math.max(shared.pausedUntil, now);
  return isNewPause || (own.saidAt > shared.saidAt && now - shared.saidAt >= SHARE_EVERY);
}

/** A share of which something is left is not stored as 0: then the others would take the budget for spent. */
const permilleOf = (share: number) => (share > 0 ? Math.max(Math.round(share * 1000), 1) : 0);

async function shareOne(context: LimitsDeps, modernClientId: string): Promise<void> {
  const { store, sides, clock } = context;
  const mainApi = sides.mainApiFor(modernClientId);
  const shared = await sharedBudget(context, modernClientId);
  mainApi.learn(shared);
  const own = mainApi.budget();
  if (!isNews(own, shared, clock.now())) return;
  await storeBudget(store, {
    modern_client_id: modernClientId,
    share_permille: permilleOf(own.share),
    said_at: own.saidAt,
    valid_until: own.validUntil,
    paused_until: own.pausedUntil,
    windows: own.windows.length > 0 ? JSON.stringify(own.windows) : null,
  });
}

/**
 * Learns the budgets and pauses of all modern clients from the other processes, and stores the news of this process.
 * Another process may overwrite a longer pause at the same moment: a process that knows the longer pause stores the
 * pause again in its next turn.
 */
export async function shareBudgets(context: LimitsDeps): Promise<void> {
  const clients = new Set([context.server.clientId, ...context.sides.mainApis().keys()]);
  for (const modernClientId of clients) await shareOne(context, modernClientId);
}
