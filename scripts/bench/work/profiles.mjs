// `profiles.json` from what is kept, by each carrier of the token.
import { join } from 'node:path';
import { atLeast } from '../figures.mjs';
import { linesOf, peerOverBridge } from '../measure.mjs';

/** What is wanted of a cached call, beside both peers. */
export const CACHED = {
  'Express 5': { with: 'bridge', ...peerOverBridge(atLeast(2, 1.5)) },
  'node:http': { with: 'bridge', ...peerOverBridge(atLeast(0.6, 0.45)) },
};

/** The bridge and its peers answer the same calls with the same bytes. */
export async function profiles(stage) {
  const env = await stage.filled('cached', { tokens: stage.options.tokens });
  const file = join(env.VAR_DIR, 'tokens.txt');
  const bridges = await stage.bridges(env);
  const contenders = [...bridges, ...(await stage.webPeers(bridges[0], '/1/profiles.json'))];
  // Each token was read before: the bridge keeps the text that it told, as it does for every program that comes again.
  for (const bridge of bridges) await stage.callOnce(bridge, { file, request: 'header' });
  const lines = [];
  for (const request of ['header', 'query', 'body']) {
    const measured = await stage.rounds(contenders, { file, request });
    lines.push(...linesOf(`profiles.json, fresh, ${request}`, measured, CACHED));
  }
  return lines;
}
