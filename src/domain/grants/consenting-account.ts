import { setTimeout as delay } from 'node:timers/promises';
import { SECOND } from '../../shared/lifetimes.ts';
import { upsertAccount } from '../../store/accounts/accounts.ts';
import type { Database } from '../../store/driver/store.ts';
import type { ModernAccount } from '../../upstream/main-api.ts';
import { type TokenPair, Unavailable } from '../../upstream/outcomes.ts';
import type { GrantsDeps } from './deps.ts';
import type { GrantClient } from './grant-client.ts';
import { mainApiOf } from './main-api-of.ts';
import type { HistoryChange } from '../history/record-event.ts';

/**
 * Finds the account of a consent. The main API names the account when it is called with the access token of the
 * consent.
 */

/** The token pair of a new consent. `sentAt` is the time at which the request for the pair left. */
export interface ConsentedPair extends Pick<GrantClient, 'calling'> {
  pair: TokenPair;
  sentAt: number;
  /** The client through which the consent was given. */
  modernClientId: string;
}

const READ_ATTEMPTS = 3;
const LONGEST_WAIT = 3 * SECOND;

/**
 * Milliseconds until the account of a consent can be read; 0 where it can be read now, or soon enough to wait for it. During a longer
 * pause of the client a consent is worth nothing: its pair would be dropped, and its grant would live on at the new API.
 */
export function consentWait(
  { sides, clock }: Pick<GrantsDeps, 'sides' | 'clock'>,
  modernClientId: string,
): number {
  const wait = sides.mainApiFor(modernClientId).pausedUntil() - clock.now();
  return wait > LONGEST_WAIT ? wait : 0;
}

/**
 * The account of a consent. A failed read is repeated: without the account the pair cannot be stored, and the person
 * would have to start again.
 * @throws {Unauthorized | Forbidden | Unavailable}
 */
export async function readConsentingAccount(
  context: GrantsDeps,
  { pair, ...client }: Pick<ConsentedPair, 'pair' | 'modernClientId' | 'calling'>,
): Promise<ModernAccount> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const mainApi = mainApiOf(context, client);
      const { account } = await mainApi.read(pair.accessToken, [], { isUrgent: true });
      return account;
    } catch (error) {
      const wait = error instanceof Unavailable ? (error.retryAfter ?? SECOND / 2) : Number.POSITIVE_INFINITY;
      if (attempt >= READ_ATTEMPTS || wait > LONGEST_WAIT) throw error;
      await delay(wait);
    }
  }
}

/**
 * Stores the account as the new API describes it. Returns the history entries for the caller to record: one if the
 * account is new or has changed, else none.
 */
export async function keepAccount(
  tx: Database,
  account: ModernAccount,
  by: Pick<HistoryChange, 'at' | 'actor' | 'requestId'>,
): Promise<HistoryChange[]> {
  const { id, email, name, timezone } = account;
  const row = {
    account_id: id,
    email,
    name: name ?? null,
    timezone: timezone ?? null,
    updated_at: by.at,
  };
  const isNews = await upsertAccount(tx, row);
  const change = { ...by, action: 'account_changed', reason: 'the new API says so', accountId: id };
  return isNews ? [change] : [];
}
