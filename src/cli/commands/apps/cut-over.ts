import { outlookLines } from '../../../domain/cut-over/outlook-lines.ts';
import { type CutOverChange, cutOverApp } from '../../../domain/cut-over/cut-over-app.ts';
import type { Context } from '../../../domain/context.ts';
import { appHasOldApi, outlookOfCutOver } from '../../../domain/cut-over/outlook.ts';
import { isDoubtful } from '../../../domain/cut-over/outlook-words.ts';
import type { Outlook } from '../../../domain/cut-over/reckon.ts';
import { ChangeRefused } from '../../../domain/lifecycle/changes/change-rules.ts';
import { momentText } from '../../../shared/moments.ts';
import { cutOverOf } from '../../../store/cut-over/cut-overs.ts';
import { commandActor } from '../by-option.ts';
import { confirmed } from '../confirm.ts';
import { undoLines } from '../history/undo.ts';
import type { Result } from '../result.ts';
import { withContext } from '../with-context.ts';
import { WrongUsage } from '../wrong-usage.ts';

/** @throws {WrongUsage} */
function percentOf(value: unknown): number {
  const text = String(value);
  if (!/^\d{1,3}$/.test(text) || Number(text) > 100)
    throw new WrongUsage('--percent: must be a whole number from 0 to 100');
  return Number(text);
}

/** The figures of an outlook as JSON. */
export function outlookJson({ modernClientId, withoutPosts, need, windows, saidAt, ...rest }: Outlook) {
  return {
    modern_client_id: modernClientId,
    accounts: rest.accounts,
    apps: rest.apps,
    tokens: rest.tokens,
    without_posts: withoutPosts,
    busiest_day: need.day ?? null,
    calls: need.calls,
    requests: need.requests,
    kinds: need.kinds,
    budget_told_at: saidAt === undefined ? null : momentText(saidAt),
    windows,
    calls_partial: rest.counted !== undefined,
    calls_counted_since: rest.counted?.since === undefined ? null : momentText(rest.counted.since),
    counted_at: rest.countedAt === undefined ? null : momentText(rest.countedAt),
    verdict: rest.verdict,
  };
}

const BACK =
  'The old API answers their calls again. Posts that these accounts have made meanwhile stay at the new API: the bridge does not copy posts back.';

function linesOf(context: Context, change: CutOverChange, outlooks: readonly Outlook[]): string[] {
  if (outlooks.length === 0) return ['No connected account of the app moves.'];
  if (change.percent > change.before) return outlookLines(context, outlooks);
  const accounts = outlooks.reduce((sum, one) => sum + one.accounts, 0);
  return [`${accounts} ${accounts === 1 ? 'account goes' : 'accounts go'} back. ${BACK}`];
}

const DONE =
  'Every process of the bridge applies this to its next call. Nothing changes for tokens that are not connected, and for tokens that the bridge issued.';

/** Why a cut-over moves no call, whatever its percentage; undefined while the old API answers for the app. */
function idleWords(context: Context, clientId: string): string | undefined {
  if (appHasOldApi(context, clientId)) return undefined;
  const why = context.oldBackend
    ? 'The retirement of the app has come'
    : 'LEGACY_BACKEND_URL names no old API';
  return `${why}: the new API already answers all calls of the connected accounts of the app. No call moves now.`;
}

/** The lines after a change. The change takes effect with the next call. */
function doneLines(context: Context, change: CutOverChange, outlooks: readonly Outlook[]): string[] {
  const { clientId, percent, before } = change;
  const idle = idleWords(context, clientId);
  if (idle !== undefined)
    return [`The percentage of the app is ${percent} % now. The percentage was ${before} % before.`, idle];
  const first = `From now on the new API answers ${percent} % of the accounts of the app. The percentage was ${before} % before.`;
  return [first, DONE, ...linesOf(context, change, outlooks)];
}

/**
 * `apps cut-over CLIENT_ID --percent N --reason TEXT [--yes]`: lets the new API answer this share of an app's accounts
 * before the retirement. A lower percentage takes accounts back.
 */
export async function cutOver(
  options: Record<string, unknown>,
  [clientId = '']: readonly string[],
): Promise<Result> {
  const percent = percentOf(options['percent']);
  return withContext(async ({ context }) => {
    const app = await cutOverOf(context.store.durable, clientId);
    if (!app) throw new ChangeRefused('No app that was registered or imported has this client id.');
    const before = app.cut_over_percent;
    const reason = String(options['reason']);
    const change = { clientId, percent, before, reason, actor: commandActor(options) };
    const outlooks = await outlookOfCutOver(context, clientId, [before, percent]);
    const json = {
      client_id: clientId,
      percent,
      before,
      outlook: outlooks.map(outlookJson),
      idle: idleWords(context, clientId) ?? null,
    };
    const lines = outlookLines(context, outlooks);
    if (percent === before) {
      const words = `The percentage of the app is ${percent} % already. Nothing was changed.`;
      return { ok: true, lines: [words], json: { ...json, changed: false } };
    }
    const isAsked = percent > before && isDoubtful(outlooks) && options['yes'] !== true;
    if (isAsked && !(await confirmed(lines, 'Cut the app over all the same?'))) {
      const refused = 'Nothing was changed. To cut the app over all the same, add --yes.';
      return { ok: false, lines: [...lines, refused], json: { ...json, changed: false, needs_yes: true } };
    }
    await cutOverApp(context, change);
    const undo = await undoLines(context, 'cut_over', clientId);
    return {
      ok: true,
      lines: [...doneLines(context, change, outlooks), ...undo],
      json: { ...json, changed: true },
    };
  });
}
