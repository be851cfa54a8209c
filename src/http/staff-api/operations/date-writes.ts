import { z } from 'zod';
import { findRegisteredApp } from '../../../domain/apps/register-app.ts';
import { cutOverApp } from '../../../domain/cut-over/cut-over-app.ts';
import { outlookOfCutOver, outlookOfRetirement, TOKENS_COUNTED } from '../../../domain/cut-over/outlook.ts';
import { isDoubtful, isShort, verdictWords } from '../../../domain/cut-over/outlook-words.ts';
import type { Outlook } from '../../../domain/cut-over/reckon.ts';
import { setDateOf } from '../../../domain/lifecycle/changes/set-date.ts';
import { DATE_NAMES } from '../../../domain/lifecycle/lifecycle.ts';
import type { HttpStaffApiDeps } from '../deps.ts';
import { count, momentIn, reasonIn, text, timeOrNull, toTimeOrNull, yesNo } from '../answers/parts.ts';
import { operation } from '../operation.ts';
import { ApiProblem, nothingThere } from '../problems/problems.ts';
import { appPath } from './apps.ts';

/** The dates of all apps, and the cut-over of one. Both may need more of the budget at the new API. */

const verdict = z.enum(['suffices', 'short', 'unknown']);

const isConfirmed = z.boolean().optional().meta({
  description: 'Whether to do it although the budget at the new API does not suffice or is not known.',
});

function verdictOf(outlooks: readonly Outlook[] | undefined): z.output<typeof verdict> {
  if (outlooks === undefined) return 'unknown';
  if (isShort(outlooks)) return 'short';
  return isDoubtful(outlooks) ? 'unknown' : 'suffices';
}

const unconfirmedBudget = (outlooks: readonly Outlook[]) =>
  new ApiProblem(
    'needs-confirmation',
    `${verdictWords(outlooks)} Nothing was changed. Send is_confirmed to do it.`,
  );

/** The same rule as that of the command: only a budget that is known to be too small has to be confirmed. */
async function budgetOfRetirement(context: HttpStaffApiDeps, confirmed: boolean) {
  const outlooks = await outlookOfRetirement(context, TOKENS_COUNTED);
  if (outlooks && isShort(outlooks) && !confirmed) throw unconfirmedBudget(outlooks);
  return verdictOf(outlooks);
}

const WRITE = { method: 'post', needs: 'lead', isWrite: true } as const;

export const DATE_WRITES = [
  operation({
    ...WRITE,
    id: 'setDate',
    path: '/dates/{name}',
    tag: 'dates',
    summary: 'Sets or unsets a date of all apps',
    parameters: z.strictObject({ name: z.enum(DATE_NAMES) }),
    body: z.strictObject({
      at: momentIn.nullable().meta({ description: 'null unsets the date.' }),
      reason: reasonIn,
      is_forced: yesNo.optional().meta({ description: 'Whether to set a date that ends old calls at once.' }),
      is_confirmed: isConfirmed,
    }),
    answer: z.object({
      name: text,
      at: timeOrNull,
      before: timeOrNull,
      is_changed: yesNo,
      extensions: count,
      idle_brownouts: count,
      sunset_first: z.object({ all: yesNo, apps: count }),
      budget: verdict,
    }),
    problems: ['not-possible', 'needs-confirmation'],
    async run(context, { path: { name }, body, origin }) {
      const at = body.at ?? undefined;
      const needsBudget = name === 'retirement' && at !== undefined;
      const budget = needsBudget ? await budgetOfRetirement(context, body.is_confirmed === true) : 'suffices';
      const asked = { name, at, reason: body.reason, isForced: body.is_forced === true };
      const set = await setDateOf(context, { ...asked, ...origin });
      return {
        name,
        at: toTimeOrNull(at),
        before: toTimeOrNull(set.before),
        is_changed: set.isChanged,
        extensions: set.extensions,
        idle_brownouts: set.idleBrownouts,
        sunset_first: { all: set.sunsetFirst.isCommon, apps: set.sunsetFirst.apps },
        budget,
      };
    },
  }),
  operation({
    ...WRITE,
    id: 'cutOverApp',
    path: '/apps/{client_id}/cut-over',
    tag: 'apps',
    summary:
      'Lets the new API answer a share of the connected accounts of an app before the retirement; for seven days that can be taken back',
    parameters: appPath,
    body: z.strictObject({ percent: z.int().min(0).max(100), reason: reasonIn, is_confirmed: isConfirmed }),
    answer: z.object({ client_id: text, percent: count, before: count, budget: verdict }),
    problems: ['not-found', 'not-possible', 'needs-confirmation'],
    async run(context, { path: { client_id: clientId }, body: { percent, reason, is_confirmed }, origin }) {
      const app = await findRegisteredApp(context, clientId);
      if (!app) throw nothingThere('No app that was registered or imported has this client id.');
      const before = app.cut_over_percent;
      const outlooks = await outlookOfCutOver(context, clientId, [before, percent]);
      if (percent > before && isDoubtful(outlooks) && is_confirmed !== true)
        throw unconfirmedBudget(outlooks);
      await cutOverApp(context, { clientId, percent, before, reason, ...origin });
      return { client_id: clientId, percent, before, budget: verdictOf(outlooks) };
    },
  }),
];
