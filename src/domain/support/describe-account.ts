import type { MappingRow } from '../../store/tokens/find-mappings.ts';
import { readReminderAccount } from '../../store/reminders/reminder-people.ts';
import { tokensOfHolder } from '../../store/support/support-app.ts';
import { listMailsTo, type ReminderMail } from '../../store/support/support-pair.ts';
import type { SupportDeps } from './deps.ts';
import { signedInAs } from '../accounts/sessions.ts';
import { roleOf, type StaffRole } from '../accounts/staff.ts';
import { type AppTokens, appsOfOwner, tokensOfAccount, waitingUnder } from '../tokens/tokens-of-account.ts';

/** The page of support about one account. */

/** How many tokens are listed one by one. The counts by app include all tokens. */
const TOKENS_MAX = 100;

const MAILS_MAX = 30;

interface AccountDescription {
  account: NonNullable<Awaited<ReturnType<typeof readReminderAccount>>>;
  apps: AppTokens[];
  tokens: MappingRow[];
  isMore: boolean;
  owned: Array<{ clientId: string; name: string }>;
  mails: ReminderMail[];
  /** In how many browsers the account is signed in here. */
  browsers: number;
  role: StaffRole | undefined;
  /** How much waits under the address of the account, which the account has not proven. */
  waiting: { tokens: number; apps: number };
}

/** An account that the bridge has met; undefined for other ids. */
export async function describeAccount(
  context: SupportDeps,
  id: string,
): Promise<AccountDescription | undefined> {
  const { durable } = context.store;
  const account = await readReminderAccount(durable, id);
  if (!account) return undefined;
  const email = account.email?.toLowerCase();
  const people = [`account:${id}`, ...(email === undefined ? [] : [`email:${email}`])];
  const [apps, tokens, owned, mails, { browsers }, role, waiting] = await Promise.all([
    tokensOfAccount(context, id),
    tokensOfHolder(durable, id, TOKENS_MAX + 1),
    appsOfOwner(context, id),
    listMailsTo(durable, { people }, MAILS_MAX),
    signedInAs(context, id),
    roleOf(context, id),
    waitingUnder(context, account.email ?? ''),
  ]);
  const isMore = tokens.length > TOKENS_MAX;
  return {
    account,
    // The app with the most waiting tokens comes first. Apps with equal numbers stay in the order of their names.
    apps: apps.toSorted((one, other) => other.waiting - one.waiting),
    tokens: tokens.slice(0, TOKENS_MAX),
    isMore,
    owned,
    mails,
    browsers,
    role,
    waiting,
  };
}
