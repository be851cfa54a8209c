import { tokenPageOf, tokensWithUsage } from '../../../domain/tokens/app-tokens.ts';
import { type CallsQuery, callersOf } from '../../../domain/usage/callers.ts';
import { type CallSummary, callsOf, programWords } from '../../../domain/usage/calls-of.ts';
import { callDaysOf, lastDays } from '../../../domain/usage/calls-per-day.ts';
import { gapWords, noneSentences, noneWords } from '../../../domain/usage/counted-days.ts';
import type { OwnersDeps } from '../deps.ts';
import { movedSoFar } from '../../../domain/handover/migration-checklist.ts';
import { stackedBars } from '../../charts/charts.ts';
import { appProgress } from './app-progress.ts';
import { byKind } from '../../charts/call-charts.ts';
import { checklist, hasTakenOver, nextStep, stepBadge } from '../move/checklist.ts';
import type { ChecklistStep } from '../move/checklist-step.ts';
import { awaitedWords } from '../move/hand-over-step.ts';
import { cutOverForOwner } from '../../cut-over/cards.ts';
import type { ShownApp } from '../shown-app.ts';
import type { OldApiStatus } from '../../../domain/lifecycle/old-api-status.ts';
import { stateLines } from '../../wording/state-words.ts';
import { tokenLines } from '../tokens/token-lines.ts';

/** The cards on the page of one app, beside the person's own tokens and the dates. */

const DAYS_SHOWN = 30;

/** The calls of these tokens as a chart, with the last call. `chart` is undefined where no call came. */
async function callsCard(context: OwnersDeps, { who, within }: CallsQuery, last: CallSummary['last']) {
  const calls = await callDaysOf(context, who, { days: DAYS_SHOWN });
  const days = lastDays(context, DAYS_SHOWN);
  const counted = within(DAYS_SHOWN);
  const total = calls.reduce((sum, { calls: n }) => sum + n, 0);
  return {
    days: DAYS_SHOWN,
    total,
    isPartial: counted.isPartial,
    none: noneWords('None', counted),
    noneAndGap: noneSentences('None', counted),
    gap: gapWords(counted),
    chart:
      total === 0
        ? undefined
        : stackedBars({
            id: 'calls-chart',
            title: `Calls of the last ${DAYS_SHOWN} days by kind`,
            days,
            isPartial: counted.isPartial,
            series: byKind(days, calls),
          }),
    last: last && { at: last.at, program: programWords(last.userAgent) },
  };
}

/** The further cards for the owner: the calls, the states of all tokens, and the next step of the move. */
export async function ownerCards(context: OwnersDeps, { app, of }: ShownApp, footing: OldApiStatus) {
  const moved = await movedSoFar(context, app.client_id);
  const steps = checklist(moved, { home: `/apps/${app.client_id}`, ...footing });
  const next: ChecklistStep | undefined = steps.find(({ state }) => state !== 'done');
  return {
    calls: await callsCard(context, await callersOf(context, of), moved.calls.last),
    all: stateLines(moved.states, footing),
    progress: await appProgress(context, {
      clientId: app.client_id,
      name: app.name,
      waiting: moved.tokens.waiting,
    }),
    cutOver: await cutOverForOwner(context, app),
    hasTakenOver: hasTakenOver(moved),
    unconfirmed: awaitedWords(moved.handovers),
    steps: {
      done: steps.filter(({ state }) => state === 'done').length,
      all: steps.length,
      each: steps.map((step) => ({
        ...step,
        ...stepBadge(step, footing.phase),
        isNext: step === nextStep(steps),
      })),
    },
    next,
  };
}

/** The further cards for a holder who is not the owner: the calls of their own tokens, and the reason of each state. */
export async function holderCards(context: OwnersDeps, { app, of, reader }: ShownApp) {
  const asked = await callersOf(context, of);
  const { last } = await callsOf(context, asked.who, { days: 1 });
  const page = await tokenPageOf(context, of, { tab: 'all', sort: 'used', position: undefined });
  const { tokens, counted } = await tokensWithUsage(
    context,
    page.keys.map(({ id }) => id),
  );
  const { lines, reasons } = tokenLines(context, tokens, { app, reader });
  return {
    calls: await callsCard(context, asked, last),
    tokenLines: lines,
    reasons,
    gap: gapWords(counted),
    isMore: page.next !== undefined,
  };
}
