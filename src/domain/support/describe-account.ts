import type { MappingRow } from '../../store/tokens/find-mappings.ts';
import { readAccount } from '../../store/reminders/reminder-people.ts';
import { tokensOfHolder } from '../../store/support/support-app.ts';
import { listMailsTo, type ReminderMail } from '../../store/support/support-pair.ts';
import type { Context } from '../context.ts';
import { signedInAs } from '../accounts/sessions.ts';
import { roleOf, type StaffRole } from '../accounts/staff.ts';
import { type AppTokens, appsOfOwner, tokensOfAccount, waitingUnder } from '../tokens/tokens-of-account.ts';

/** Everything that support sees of one account. */

/** Tokens that are listed one by one; the counts by app have all. */
const TOKENS_MAX = 100;

const MAILS_MAX = 30;

interface AccountDescription {
  account: NonNullable<Awaited<ReturnType<typeof readAccount>>>;
  apps: AppTokens[];
  tokens: MappingRow[];
  isMore: boolean;
  owned: Array<{ clientId: string; name: string }>;
  mails: ReminderMail[];
  /** In how many browsers it is signed in here. */
  browsers: number;
  role: StaffRole | undefined;
  /** What waits under its address, which the account has not proven. */
  waiting: { tokens: number; apps: number };
}

/** An account that anything here ever named; undefined for others. */
export async function describeAccount(context: Context, id: string): Promise<AccountDescription | undefined> {
  const { durable } = context.store;
  const account = await readAccount(durable, id);
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
    // The most tokens that wait first; of others the order stays that of the names.
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
