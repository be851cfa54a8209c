import type { Context } from '../../../../src/domain/context.ts';
import { accessTokenFor } from '../../../../src/domain/grants/refresh/access-token.ts';
import { findTurn } from '../../../../src/domain/grants/refresh/stop/doubt-breaker.ts';
import { holdJobs } from '../../../support/bridge/hold-jobs.ts';
import { SettableClock } from '../../../support/bridge/settable-clock.ts';
import { startSystem, type System } from '../../../support/bridge/system.ts';
import { issueToken } from '../../../support/callers/legacy-calls.ts';
import { freePort } from '../../../support/servers/free-port.ts';
import type { Answer } from '../../../support/servers/forward.ts';
import { openLine, type SeverableLine } from '../../../support/servers/severable-line.ts';

/** What a gateway answers that lost the server behind it. */
export const badGateway: Answer = { status: 502, headers: {}, body: Buffer.from('bad gateway') };

/** Grants whose access tokens have ended, before a server whose answers and line a test takes away. */
export interface Outage {
  system: System;
  clock: SettableClock;
  line: SeverableLine;
  grantIds: string[];
  context: () => Context;
  /** Whether a call with this grant gets an access token. */
  isServed: (id: string) => Promise<boolean>;
  /** Whether no grant may be refreshed now. */
  isStopped: () => Promise<boolean>;
  /** Whether the server is silent to requests that present nothing. */
  setSilent: (isSilent: boolean) => void;
  stop: () => Promise<void>;
}

export async function startOutage(grants: number): Promise<Outage> {
  const clock = new SettableClock();
  const port = await freePort();
  const env = { LEGACY_RATE_LIMIT: '0', IN_DOUBT_QUIET_SECONDS: '3600' };
  const system = await startSystem({ clock, env, issuer: `http://127.0.0.1:${port}` });
  const context = () => system.bridge.context;
  const letJobsRun = await holdJobs(context(), ['shorten-stop', 'settle-doubts', 'refresh-idle-grants']);
  const line = await openLine(port, Number(new URL(system.proxy.origin).port));
  for (let number = 0; number < grants; number += 1)
    await issueToken(system, { app: await system.registerApp(`https://app-${number}.example/callback`) });
  const rows = await context().store.durable.selectFrom('grants').select('id').orderBy('id').execute();
  clock.advance(3_700_000);
  let isServerSilent = false;
  system.proxy.insteadOfOther = ({ path }) =>
    isServerSilent && path.startsWith('/.well-known') ? badGateway : undefined;
  return {
    system,
    clock,
    line,
    grantIds: rows.map(({ id }) => id),
    context,
    isServed: (id) =>
      accessTokenFor(context(), { id }).then(
        () => true,
        () => false,
      ),
    isStopped: async () => (await findTurn(context())).kind === 'stopped',
    setSilent(isSilent) {
      isServerSilent = isSilent;
    },
    async stop() {
      letJobsRun();
      await line.close();
      await system.stop();
    },
  };
}
