import type { LegacyApp } from '../../../support/callers/authorize.ts';
import { deauthorizeToken, exchangeCode, readProfiles } from '../../../verification/shared/calls.ts';
import { checkRound } from '../../../verification/shared/checker/checker.ts';
import { type Call, digestOf, type Expiry } from '../../../verification/shared/checker/history.ts';
import {
  eventsAfter,
  grantsSince,
  isRecorded,
  lastEventId,
  mappingsOf,
  owedTokens,
} from '../../../verification/shared/database.ts';
import type { FlowEnd } from './flow.ts';
import type { CallStage } from './stage.ts';

/** Calls of old integrations, recorded as those of the crash campaign are, so that its checker can judge them. */
export interface RecordedCalls {
  read(token: string): Promise<Call>;
  exchange(app: LegacyApp, code: string): Promise<Call & { token?: string }>;
  deauthorize(token: string): Promise<Call>;
  /** Notes that the access token of every grant of an app ends now. */
  expire(clientId: string): Promise<void>;
  /** What the checker of the crash campaign finds wrong. */
  violations(): Promise<string[]>;
}

/** How a call ended. A refusal must say when to come again. */
export function endOfCall({ status, headers, body }: Call, done: readonly number[] = [200]): FlowEnd {
  const said = `${status} ${body}`;
  if (status !== undefined && done.includes(status)) return { kind: 'done', said };
  const isUnavailable = status === 503 && Number(headers['retry-after']) > 0;
  return { kind: isUnavailable ? 'unavailable' : 'wrong', said };
}

/** A busy machine may let callers wait for long. That is not what these tests are about. */
const CALLER_LIMIT = 60_000;

async function historyOf({ door, pairs }: CallStage, seen: { calls: Call[]; expiries: Expiry[] }) {
  const { context } = door.bridge;
  const grants = await grantsSince(context, 0);
  return {
    round: 0,
    introspects: true,
    quiet: context.settings.inDoubtQuiet,
    claimToWrite: 2000,
    since: 0,
    presentations: pairs.presentations,
    received: pairs.received,
    notes: pairs.notes,
    outages: [],
    pauses: [],
    ...seen,
    grants,
    withSibling: grants.map(({ id }) => id),
    owed: await owedTokens(context),
    owedBefore: [],
    served: undefined,
    databaseAway: undefined,
    cuts: [],
    networkFaults: 0,
    upstreamTimeout: 15_000,
    callerLimit: CALLER_LIMIT,
    revokedByCampaign: door.proxy.revoked().map(digestOf),
    leaks: [],
    log: [],
    calm: [],
    unsettled: [],
  };
}

/** Records calls from here on. */
export async function recordCalls(stage: CallStage): Promise<RecordedCalls> {
  const { door } = stage;
  const { context } = door.bridge;
  const [calls, expiries, tokens] = [[] as Call[], [] as Expiry[], new Set<string>()];
  const firstEvent = await lastEventId(context);
  const keep = <C extends Call>(call: C): C => {
    calls.push(call);
    return call;
  };
  return {
    read: async (token) => keep(await readProfiles(door.bridgeUrl, 0, token)),
    async exchange(app, code) {
      const { token, ...call } = await exchangeCode(door.bridgeUrl, 0, { app, code });
      if (token === undefined) return keep(call);
      tokens.add(token);
      const committed = await isRecorded(context, token, { state: 'active', action: 'token_issued' });
      return { ...keep({ ...call, committed }), token };
    },
    async deauthorize(token) {
      const call = await deauthorizeToken(door.bridgeUrl, 0, { token });
      if (call.status !== 200) return keep(call);
      const committed = await isRecorded(context, token, { state: 'revoked', action: 'deauthorized' });
      return keep({ ...call, committed });
    },
    async expire(clientId) {
      const live = await context.store.durable
        .updateTable('grants')
        .set({ access_expires_at: 0, refresh_at: 0, retry_at: 0 })
        .where('client_id', '=', clientId)
        .where('state', '<>', 'dead')
        .returning('id')
        .execute();
      expiries.push(...live.map(({ id }) => ({ at: Date.now(), grantId: id })));
    },
    async violations() {
      const history = await historyOf(stage, { calls, expiries });
      const rows = {
        mappings: await mappingsOf(context, tokens),
        events: await eventsAfter(context, firstEvent),
      };
      const { violations } = checkRound({ ...history, ...rows });
      return violations.map(({ invariant, text }) => `${invariant}: ${text}`);
    },
  };
}
