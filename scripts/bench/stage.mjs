// The servers of one row of the table, and how the row is measured. What a row started is stopped when the row is done.
import { join } from 'node:path';
import {
  beside,
  bodyOf,
  copyBridge,
  fillBridge,
  serveBridge,
  startPeer,
  startWebPeers,
} from './contenders.mjs';
import { BEFORE, roundsOf } from './measure.mjs';
import { run, script } from './process.mjs';
import { tokenOf } from './rows.mjs';

/** Begins the row. `filled` keeps databases from one row to the next, by name. */
export function openStage({ folder, options, filled }) {
  const running = [];
  const started = (server) => {
    running.push(server);
    return server;
  };
  const { connections, nodeOptions, against } = options;
  return {
    folder,
    options,
    /** The settings of a bridge whose database is filled once, whoever asks for it. */
    async filled(name, wanted, more) {
      const known = filled.get(name) ?? fillBridge(join(folder, name), wanted, more);
      filled.set(name, known);
      return known;
    },
    anotherMachine: (env, name) => beside(env, join(folder, name)),
    serve: async (name, env) => started(await serveBridge(name, env, { nodeOptions })),
    /** The bridge, and the one of the checkout that it is compared with, if there is one. */
    async bridges(env) {
      const copy = against && (await copyBridge(env, `${env.VAR_DIR}-before`));
      const bridge = started(await serveBridge('bridge', env, { nodeOptions }));
      if (!copy) return [bridge];
      return [bridge, started(await serveBridge(BEFORE, copy, { checkout: against }))];
    },
    peer: async (name, program, args) => started(await startPeer(name, program, args)),
    /** The peers of a cached call, with the body that the bridge answers at this path to the first token. */
    async webPeers(bridge, path) {
      const tokensFile = join(bridge.folder, 'tokens.txt');
      const body = await bodyOf(bridge, path, tokenOf(0));
      const peers = await startWebPeers(folder, { tokensFile, body });
      return peers.map(started);
    },
    /** Anything else that has to be stopped with the row. */
    keep: started,
    /** Each line of a file once, outside of every round. */
    async callOnce({ ports }, load) {
      await run([script('load.mjs'), JSON.stringify({ ports, connections, order: 'once', ...load })]);
    },
    /** The rounds of all contenders. Each has its own load, or the given one. */
    rounds(contenders, load) {
      const all = contenders.map((one) => ({ ...one, load: one.load ?? { ...load } }));
      return roundsOf(all, options);
    },
    close: async () => {
      // A database was started before the bridges on it.
      for (const { stop } of running.toReversed()) await stop().catch(() => undefined);
    },
  };
}
