import { momentText } from '../../shared/moments.ts';
import { outlookLines } from '../cut-over/outlook-lines.ts';
import { hasOldApi, outlookOfRetirement, TOKENS_COUNTED } from '../cut-over/outlook.ts';
import { isDoubtful } from '../cut-over/outlook-words.ts';
import { findRefreshTrouble, troubleWords } from '../grants/refresh/refresh-trouble.ts';
import { examineDates } from './check-dates.ts';
import type { ChecksDeps } from './deps.ts';
import { type CheckFinding, type CheckVerdict, notLookedAt, ok, warning } from './verdict.ts';

/** The checks of `doctor` that only read the database and the settings, so that a running bridge can make them too. */

/**
 * Refreshing resumes by itself, so its trouble is a warning and fails nothing. A copy refreshes nothing, whatever its
 * rows say.
 */
export async function examineRefreshing(context: ChecksDeps): Promise<CheckVerdict> {
  if (context.instance.isCopy()) return notLookedAt('a restored copy refreshes nothing');
  const trouble = await findRefreshTrouble(context);
  return trouble === undefined ? ok('refreshing is not stopped') : warning(troubleWords(trouble, momentText));
}

/**
 * Whether the clients at the new API can carry the load of the retirement. A doubtful budget is a warning, not a
 * failure.
 */
export async function examineBudget(context: ChecksDeps): Promise<CheckVerdict> {
  if (!hasOldApi(context)) return ok('no old API answers calls, so the retirement moves no call');
  const outlooks = await outlookOfRetirement(context, TOKENS_COUNTED);
  if (outlooks === undefined)
    return notLookedAt(
      'there are too many connected tokens to count here, and no running bridge has stored a count',
    );
  if (outlooks.length === 0)
    return ok('at the last count, no connected token still had to move to the new API');
  const words = `at the retirement, ${outlookLines(context, outlooks).join(' ')}`;
  return isDoubtful(outlooks) ? warning(words) : ok(words);
}

/** Whether reminders about the dates are sent; `where` is what is said where they are. */
export function examineReminders(sendsReminders: boolean, where: string): CheckVerdict {
  if (sendsReminders) return ok(where);
  return warning(
    'no reminders are planned or sent: set SMTP_URL, production needs a mail server for reminders. The dates come even if nobody was told',
  );
}

/** Every one of them, in the order of `doctor`. */
export async function examineOwn(context: ChecksDeps): Promise<CheckFinding[]> {
  const where = 'reminders are planned. Where they go, the command doctor says';
  return [
    { check: 'refreshing', ...(await examineRefreshing(context)) },
    { check: 'dates', ...(await examineDates(context)) },
    { check: 'budget', ...(await examineBudget(context)) },
    {
      check: 'reminders',
      ...(context.instance.isCopy()
        ? notLookedAt('a restored copy plans and sends none')
        : examineReminders(context.settings.sendsReminders, where)),
    },
  ];
}
