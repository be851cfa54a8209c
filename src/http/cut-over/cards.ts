import type { HttpCutOverDeps } from './deps.ts';
import { appHasOldApi, outlookOfApp, outlookOfRetirement } from '../../domain/cut-over/outlook.ts';
import { adviceWords, isDoubtful, outlookWords, verdictWords } from '../../domain/cut-over/outlook-words.ts';
import type { Outlook } from '../../domain/cut-over/reckon.ts';
import { countWithoutPosts } from '../../domain/cut-over/without-posts.ts';
import { timeWords } from '../wording/dates/words.ts';

/** What pages show of calls that move to the new API: the budget for the calls, and how far apps are cut over. */

/** At most this many tokens are read while a person waits for a page. */
const TOKENS_READ = 2000;

/** The budget for the calls that will move; undefined where no call will move. */
interface BudgetCard {
  isDoubtful: boolean;
  verdict: string;
  lines: string[];
  advice: string | undefined;
}

function budgetCard({ server }: HttpCutOverDeps, outlooks: readonly Outlook[]): BudgetCard | undefined {
  if (outlooks.length === 0) return undefined;
  const reader = { time: timeWords, sharedClientId: server.clientId };
  return {
    isDoubtful: isDoubtful(outlooks),
    verdict: verdictWords(outlooks),
    lines: outlooks.map((outlook) => outlookWords(outlook, reader).join(' ')),
    advice: adviceWords(outlooks, server.clientId),
  };
}

/** Shown for very many tokens until the hourly job has counted the tokens that move. */
const UNCOUNTED: BudgetCard = {
  isDoubtful: false,
  verdict: 'What the retirement moves to the new API has not been counted yet.',
  lines: ['It is counted once an hour.'],
  advice: undefined,
};

/**
 * For the first page of support: whether the clients at the new API can carry the load that the retirement will bring.
 */
export async function budgetOfRetirement(context: HttpCutOverDeps): Promise<BudgetCard | undefined> {
  const outlooks = await outlookOfRetirement(context, TOKENS_READ);
  return outlooks ? budgetCard(context, outlooks) : UNCOUNTED;
}

/** An app and how far it is cut over. */
interface CutOverApp {
  client_id: string;
  cut_over_percent: number;
  cut_over_reason: string | null;
  cut_over_at: number | null;
}

/** For support: how far an app is cut over, and the budget that the rest of the app will need. */
export async function cutOverOfApp(context: HttpCutOverDeps, app: CutOverApp) {
  const { client_id: clientId, cut_over_percent: percent } = app;
  if (!appHasOldApi(context, clientId)) return undefined;
  const outlooks = await outlookOfApp(context, clientId, TOKENS_READ);
  return {
    percent,
    change: app.cut_over_at === null ? undefined : { at: app.cut_over_at, reason: app.cut_over_reason ?? '' },
    budget: outlooks && budgetCard(context, outlooks),
    isTooMany: outlooks === undefined,
  };
}

/** For the owner: how far the app is cut over, and how many accounts the new API would refuse. */
export async function cutOverForOwner(context: HttpCutOverDeps, app: CutOverApp) {
  const { client_id: clientId, cut_over_percent: percent } = app;
  if (!appHasOldApi(context, clientId)) return undefined;
  const counted = await countWithoutPosts(context, clientId, TOKENS_READ);
  return counted.accounts === 0 ? undefined : { percent, ...counted };
}
