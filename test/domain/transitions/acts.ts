import { attachTokens } from '../../../src/domain/tokens/attach-tokens.ts';
import { assignByHand } from '../../../src/domain/tokens/assign-token.ts';
import { endGrant } from '../../../src/domain/grants/end-grant.ts';
import { deauthorize } from '../../../src/domain/tokens/deauthorize.ts';
import { exchangeCode } from '../../../src/domain/authorization/exchange-code.ts';
import { handOver } from '../../../src/domain/handover/hand-over.ts';
import { storeRotatedPair } from '../../../src/domain/grants/refresh/store-rotated-pair.ts';
import { noteClaim } from '../../../src/domain/old-api/note-claim.ts';
import { observeToken } from '../../../src/domain/old-api/observe-token.ts';
import { endWaiting } from '../../../src/domain/old-api/old-backend-ends.ts';
import { pinByHand } from '../../../src/domain/accounts/pin-by-hand.ts';
import { revokeToken } from '../../../src/domain/tokens/revoke-token.ts';
import { sealPair } from '../../../src/domain/grants/sealed-pair.ts';
import { storeGrant, storeGrantForTokens } from '../../../src/domain/grants/store-grant.ts';
import { newHexId } from '../../../src/shared/ids.ts';
import { insertCode } from '../../../src/store/authorization/legacy-codes.ts';
import { findMappingById } from '../../../src/store/tokens/mappings.ts';
import { createOldBackend } from '../../../src/upstream/old-backend.ts';
import { startOldBackend } from '../../support/servers/old-backend.ts';
import type { History } from '../support/histories.ts';
import { addApp, addGrant, addToken, type Case, ORIGIN } from './cases.ts';

/** What happens to tokens: the use cases themselves, with as little around them as they need. */

export type Act = (history: History, given: Case) => Promise<unknown>;

const pair = { accessToken: 'a', refreshToken: 'r', lifetime: 3_600_000, scope: 'account:read' };

export const consentOf = ({ clientId, accountId }: Case) => ({
  clientId,
  account: { id: accountId, email: 'x@people.example', organizations: [] },
  pair,
  sentAt: Date.now(),
  modernClientId: 'bridge',
  origin: ORIGIN,
});

const accounts: Array<{ user: { id: string }; tokens: string[] }> = [];
let old: Awaited<ReturnType<typeof startOldBackend>>;

/** An old backend that the tests of a file ask. */
export function withOldBackend(): void {
  beforeAll(async () => void (old = await startOldBackend({ accounts })));
  afterAll(() => old.close());
}

/** A call with a token that the old backend knows by this user id. */
export function see(
  { context }: History,
  { token, clientId, userId }: Pick<Case, 'token' | 'clientId'> & { userId: string },
): Promise<boolean> {
  accounts.push({ user: { id: userId }, tokens: [token] });
  const asking = { ...context, oldBackend: createOldBackend(old.url) };
  return observeToken(asking, { token, clientId, userAgent: undefined, requestId: 'r' });
}

export const consent: Act = ({ context }, given) => storeGrant(context, consentOf(given));
export const reauthorize: Act = ({ context }, given) => storeGrantForTokens(context, consentOf(given));
export const adopt: Act = ({ context }, { clientId, accountId }) =>
  context.store.transaction((tx) => attachTokens(context, tx, { clientId, accountId, ...ORIGIN }));
export const bury: Act = async ({ context }, { grantId }) => {
  const grant = await context.store.durable
    .selectFrom('grants')
    .selectAll()
    .where('id', '=', grantId)
    .executeTakeFirstOrThrow();
  await endGrant(context, grant, 'refused');
};
/** The pair of a doubtful presentation comes when the grant is given up already. */
export const loseAndFind: Act = async ({ context, db }, { grantId }) => {
  const doubted = { state: 'in_doubt', claim_id: 'c', presented_at: 1 } as const;
  await db.updateTable('grants').set(doubted).where('id', '=', grantId).execute();
  const row = db.selectFrom('grants').selectAll().where('id', '=', grantId);
  await endGrant(context, await row.executeTakeFirstOrThrow(), 'lost');
  const sealed = sealPair(context, { id: grantId, version: 2, sentAt: Date.now() }, pair);
  await storeRotatedPair(context, { grantId, version: 1, pair: sealed });
};
export const deauthorizePair: Act = ({ context }, { clientId, accountId }) =>
  deauthorize(context, { clientId, accountId }, { ...ORIGIN, reason: 'a test' });
export const revoke: Act = ({ context }, { mappingId }) =>
  revokeToken(context, { mappingId, reason: 'lost laptop', ...ORIGIN });

/** The client of the grant is the app's own, which it uses now. */
async function useOwnClient({ db }: History, clientId: string) {
  const client = { id: 'bridge', client_id: clientId };
  await db
    .insertInto('modern_clients')
    .values({ ...client, scopes: 'account:read', proven_at: 0 })
    .onConflict((row) => row.column('id').doUpdateSet({ client_id: clientId }))
    .execute();
  const use = db.updateTable('apps').set({ modern_client_id: client.id });
  await use.where('client_id', '=', clientId).execute();
  return client;
}

/** By another token of the pair, which is served. */
export const handOverPair: Act = async (history, given) => {
  const { token } = await addToken(history, 'active', given);
  const client = await useOwnClient(history, given.clientId);
  await handOver(history.context, { client, token, origin: ORIGIN });
};
/** By the token itself, whatever it is. */
export const handOverIt: Act = async (history, { clientId, token }) => {
  const client = await useOwnClient(history, clientId);
  await handOver(history.context, { client, token, origin: ORIGIN });
};
export const refused =
  (act: Act, error: string): Act =>
  (history, given) =>
    expect(act(history, given)).rejects.toThrow(error);

export const replayCode: Act = async ({ context }, { clientId, accountId, grantId, mappingId }) => {
  const code = newHexId();
  await insertCode(context.store.durable, {
    code_digest: context.vault.digest(code),
    client_id: clientId,
    redirect_uri: 'https://a.example/',
    redirect_uri_given: 1,
    account_id: accountId,
    grant_id: grantId,
    created_at: 0,
    expires_at: 30_000,
    used_at: 1,
    mapping_id: mappingId,
  });
  const strict = { ...context, settings: { ...context.settings, codeReplay: 'revoke' as const } };
  const asked = { clientId, code, redirectUri: 'https://a.example/' };
  await expect(exchangeCode(strict, asked, ORIGIN)).rejects.toThrow('invalid');
};
/** As a call finds it. */
async function foundIn(history: History, mappingId: string) {
  const found = await findMappingById(history.context.store, mappingId);
  if (!found) throw new Error('no such token');
  return found;
}
export const endAtOldBackend: Act = async (history, { mappingId }) =>
  endWaiting(history.context, await foundIn(history, mappingId), ORIGIN);
/** What waits is known by its e-mail address alone. */
export const pin: Act = async ({ context, db }, { mappingId, accountId }) => {
  const email = `${mappingId}@people.example`;
  const waiting = { account_id: null, account_email: email };
  await db.updateTable('mappings').set(waiting).where('id', '=', mappingId).execute();
  await pinByHand(context, { email, accountId, how: 'a test', ...ORIGIN });
};
export const observe: Act = (history, given) => see(history, { ...given, userId: newHexId() });

/** To an app that the account has let in, or not. */
const assignTo =
  (how: 'by hand' | 'by a call', app: 'connected' | 'new'): Act =>
  async (history, given) => {
    const { context, db } = history;
    const { clientId: from, accountId, mappingId } = given;
    await db.updateTable('apps').set({ source: 'observed' }).where('client_id', '=', from).execute();
    await db.updateTable('mappings').set({ source: 'observed' }).where('id', '=', mappingId).execute();
    const clientId = await addApp(history);
    if (app === 'connected') await addGrant(history, { clientId, accountId });
    if (how === 'by hand')
      return assignByHand(context, { mappingId, clientId, reason: 'the owner said so', ...ORIGIN });
    return noteClaim(context, await foundIn(history, mappingId), { clientId, requestId: 'r' });
  };
export const claimByCall = assignTo('by a call', 'new');
export const assignNew = assignTo('by hand', 'new');
export const assignConnected = assignTo('by hand', 'connected');
