import { momentText } from '../../shared/moments.ts';
import { outlookLines } from '../cut-over/outlook-lines.ts';
import { hasOldApi, outlookOfRetirement, TOKENS_COUNTED } from '../cut-over/outlook.ts';
import { isDoubtful } from '../cut-over/outlook-words.ts';
import { findRefreshTrouble, troubleWords } from '../grants/refresh/refresh-trouble.ts';
import { countOfUnknownClients } from '../../store/grants/unknown-clients.ts';
import { examineDates } from './check-dates.ts';
import type { ChecksDeps } from './deps.ts';
import { type CheckFinding, type CheckVerdict, notLookedAt, ok, warning } from './verdict.ts';

/** The checks of `doctor` that only read the database and the settings, so that a running bridge can make them too. */

/** At most so many connections are looked at: SQLite holds up the process while a statement runs. */
const CONNECTIONS_READ = 20_000;

/** Connections whose client was the bridge's before MODERN_CLIENT_ID was changed; undefined where there are none. */
async function unknownClientsWords({ store, server }: ChecksDeps): Promise<string | undefined> {
  const { read, clients } = await countOfUnknownClients(store.durable, server.clientId, CONNECTIONS_READ);
  if (clients.length === 0) return undefined;
  const each = clients.map(({ id, n }) => `${n} of ${id}`).join(', ');
  const among = read === CONNECTIONS_READ ? ` Of all connections only ${read} were looked at.` : '';
  return `Connections stand on a client that this bridge does not know, and are not renewed: ${each}.${among} Set MODERN_CLIENT_ID back; otherwise their people have to connect again.`;
}

/**
 * Refreshing resumes by itself, so its trouble is a warning and fails nothing. A copy refreshes nothing, whatever its
 * rows say.
 */
export async function examineRefreshing(context: ChecksDeps): Promise<CheckVerdict> {
  if (context.instance.isCopy()) return notLookedAt('a restored copy refreshes nothing');
  const [trouble, unknown] = [await findRefreshTrouble(context), await unknownClientsWords(context)];
  const words = [trouble && troubleWords(trouble, momentText), unknown].filter((one) => one !== undefined);
  return words.length === 0 ? ok('refreshing is not stopped') : warning(words.join(' '));
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
