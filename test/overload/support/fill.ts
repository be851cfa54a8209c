import type { Context } from '../../../src/domain/context.ts';
import { sealPair } from '../../../src/domain/grants/sealed-pair.ts';
import { DAY } from '../../../src/shared/lifetimes.ts';
import { READING } from './slow-api.ts';

/** Connected tokens, written through the bridge's own store and keys: a consent for each would take too long. */

const AT_ONCE = 200;

const idOf = (kind: string, number: number) => kind + number.toString(16).padStart(24 - kind.length, '0');

/** The token of a number, spread over apps in turn. */
export const tokenOf = (number: number) => `1/${idOf('7', number)}${'0'.repeat(8)}`;

function rowsOf(context: Context, number: number, { clientId, now }: { clientId: string; now: number }) {
  const [grantId, accountId, token] = [idOf('9', number), idOf('a', number), tokenOf(number)];
  const received = {
    accessToken: `access-${number}`,
    refreshToken: `refresh-${number}`,
    scope: 'account:read posts:read posts:write offline_access',
    lifetime: DAY,
  };
  const sealed = sealPair(context, { id: grantId, version: 1, sentAt: now }, received);
  return {
    account: { account_id: accountId, updated_at: now },
    grant: {
      id: grantId,
      client_id: clientId,
      account_id: accountId,
      modern_client_id: context.server.clientId,
      state: 'ready' as const,
      version: 1,
      access_token_sealed: sealed.accessTokenSealed,
      refresh_token_sealed: sealed.refreshTokenSealed,
      scope: sealed.scope,
      access_expires_at: now + DAY,
      refresh_at: now + DAY,
      rotated_at: now,
      created_at: now,
      updated_at: now,
    },
    mapping: {
      id: idOf('b', number),
      token_digest: context.vault.digest(token),
      hint_first: token.slice(2, 6),
      hint_last: token.slice(-4),
      client_id: clientId,
      account_id: accountId,
      grant_id: grantId,
      state: 'active' as const,
      source: 'issued' as const,
      created_at: now,
      updated_at: now,
    },
    answer: {
      grant_id: grantId,
      body: JSON.stringify(READING),
      organization_ids: JSON.stringify(READING.account.organizations.map(({ id }) => id)),
      fetched_at: now,
    },
  };
}

/** Connects this many tokens of these apps in turn, each with a fresh answer of the new API. */
export async function connectTokens(context: Context, count: number, apps: readonly string[]): Promise<void> {
  const now = context.clock.now();
  for (let from = 0; from < count; from += AT_ONCE) {
    const numbers = Array.from({ length: Math.min(AT_ONCE, count - from) }, (_, n) => from + n);
    const rows = numbers.map((n) => rowsOf(context, n, { clientId: apps[n % apps.length] ?? '', now }));
    const { durable, volatile } = context.store;
    await durable
      .insertInto('accounts')
      .values(rows.map(({ account }) => account))
      .execute();
    await durable
      .insertInto('grants')
      .values(rows.map(({ grant }) => grant))
      .execute();
    await durable
      .insertInto('mappings')
      .values(rows.map(({ mapping }) => mapping))
      .execute();
    await volatile
      .insertInto('answers')
      .values(rows.map(({ answer }) => answer))
      .execute();
  }
}
