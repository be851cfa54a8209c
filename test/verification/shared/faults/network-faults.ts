import type { Chance } from './chance.ts';
import type { NetworkFault } from './fault-proxy.ts';

/** What a round may draw of the network. */

/** Latency and slowness stay below the limits of an exchange: what takes an answer away is counted as such. */
export function anyFault(chance: Chance): NetworkFault {
  return chance.pick<NetworkFault>([
    { kind: 'latency', ms: chance.between(20, 250) },
    { kind: 'reset', at: chance.pick(['open', 'request', 'answer'] as const) },
    { kind: 'cut', direction: 'up', bytes: chance.between(1, 400) },
    { kind: 'cut', direction: 'down', bytes: chance.between(0, 900) },
    { kind: 'black-hole', direction: chance.pick(['up', 'down'] as const) },
    { kind: 'slow', slice: chance.between(50, 200), pauseMs: chance.between(1, 10) },
    { kind: 'duplicate' },
  ]);
}

/** Faults after which an answer still comes. */
export function mildFault(chance: Chance): NetworkFault {
  return chance.pick<NetworkFault>([
    { kind: 'latency', ms: chance.between(20, 200) },
    { kind: 'slow', slice: chance.between(50, 200), pauseMs: chance.between(1, 5) },
  ]);
}

/** Faults after which nobody knows whether the token was spent. */
export function losingFault(chance: Chance): NetworkFault {
  return chance.pick<NetworkFault>([
    { kind: 'reset', at: chance.pick(['request', 'answer'] as const) },
    { kind: 'cut', direction: 'up', bytes: chance.between(20, 200) },
    { kind: 'cut', direction: 'down', bytes: chance.between(0, 150) },
    { kind: 'black-hole', direction: chance.pick(['up', 'down'] as const) },
  ]);
}
