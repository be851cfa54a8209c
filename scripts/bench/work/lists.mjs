// The two lists of a profile from what is kept, as they are after a first call of each token.
import { join } from 'node:path';
import { linesOf } from '../measure.mjs';
import { channelIdOf } from '../rows.mjs';
import { CACHED } from './profiles.mjs';

/** The bridge and its peers answer the same calls with the same bytes. */
export async function lists(stage) {
  const { tokens, isQuick } = stage.options;
  const env = await stage.filled('lists', { tokens, lists: true });
  const file = join(env.VAR_DIR, 'tokens.txt');
  const bridges = await stage.bridges(env);
  const lines = [];
  for (const list of isQuick ? ['pending'] : ['pending', 'sent']) {
    const path = `/1/profiles/${channelIdOf(0, 0)}/updates/${list}.json`;
    const peers = await stage.webPeers(bridges[0], path);
    for (const bridge of bridges) await stage.callOnce(bridge, { file, request: list });
    const measured = await stage.rounds([...bridges, ...peers], { file, request: list });
    lines.push(...linesOf(`${list}.json, fresh, header`, measured, CACHED));
  }
  return lines;
}
