// A call whose access token has ended: a refresh and a read. Beside a program without the engine, which presents the refresh
// token, stores the pair by one durable UPDATE and reads; and beside the bridge's own read with a token that is live.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { atMost } from '../figures.mjs';
import { linesOf } from '../measure.mjs';
import { countsOf, fillAsking, SHORT, startNewApi, tokensBetween } from './new-api.mjs';

/** So many that the token of a call has ended when its turn comes again. */
const TOKENS = 2000;

const more = (other, wanted) => ({
  with: other,
  what: `ms of CPU more than ${other}`,
  wanted,
  of: (one, without) => (one.cpu - without.cpu) / 1000,
});

async function startContenders(stage, api) {
  const env = await fillAsking(stage, 'refreshing', {
    api,
    wanted: { tokens: 2 * TOKENS, pairs: { live: TOKENS } },
  });
  const bridges = await stage.bridges(env);
  const [live, ended] = ['live', 'ended'].map((name) => join(stage.folder, `${name}.txt`));
  writeFileSync(live, tokensBetween(0, TOKENS));
  writeFileSync(ended, tokensBetween(TOKENS, 2 * TOKENS));
  const plain = await stage.peer('plain client', 'plain-client.mjs', [
    join(stage.folder, 'plain-client.db'),
    ended,
    api.ports[0],
  ]);
  const load = { request: 'header', order: 'in turn' };
  return [
    ...bridges.map((bridge) => ({ ...bridge, load: { ...load, file: ended } })),
    { ...plain, load: { ...load, file: ended } },
    { ...bridges[0], name: 'bridge, live token', load: { ...load, file: live } },
  ];
}

/** The stand-in counts what it was asked: a call that found a live token would make the row look cheap. */
export async function refresh(stage) {
  const api = await startNewApi(stage, SHORT);
  const contenders = await startContenders(stage, api);
  const measured = await stage.rounds(contenders);
  const { refreshes, reads } = await countsOf(api);
  console.log(`refresh: the new API answered ${refreshes} refreshes and ${reads} reads`);
  return linesOf('a refresh and a read', measured, {
    bridge: more('plain client', atMost(1.5)),
    'bridge, live token': {
      ...more('bridge', undefined),
      what: 'ms of CPU less than with a refresh',
      of: (live, refreshing) => (refreshing.cpu - live.cpu) / 1000,
    },
  });
}
