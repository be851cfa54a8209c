// `profiles.json` where every call goes to the new API, beside a proxy that passes the same question to it.
import { join } from 'node:path';
import { atMost } from '../figures.mjs';
import { bridgeOverPeer, linesOf } from '../measure.mjs';
import { fillAsking, LONG, startNewApi } from './new-api.mjs';

/** So many that two calls with one token, which share one question, seldom meet. */
const TOKENS = 5000;

/** Both pass one question for each call. */
export async function uncached(stage) {
  const api = await startNewApi(stage, LONG);
  const tokens = Math.min(TOKENS, stage.options.tokens);
  const env = await fillAsking(stage, 'asking', { api, wanted: { tokens, pairs: { live: tokens } } });
  const file = join(env.VAR_DIR, 'tokens.txt');
  const bridges = await stage.bridges(env);
  const proxy = await stage.peer('http-proxy', 'proxy.mjs', api.ports);
  const measured = await stage.rounds([
    ...bridges.map((bridge) => ({ ...bridge, load: { file, request: 'header' } })),
    { ...proxy, load: { file, request: 'graphql' } },
  ]);
  return linesOf('profiles.json, every call to the new API', measured, {
    'http-proxy': { with: 'bridge', ...bridgeOverPeer(atMost(3, 6)) },
  });
}
