import { request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { BRIDGE_CLIENT } from '../../support/servers/modern-side.ts';
import { deauthorizeToken } from '../shared/calls.ts';
import { grantOf, isRecorded, makeDue } from '../shared/database.ts';
import { digestOf } from '../shared/checker/history.ts';
import { QUIET_SECONDS } from '../shared/limits.ts';
import type { Scenario } from './plan.ts';
import {
  bridgeOf,
  consent,
  consentOnce,
  exchangeOnce,
  healWays,
  keepPairs,
  newGrant,
  readyGrant,
  type Stage,
} from './stage.ts';
import { expire, readMany, readOnce, settle } from '../shared/callers.ts';
import { openRefreshToken } from '../../../src/domain/grants/sealed-pair.ts';

/**
 * What the callers do in a round. Each scene has a part without faults, which answers the part with them; the traps are
 * armed and the network turns bad in between.
 */
type Scene = (stage: Stage) => Promise<() => Promise<void>>;

/** The modern side is told directly to forget the grant's refresh token, past bridge, network and recorder. */
async function revokeUpstream(stage: Stage, grantId: string): Promise<void> {
  const { lane } = stage;
  const grant = await grantOf(lane.context, grantId);
  if (!grant) throw new Error('the grant of the round is gone');
  const token = openRefreshToken(lane.context, grant);
  const fields = { client_id: BRIDGE_CLIENT, token, token_type_hint: 'refresh_token' };
  const secret = lane.clientSecret === undefined ? {} : { client_secret: lane.clientSecret };
  const body = new URLSearchParams({ ...fields, ...secret }).toString();
  const headers = { 'content-type': 'application/x-www-form-urlencoded', host: new URL(lane.issuer).host };
  const status = await new Promise<number>((resolve, reject) => {
    request(`${lane.modernUrl}/token/revocation`, { method: 'POST', headers, agent: false }, (answer) => {
      answer.resume().once('end', () => resolve(answer.statusCode ?? 0));
    })
      .once('error', reject)
      .end(body);
  });
  if (status !== 200) throw new Error(`the modern side answered ${status} to the campaign's revocation`);
  stage.revokedByCampaign.push(digestOf(token));
}

/** Its access token lives, so nothing that goes wrong may be seen by a caller, and nothing may be presented again. */
async function renewEarly(stage: Stage, { id, token }: { id: string; token: string }): Promise<void> {
  const until = Date.now() + QUIET_SECONDS * 1000 + 500;
  const from = Date.now();
  await makeDue(stage.lane.context, id);
  for (let n = 0; Date.now() < until; n += 1) {
    await readOnce(stage, n, token);
    await delay(150);
  }
  if (stage.plan.databaseCrash === undefined) stage.served = { from, until: Date.now() };
  await expire(stage, id);
}

/** The callers of the round; while a process is paused, others go on calling the one that is not. */
async function readThrough(stage: Stage, token: string): Promise<void> {
  const { plan } = stage;
  const reading = { isOver: false };
  const callers = readMany(stage, plan.callers, token).finally(() => (reading.isOver = true));
  while (plan.pause > 0 && !reading.isOver) {
    await delay(150);
    const awake = [0, 1].filter((n) => !bridgeOf(stage, n).bridge.isPaused());
    await Promise.all(awake.map((n) => Promise.race([readOnce(stage, n, token), delay(1000)])));
  }
  await callers;
}

const refresh: Scene = async (stage) => {
  const { lane, plan } = stage;
  const grant = await readyGrant(stage);
  const other = plan.hasSibling ? await newGrant(stage, lane.otherApp) : undefined;
  if (other) stage.withSibling.add(grant.id);
  if (plan.isRevoked) await revokeUpstream(stage, grant.id);
  return async () => {
    if (plan.isEarly) await renewEarly(stage, grant);
    else {
      await expire(stage, grant.id);
      await readThrough(stage, grant.token);
    }
    await settle(stage, grant.id, grant.token);
    if (plan.isPartitioned) await comeBack(stage, grant);
    if (other) await endGrant(stage, other.token);
  };
};

/** The machine that was cut off has its database again, and stores what it holds. */
async function comeBack(stage: Stage, { id, token }: { id: string; token: string }): Promise<void> {
  healWays(stage);
  await Promise.all(stage.lane.bridges.map((bridge) => bridge.up()));
  await keepPairs(stage);
  await settle(stage, id, token);
}

/** Deauthorizes for as long as nobody has answered. */
async function endGrant(stage: Stage, token: string): Promise<void> {
  for (let n = 0; n < 40; n += 1) {
    const { bridge, index } = bridgeOf(stage, n);
    const call = await deauthorizeToken(bridge.url, index, { token });
    stage.calls.push(call);
    if (call.status === 200) {
      const ended = { state: 'revoked', action: 'deauthorized' } as const;
      call.committed = await isRecorded(stage.lane.context, token, ended);
    }
    if (call.status === 200 || call.status === 401) return;
    await delay(150);
  }
  stage.unsettled.push('a deauthorization was never answered');
}

const exchange: Scene = async (stage) => {
  const { lane, plan } = stage;
  const code = await consent(stage, lane.app);
  lane.grant = undefined;
  return async () => {
    const many = Array.from({ length: plan.callers }, async (_, n) => {
      await delay(stage.chance.between(0, plan.spread));
      return exchangeOnce(stage, n, { app: lane.app, code });
    });
    await Promise.all(many);
    await Promise.all(lane.bridges.map((bridge) => bridge.up()));
    for (const n of [0, 1]) await exchangeOnce(stage, n, { app: lane.app, code });
    for (const token of stage.tokens) for (const n of [0, 1]) await readOnce(stage, n, token);
  };
};

const consentScene: Scene = async (stage) => {
  const { lane } = stage;
  await readyGrant(stage);
  return async () => {
    const code = await consentOnce(stage, lane.app);
    await Promise.all(lane.bridges.map((bridge) => bridge.up()));
    if (code !== undefined) await exchangeOnce(stage, 1, { app: lane.app, code });
    for (const token of stage.tokens) await readOnce(stage, 1, token);
    lane.grant = undefined;
  };
};

const deauthorize: Scene = async (stage) => {
  const { lane, plan } = stage;
  const grant = await readyGrant(stage);
  return async () => {
    lane.grant = undefined;
    if (stage.chance.happens(0.6)) await expire(stage, grant.id);
    const reading = readMany(stage, plan.callers, grant.token);
    await delay(stage.chance.between(0, 60));
    await endGrant(stage, grant.token);
    await reading;
    for (const n of [0, 1]) await readOnce(stage, n, grant.token);
    await Promise.all(lane.bridges.map((bridge) => bridge.up()));
    for (const n of [0, 1]) await readOnce(stage, n, grant.token);
  };
};

export const SCENES: Record<Scenario, Scene> = { refresh, exchange, consent: consentScene, deauthorize };
