import { readReminderAccount } from '../../store/reminders/reminder-people.ts';
import { waitingTokenOfApps } from '../../store/support/support-app.ts';
import { listMailsTo, type ReminderMail } from '../../store/support/support-pair.ts';
import type { SupportDeps } from './deps.ts';
import { signedInAs } from '../accounts/sessions.ts';
import { roleOf, type StaffRole } from '../accounts/staff.ts';
import { settlerNames } from './timeline.ts';
import { type TokenKeyPage, type TokenListQuery, tokensOfAccountPage } from '../tokens/token-list.ts';
import {
  type AppTokens,
  appsOfOwner,
  stoppedApps,
  tokensOfAccount,
  waitingUnder,
} from '../tokens/tokens-of-account.ts';
import { type ListedTokenRow, tokenRowsOf } from './token-rows.ts';

/** The page of support about one account. */

const MAILS_MAX = 30;

interface AccountDescription {
  account: NonNullable<Awaited<ReturnType<typeof readReminderAccount>>>;
  apps: AppTokens[];
  tokens: ListedTokenRow[];
  /** The page of tokens. */
  page: TokenKeyPage;
  /** Of each app with a waiting token: when and why it stopped, if it did, and one of its waiting tokens. */
  waitingApps: AppThatWaits[];
  owned: Array<{ clientId: string; name: string }>;
  mails: ReminderMail[];
  /** The names of those who settled mails, by account id (`actorNames`). */
  settlers: ReadonlyMap<string, string>;
  /** In how many browsers the account is signed in here. */
  browsers: number;
  role: StaffRole | undefined;
  /** How much waits under the address of the account, which the account has not proven. */
  waiting: { tokens: number; apps: number };
}

/** An app whose tokens wait for the account. */
export interface AppThatWaits {
  clientId: string;
  name: string;
  /** Whether a consent connects only the tokens that the holder chooses, because the app is an unidentified program. */
  isUnidentified: boolean;
  tokens: number;
  stoppedAt: number | undefined;
  /** One of the tokens that wait, by which a link is made. */
  mappingId: string;
}

/** The apps that wait for an account: those that stopped first, the longest first, then those with the most tokens. */
async function appsThatWait(
  context: SupportDeps,
  id: string,
  apps: readonly AppTokens[],
): Promise<AppThatWaits[]> {
  const [stopped, one] = await Promise.all([
    stoppedApps(context, id),
    waitingTokenOfApps(context.store.durable, id),
  ]);
  const tokenOf = new Map(one.map(({ client_id, id: mappingId }) => [client_id, mappingId]));
  const waiting = apps.flatMap(({ clientId, name, isUnidentified, waiting: tokens }) => {
    const mappingId = tokenOf.get(clientId);
    if (tokens === 0 || mappingId === undefined) return [];
    return [{ clientId, name, isUnidentified, tokens, mappingId, stoppedAt: stopped.get(clientId)?.at }];
  });
  const since = ({ stoppedAt = Number.MAX_SAFE_INTEGER }: AppThatWaits) => stoppedAt;
  return waiting.toSorted((a, b) => since(a) - since(b) || b.tokens - a.tokens);
}

/** An account that the bridge has met; undefined for other ids. */
export async function describeAccount(
  context: SupportDeps,
  id: string,
  query: TokenListQuery,
): Promise<AccountDescription | undefined> {
  const { durable } = context.store;
  const account = await readReminderAccount(durable, id);
  if (!account) return undefined;
  const email = account.email?.toLowerCase();
  const people = [`account:${id}`, ...(email === undefined ? [] : [`email:${email}`])];
  const [apps, page, owned, mails, { browsers }, role, waiting] = await Promise.all([
    tokensOfAccount(context, id),
    tokensOfAccountPage(context, { accountId: id }, query),
    appsOfOwner(context, id),
    listMailsTo(durable, { people }, MAILS_MAX),
    signedInAs(context, id),
    roleOf(context, id),
    waitingUnder(context, account.email ?? ''),
  ]);
  return {
    account,
    // The app with the most waiting tokens comes first. Apps with equal numbers stay in the order of their names.
    apps: apps.toSorted((one, other) => other.waiting - one.waiting),
    tokens: await tokenRowsOf(
      context,
      page.keys.map((key) => key.id),
    ),
    page,
    waitingApps: await appsThatWait(context, id, apps),
    owned,
    mails,
    settlers: await settlerNames(context, mails),
    browsers,
    role,
    waiting,
  };
}
