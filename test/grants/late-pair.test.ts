import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endGrant } from '../../src/domain/grants/end-grant.ts';
import type { Context } from '../../src/domain/context.ts';
import { deauthorize } from '../../src/domain/tokens/deauthorize.ts';
import { recoverSpilledPairs } from '../../src/domain/grants/refresh/store-rotated-pair.ts';
import { settlePendingRevocations } from '../../src/domain/grants/pending-revocations.ts';
import { purgeExpired } from '../../src/domain/purge-expired.ts';
import { deliverReminders } from '../../src/domain/reminders/deliver.ts';
import { planReminders, previewReminders } from '../../src/domain/reminders/plan-reminders.ts';
import { revokeToken } from '../../src/domain/tokens/revoke-token.ts';
import { sealPair } from '../../src/domain/grants/sealed-pair.ts';
import { resolveDoubts } from '../../src/domain/grants/resolve-doubts.ts';
import { DAY, PRESENTING_LIMIT } from '../../src/shared/lifetimes.ts';
import type { LegacyApp } from '../support/callers/authorize.ts';
import { type HeldAnswer, holdAnswer, until } from '../support/servers/held-answer.ts';
import { issueToken, read } from '../support/callers/legacy-calls.ts';
import { type RawAnswer, sendRaw } from '../support/callers/raw-request.ts';
import { SettableClock } from '../support/bridge/settable-clock.ts';
import { startSystem, type System } from '../support/bridge/system.ts';
import { otherMachine } from './support/other-machine.ts';

/**
 * A machine has a whole answer in hand and cannot reach the database for longer than the quiet time. Another machine gives
 * the grant up meanwhile. The answer revives the grant when it comes, unless a person or the modern side has ended it.
 */

const QUIET = 300_000;

interface LateAnswer {
  token: string;
  grantId: string;
  held: HeldAnswer;
  call: Promise<RawAnswer>;
  fresh: string;
}

describe.each(['with introspection', 'without introspection'])('%s', (how) => {
  const isAsked = how === 'with introspection';
  const clock = new SettableClock();
  let system: System;
  let other: Context;
  let folder: string;
  /** Of one test alone, so that no token of another stands on its grant. */
  let app: LegacyApp;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'late-pair-'));
    const env = { PROFILES_FRESH_SECONDS: '0', LEGACY_RATE_LIMIT: '0' };
    system = await startSystem({ clock, env, ...(isAsked && { clientSecret: 'the-secret-of-this-bridge' }) });
    other = otherMachine(system.bridge.context, join(folder, 'spill'));
  });
  afterAll(async () => {
    await system.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  const durable = () => system.bridge.context.store.durable;
  const profiles = (token: string) => read(system, '/1/profiles.json', token);
  const deauthorizeWith = (token: string) =>
    sendRaw(system.bridgeUrl, { method: 'POST', path: `/user/deauthorize?access_token=${token}` });
  const grantOf = (id: string) =>
    durable().selectFrom('grants').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  const tokensOf = (id: string) =>
    durable().selectFrom('mappings').select(['state', 'reason']).where('grant_id', '=', id).execute();

  const liveGrant = () =>
    durable()
      .selectFrom('grants')
      .selectAll()
      .where('client_id', '=', app.clientId)
      .where('state', '<>', 'dead')
      .executeTakeFirstOrThrow();

  // Each test has a grant of its own. Where the server cannot be asked, one beside it forbids to present again.
  beforeEach(async () => {
    Object.assign(system.proxy, { onTokenAnswer: undefined, onOtherAnswer: undefined });
    clock.advance(2 * DAY);
    app = await system.registerApp('https://old-app.example/callback');
    await durable().updateTable('grants').set({ state: 'dead', dead_at: 0, dead_cause: 'refused' }).execute();
    await durable().deleteFrom('owed_revocations').execute();
    if (!isAsked)
      await issueToken(system, { app: await system.registerApp('https://sibling.example/callback') });
  });

  /** The answer is on its way while the other machine waits for the quiet time and gives the grant up. */
  async function lostAnswer(beside?: () => Promise<void>): Promise<LateAnswer> {
    const token = await issueToken(system, { app });
    await beside?.();
    expect((await profiles(token)).status).toBe(200);
    const { id: grantId } = await liveGrant();
    clock.advance(3_700_000);
    const held = holdAnswer(system.proxy, 'onTokenAnswer');
    const call = profiles(token);
    await until(() => held.answer !== undefined);
    const { refresh_token: fresh } = JSON.parse(String(held.answer?.body)) as { refresh_token: string };
    await resolveDoubts(other);
    clock.advance(PRESENTING_LIMIT + 1000);
    await resolveDoubts(other);
    expect(await grantOf(grantId)).toMatchObject({ state: 'in_doubt', version: 1 });
    await resolveDoubts(other);
    clock.advance(QUIET + 1000);
    await resolveDoubts(other);
    expect(await grantOf(grantId)).toMatchObject({ state: 'dead', dead_cause: 'lost', version: 1 });
    return { token, grantId, held, call, fresh };
  }

  async function expectServed({ token, grantId, fresh }: LateAnswer, before: number): Promise<void> {
    expect(await grantOf(grantId)).toMatchObject({
      state: 'ready',
      version: 2,
      dead_at: null,
      dead_cause: null,
    });
    expect(await tokensOf(grantId)).toEqual([{ state: 'active', reason: null }]);
    expect((await profiles(token)).status).toBe(200);
    await settlePendingRevocations(system.bridge.context);
    expect(system.proxy.revoked()).not.toContain(fresh);
    expect(system.proxy.refreshes()).toHaveLength(before);
    // The pair that came is the one that is presented next, and the modern side takes it.
    clock.advance(3_700_000);
    system.proxy.onTokenAnswer = undefined;
    expect((await profiles(token)).status).toBe(200);
    expect(system.proxy.refreshes().at(-1)?.refreshToken).toBe(fresh);
    system.proxy.assertNoRefreshTokenTwice();
  }

  test('the answer that a running process holds revives the grant and its tokens', async () => {
    const late = await lostAnswer();
    expect((await profiles(late.token)).status).toBe(401);
    expect(await tokensOf(late.grantId)).toEqual([
      { state: 'reauthorization_required', reason: 'grant_lost' },
    ]);
    const before = system.proxy.refreshes().length;
    late.held.release();
    expect((await late.call).status).toBe(200);
    await expectServed(late, before);
    const events = durable().selectFrom('events').select(['action', 'reason']).orderBy('id', 'desc');
    const last = await events.where('grant_id', '=', late.grantId).limit(2).execute();
    const reason = 'its lost answer was found';
    expect(last.map((event) => event.action)).toEqual(['token_connected', 'grant_revived']);
    expect(last.map((event) => event.reason)).toEqual([reason, reason]);
  });

  /** What a process spills before it ends, and what the next one on its machine finds. */
  async function spill({ grantId, held }: LateAnswer): Promise<void> {
    const { context } = system.bridge;
    const came = JSON.parse(String(held.answer?.body)) as Record<'access_token' | 'refresh_token', string>;
    const received = { accessToken: came.access_token, refreshToken: came.refresh_token };
    const row = { id: grantId, version: 2, sentAt: clock.now() };
    const pair = sealPair(context, row, { ...received, lifetime: 3_600_000, scope: 'account:read' });
    await context.spill.write({ grantId, version: 1, pair });
  }

  test('so does one that lies in the spill, also when the dead pair is erased by then', async () => {
    const late = await lostAnswer();
    clock.advance(8 * DAY);
    await purgeExpired(system.bridge.context);
    expect(await grantOf(late.grantId)).toMatchObject({ refresh_token_sealed: null });
    await spill(late);
    const before = system.proxy.refreshes().length;
    await recoverSpilledPairs(system.bridge.context);
    expect((await system.bridge.context.spill.list()).entries).toEqual([]);
    // The same answer once more, from memory, changes nothing.
    late.held.release();
    await late.call;
    await expectServed(late, before);
  });

  /** What people would be told of the app at this moment. */
  async function toBeTold(): Promise<string[]> {
    const stages: string[] = [];
    await system.bridge.context.usage.flush();
    await planReminders(system.bridge.context);
    for await (const { due } of previewReminders(system.bridge.context))
      stages.push(...due.filter(({ clientId }) => clientId === app.clientId).map(({ stage }) => stage));
    const kept = durable().selectFrom('reminders').select('stage').where('dropped_at', 'is', null);
    const planned = await kept.where('client_id', '=', app.clientId).execute();
    return [...stages, ...planned.map(({ stage }) => stage)];
  }

  test('who would be told of the end is not told of a connection that came back', async () => {
    const late = await lostAnswer();
    expect(await toBeTold()).toContain('died');
    late.held.release();
    await late.call;
    await deliverReminders(system.bridge.context);
    expect(await toBeTold()).not.toContain('died');
  });

  test('a token that was revoked since stays so, and its neighbour works again', async () => {
    let second = '';
    const late = await lostAnswer(async () => void (second = await issueToken(system, { app })));
    const { context } = system.bridge;
    const { id: mappingId } = await durable()
      .selectFrom('mappings')
      .select('id')
      .where('token_digest', 'in', context.vault.digests(second))
      .executeTakeFirstOrThrow();
    await revokeToken(context, { mappingId, reason: 'lost laptop', actor: 'test', requestId: null });
    late.held.release();
    expect((await late.call).status).toBe(200);
    expect((await profiles(second)).status).toBe(401);
    expect((await profiles(late.token)).status).toBe(200);
  });

  const SINCE: Array<[string, (late: LateAnswer) => Promise<unknown>]> = [
    [
      'the app was deauthorized',
      async ({ grantId }) => {
        const { client_id: clientId, account_id: accountId } = await grantOf(grantId);
        const ending = { actor: 'test', requestId: null, reason: 'a test' };
        await deauthorize(system.bridge.context, { clientId, accountId }, ending);
      },
    ],
    [
      'the only token was revoked by support',
      async ({ grantId }) => {
        const mapping = durable().selectFrom('mappings').select('id').where('grant_id', '=', grantId);
        const { id: mappingId } = await mapping.executeTakeFirstOrThrow();
        const asked = { mappingId, reason: 'lost laptop', actor: 'test', requestId: null };
        await revokeToken(system.bridge.context, asked);
      },
    ],
    ['its program deauthorized with the stopped token', ({ token }) => deauthorizeWith(token)],
    [
      'a newer consent was given and deauthorized',
      async () => {
        system.proxy.onTokenAnswer = undefined;
        expect((await deauthorizeWith(await issueToken(system, { app }))).status).toBe(200);
      },
    ],
  ];

  test('a newer consent that left the token out keeps it ended, also when that grant has died since', async () => {
    const late = await lostAnswer();
    system.proxy.onTokenAnswer = undefined;
    const unproven = { source: 'observed', app_proven: 0 } as const;
    await durable().updateTable('mappings').set(unproven).where('grant_id', '=', late.grantId).execute();
    await issueToken(system, { app });
    const newer = await liveGrant();
    expect(newer.id).not.toBe(late.grantId);
    expect((await profiles(late.token)).status).toBe(401);
    await endGrant(other, newer, 'refused');
    late.held.release();
    await late.call;
    expect((await profiles(late.token)).status).toBe(401);
    expect(await grantOf(late.grantId)).toMatchObject({ state: 'dead', dead_cause: 'lost', version: 1 });
  });

  test.each(SINCE)('the answer revives nothing when %s since', async (_what, act) => {
    const late = await lostAnswer();
    await act(late);
    late.held.release();
    // Whoever waited since before may get the last answer that was known then; nobody does after it.
    await late.call;
    expect((await profiles(late.token)).status).toBe(401);
    expect(await grantOf(late.grantId)).toMatchObject({ state: 'dead', dead_cause: 'lost', version: 1 });
    await expectRevokedWhereAlone(late.fresh);
  });

  /** Beside another live grant of the account on the same client it is left to expire. */
  async function expectRevokedWhereAlone(fresh: string): Promise<void> {
    const isRevoked = async () => {
      await settlePendingRevocations(system.bridge.context);
      return system.proxy.revoked().includes(fresh);
    };
    if (isAsked) return until(isRevoked);
    expect(await isRevoked()).toBe(false);
  }

  test('a newer consent keeps its place, and the answer ends nothing of it', async () => {
    const late = await lostAnswer();
    system.proxy.onTokenAnswer = undefined;
    const token = await issueToken(system, { app });
    const { id } = await liveGrant();
    late.held.release();
    expect((await late.call).status).toBe(200);
    expect(await grantOf(late.grantId)).toMatchObject({ state: 'dead', dead_cause: 'lost' });
    expect(await grantOf(id)).toMatchObject({ state: 'ready', version: 1 });
    await settlePendingRevocations(system.bridge.context);
    expect(system.proxy.revoked()).not.toContain(late.fresh);
    for (const each of [token, late.token]) expect((await profiles(each)).status).toBe(200);
  });

  test('a refusal is no lost answer: what comes afterwards is revoked upstream where that harms nobody', async () => {
    const token = await issueToken(system, { app });
    const grant = await liveGrant();
    clock.advance(3_700_000);
    const held = holdAnswer(system.proxy, 'onTokenAnswer');
    const call = profiles(token);
    await until(() => held.answer !== undefined);
    const { refresh_token: fresh } = JSON.parse(String(held.answer?.body)) as { refresh_token: string };
    await endGrant(other, grant, 'refused');
    held.release();
    expect((await call).status).toBe(401);
    expect(await grantOf(grant.id)).toMatchObject({ state: 'dead', dead_cause: 'refused', version: 1 });
    await expectRevokedWhereAlone(fresh);
  });
});
