import type { Request, RequestHandler, Router } from 'express';
import type { HttpSupportDeps } from '../deps.ts';
import { changesCalls, type Lifecycle } from '../../../domain/lifecycle/lifecycle.ts';
import type { StaffRole } from '../../../domain/accounts/staff.ts';
import { type AppTokensQuery, describeApp, type ExtensionRow } from '../../../domain/support/describe-app.ts';
import { forecastOfApps } from '../../../domain/progress/forecaster.ts';
import { forecastSentences } from '../../wording/forecast-words.ts';
import { gapWords } from '../../../domain/usage/counted-days.ts';
import { areAllOver, totalOf } from '../../../domain/tokens/states-of-app.ts';
import { newestDeedsOfApp } from '../../../domain/take-back/look.ts';
import { actorNames, timelineOfApp } from '../../../domain/support/timeline.ts';
import { stackedBars } from '../../charts/charts.ts';
import { byKind } from '../../charts/call-charts.ts';
import { cutOverOfApp } from '../../cut-over/cards.ts';
import { leadToFind } from '../../tables/find-form.ts';
import { readTable, type TableQuery } from '../../tables/table-query.ts';
import { TOKEN_TABLE, tokenTable } from '../../tables/token-table.ts';
import type { TokenSort, TokenTab } from '../../../domain/tokens/token-list.ts';
import { appLifecycleNow, dateCard } from '../../wording/dates/card.ts';
import { PageError } from '../../pages/page-error.ts';
import { type PageShell } from '../../site/page-shell.ts';
import { roleIn } from '../../site/reader.ts';
import { stateLines } from '../../wording/state-words.ts';
import { isExtendable } from '../actions/act-extend.ts';
import { appActionsFor } from '../actions/action-list.ts';
import { takeBackOffers } from '../actions/act-take-back.ts';
import { inVainWords } from '../actions/extension-words.ts';
import { beforeIn, shownTimeline } from '../timeline/timeline.ts';
import { whoWords } from '../timeline/timeline-words.ts';
import { oldApiStatusNow } from '../../../domain/lifecycle/old-api-status.ts';
import { tokenLine } from '../token/token-line.ts';
import { nextStepOfApp } from './next-step.ts';

/** /support/apps/:clientId: one app with its owner, dates, tokens, calls and history. */

type AppDescription = NonNullable<Awaited<ReturnType<typeof describeApp>>>;

const addressOf = (clientId: string) => `/support/apps/${encodeURIComponent(clientId)}`;

async function described(
  { context }: PageShell,
  req: Request,
  query: AppTokensQuery,
): Promise<AppDescription> {
  const found = await describeApp(context, String(req.params['clientId']), query);
  if (found) return found;
  throw new PageError(404, 'There is no such app', {
    reason: 'The address names an app that is not known here.',
    next: 'Check the address, or search for the app’s name under “Search”.',
  });
}

const SOURCES: Record<AppDescription['app']['source'], string> = {
  registered: 'registered here',
  imported: 'imported',
  demo: 'of the demo',
  observed: 'an unidentified program, by the name that it calls itself',
};

function shownApp({ app, callbacks, contacts }: AppDescription) {
  const ownerId = app.owner_account_id;
  return {
    clientId: app.client_id,
    name: app.name,
    source: SOURCES[app.source],
    isUnidentified: app.source === 'observed',
    createdAt: app.created_at,
    retiredAt: app.retired_at ?? undefined,
    owner:
      ownerId === null ? (app.owner_email ?? undefined) : (app.owner_name ?? app.owner_address ?? ownerId),
    ownerHref: ownerId === null ? undefined : `/support/accounts/${encodeURIComponent(ownerId)}`,
    callbacks,
    contacts,
  };
}

const DATES: Record<ExtensionRow['name'], string> = { retirement: 'Retirement', sunset: 'Sunset' };

function extensionLine(
  row: ExtensionRow,
  {
    now,
    names,
    lifecycle,
    hasBackend,
  }: { now: number; names: ReadonlyMap<string, string>; lifecycle: Lifecycle; hasBackend: boolean },
) {
  const [ofAll, isChange] = [lifecycle.dates[row.name], changesCalls(row.name, hasBackend)];
  const readers = { names, holderId: undefined };
  return {
    of: DATES[row.name],
    until: row.until,
    reason: row.reason,
    by: whoWords(row.granted_by, readers),
    grantedAt: row.granted_at,
    endedAt: row.ended_at ?? undefined,
    isOver: row.ended_at === null && row.until <= now,
    inVain: inVainWords({ milestone: row.name, until: row.until, ofAll, changesCalls: isChange }),
  };
}

/** Whether an extension is in force. */
const isExtended = ({ extensions }: AppDescription, now: number) =>
  extensions.some(({ ended_at, until }) => ended_at === null && until > now);

/** When the last token is connected, in sentences; none where no token waits now. */
async function shownForecast(context: HttpSupportDeps, { app, counts }: AppDescription): Promise<string[]> {
  const { unmapped = 0, reauthorization_required: stopped = 0 } = counts;
  if (unmapped + stopped === 0 || app.retired_at !== null) return [];
  const forecast = (await forecastOfApps(context, [app.client_id])).get(app.client_id);
  return forecast ? forecastSentences(forecast, appLifecycleNow(context, app.client_id)) : [];
}

async function shownTokens(
  context: HttpSupportDeps,
  { app, counts, tokens, page }: AppDescription,
  query: TableQuery<TokenTab, TokenSort>,
) {
  const path = addressOf(app.client_id);
  return {
    states: stateLines(counts, oldApiStatusNow(context, app.client_id)),
    total: totalOf(counts),
    lines: tokens.map((row) => tokenLine(context, row)),
    table: await tokenTable(context, query, {
      path,
      page,
      finds: 'Find by the holder’s name or address, or by four characters',
      anchor: 'tokens',
    }),
  };
}

function shownChart({ calls, days, counted: { isPartial } }: AppDescription): string {
  const chart = { id: 'calls', title: 'Calls of the last 30 days, by kind', days, isPartial };
  return stackedBars({ ...chart, series: byKind(days, calls) });
}

async function shownDates(context: HttpSupportDeps, { app }: AppDescription) {
  const card = await dateCard(context, { clientId: app.client_id, isOwner: true });
  // Only the owner may rehearse.
  return { ...card, isRehearsable: false };
}

async function shownCutOver(
  context: HttpSupportDeps,
  { app }: AppDescription,
  names: ReadonlyMap<string, string>,
) {
  const cutOver = await cutOverOfApp(context, app);
  const by = whoWords(app.cut_over_by ?? '', { names, holderId: undefined });
  return cutOver && { ...cutOver, by };
}

function shownNext(context: HttpSupportDeps, description: AppDescription) {
  const { app, counts, client, handovers, calls } = description;
  const { owner, ownerHref, isUnidentified } = shownApp(description);
  const { phase, hasOldApi } = oldApiStatusNow(context, app.client_id);
  return nextStepOfApp({
    path: addressOf(app.client_id),
    counts,
    phase,
    hasOldApi,
    isRetired: app.retired_at !== null,
    isUnidentified,
    hasClient: client !== undefined,
    awaited: handovers.awaited,
    isAwaitedPart: handovers.isAwaitedPart,
    hasCalled: calls.some(({ calls: n }) => n > 0),
    owner,
    ownerHref,
  });
}

function show(frame: PageShell): RequestHandler {
  return async (req, res) => {
    const { context } = frame;
    const query = readTable(req, TOKEN_TABLE);
    const all = await described(frame, req, query);
    const { app, client, extensions } = all;
    const at = beforeIn(req);
    const isUnidentified = app.source === 'observed';
    const isOwned = !isUnidentified && app.retired_at === null;
    const facts = {
      clientId: app.client_id,
      isOwned,
      isExtendable: isOwned && isExtendable(context),
      isExtended: isOwned && isExtended(all, context.clock.now()),
    };
    const role = roleIn(res) as StaffRole;
    const history = await timelineOfApp(context, app.client_id, at);
    const names = await actorNames(context, [app.cut_over_by, ...extensions.map((one) => one.granted_by)]);
    frame.page(res, 'support-app', {
      title: app.name,
      wide: true,
      app: shownApp(all),
      next: shownNext(context, all),
      actions: [
        ...appActionsFor(role, facts),
        ...takeBackOffers(role, await newestDeedsOfApp(context, app.client_id)),
      ],
      dates: await shownDates(context, all),
      isOver: areAllOver(all.counts),
      extensions: extensions.map((row) => extensionLine(row, { ...appLifecycleNow(context), names })),
      client,
      cutOver: isUnidentified ? undefined : await shownCutOver(context, all, names),
      tokens: await shownTokens(context, all, query),
      forecast: await shownForecast(context, all),
      chart: shownChart(all),
      gap: gapWords(all.counted),
      timeline: await shownTimeline(context, history, {
        path: addressOf(app.client_id),
        at,
        role,
        holderId: app.owner_account_id ?? undefined,
        holderIs: 'the app’s owner',
      }),
    });
  };
}

/** Adds /support/apps/:clientId. */
export function supportAppRoutes(router: Router, frame: PageShell): void {
  router.get('/support/apps/:clientId', show(frame));
  router.post('/support/apps/:clientId', leadToFind);
}
