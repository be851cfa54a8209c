import { callDaysOf, callKindsOf, statesOfApp, tokensOfApp } from '../../domain/app-tokens.ts';
import { programWords } from '../../domain/calls-of.ts';
import { lastDays } from '../../domain/calls-per-day.ts';
import type { Context } from '../../domain/context.ts';
import { movedSoFar } from '../../domain/migration-checklist.ts';
import { stackedBars } from '../charts/charts.ts';
import { byEndpoint } from './call-charts.ts';
import { checklist, type Step } from './checklist.ts';
import type { ShownApp } from './shown-app.ts';
import { type Phase, stateLines } from './state-words.ts';
import { tokenLines } from './token-lines.ts';

/** What the page of one app shows beside the own tokens and the dates. */

const DAYS_SHOWN = 30;

/** The calls that the reader may see, as a chart, with the last one; `chart` is undefined where there was none. */
export async function callsCard(context: Context, { of }: ShownApp) {
  const calls = await callDaysOf(context, of, { days: DAYS_SHOWN });
  const { last } = await callKindsOf(context, of, { days: 1 });
  const days = lastDays(context, DAYS_SHOWN);
  const total = calls.reduce((sum, { calls: n }) => sum + n, 0);
  return {
    days: DAYS_SHOWN,
    total,
    chart:
      total === 0
        ? undefined
        : stackedBars({
            id: 'calls-chart',
            title: `Calls of the last ${DAYS_SHOWN} days by endpoint`,
            days,
            series: byEndpoint(days, calls),
          }),
    last: last && { at: last.at, program: programWords(last.userAgent) },
  };
}

/** What an owner sees besides: how all tokens are, and the next step of the move. */
export async function ownerCards(context: Context, { app }: ShownApp, phase: Phase) {
  const counts = await statesOfApp(context, app.client_id);
  const steps = checklist(await movedSoFar(context, app.client_id), `/apps/${app.client_id}`);
  const next: Step | undefined = steps.find(({ state }) => state !== 'done');
  return {
    all: stateLines(counts, phase),
    steps: { done: steps.filter(({ state }) => state === 'done').length, all: steps.length },
    next,
  };
}

/** What a holder who is not the owner sees besides: each own token and why it is as it is. */
export async function holderCards(context: Context, { of, reader }: ShownApp, phase: Phase) {
  const { tokens, next } = await tokensOfApp(context, of);
  return { tokenLines: tokenLines(tokens, { reader, phase }), isMore: next !== undefined };
}
