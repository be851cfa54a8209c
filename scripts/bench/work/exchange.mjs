// The exchange of an old code, beside oidc-provider's with commits that are as durable.
import { join } from 'node:path';
import { atMost } from '../figures.mjs';
import { bridgeOverPeer, linesOf } from '../measure.mjs';

/** More than either side exchanges in a second. */
const MOST_A_SECOND = 1000;

/** Both spend a code of their own making at each call. */
export async function exchange(stage) {
  const { seconds, rounds, warmUp = seconds, calls = MOST_A_SECOND * seconds } = stage.options;
  const codes = Math.ceil(calls * rounds + MOST_A_SECOND * warmUp);
  const env = await stage.filled('codes', { tokens: 1000, codes });
  const bridges = await stage.bridges(env);
  const load = { request: 'exchange', order: 'once', from: 0 };
  const oidcFile = join(stage.folder, 'oidc-codes.txt');
  const oidc = await stage.peer('oidc-provider', 'oidc.mjs', [
    join(stage.folder, 'oidc.db'),
    oidcFile,
    String(codes),
  ]);
  const measured = await stage.rounds([
    ...bridges.map((bridge) => ({ ...bridge, load: { ...load, file: join(env.VAR_DIR, 'codes.txt') } })),
    { ...oidc, load: { ...load, request: 'oidc', file: oidcFile } },
  ]);
  return linesOf('code exchange', measured, {
    'oidc-provider': { with: 'bridge', ...bridgeOverPeer(atMost(0.5)) },
  });
}
