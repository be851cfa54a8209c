import { DEMO_APP, seedDemo } from '../../../src/demo-data/seed-demo.ts';
import { demoPairs } from '../../../src/demo-data/tokens.ts';
import { type SeededPair, layPairs } from '../../../src/demo-data/life.ts';
import { DANA, SAM } from '../../owners/support/people.ts';
import { type RawAnswer, sendRaw } from '../../support/callers/raw-request.ts';
import { startSystem, type System, type SystemOptions } from '../../support/bridge/system.ts';

/** The running bridge with everything that the demo shows, and no answer kept: each call meets the modern side. */

const UNCACHED = { PROFILES_FRESH_SECONDS: '0', PROFILES_STALE_SECONDS: '0' };

const PEOPLE = { dana: DANA, sam: SAM };

export interface DemoWorld extends System {
  demoApp: typeof DEMO_APP;
  /** A token of an app that this person holds, with the id of its mapping. */
  tokenOf(holder: keyof typeof PEOPLE, clientId: string): { token: string; id: string };
  /** Calls the old API as a program would that keeps its token in the header. */
  call(token: string, path?: string): Promise<RawAnswer>;
}

/** Starts it. */
export async function startDemoWorld(options: SystemOptions = {}): Promise<DemoWorld> {
  const system = await startSystem({ ...options, env: { ...UNCACHED, ...options.env } });
  const { context } = system.bridge;
  const place = { publicUrl: system.bridgeUrl, embedded: { demoPort: 3002 } };
  await seedDemo(context, place, DANA.accountId);
  const pairs = layPairs(demoPairs(DEMO_APP.clientId), context.clock.now());
  return {
    ...system,
    demoApp: DEMO_APP,
    tokenOf(holder, clientId) {
      const { accountId } = PEOPLE[holder];
      const isTheirs = (pair: SeededPair) => pair.clientId === clientId && pair.accountId === accountId;
      const found = pairs.find(isTheirs)?.tokens[0];
      if (!found) throw new Error(`no token of ${holder} in ${clientId}`);
      return { token: found.token, id: found.id };
    },
    call: (token, path = '/1/profiles.json') =>
      sendRaw(system.bridgeUrl, {
        path,
        headers: { authorization: `Bearer ${token}`, 'user-agent': 'weekly-cron/1.0' },
      }),
  };
}
