import { DAY, dayByNine, HOUR, nameOfDay, nineOf } from '../world/calendar.ts';
import { BEGINNING, dayAt, type World } from '../world/world.ts';
import { createOracle } from './oracle.ts';
import { keyOf } from './oracle-due.ts';
import type { Told } from './oracle-parts.ts';

/** A world of one person with one token, for the tests of the oracle. */

export const ZONE = 'Europe/Berlin';
export const RETIREMENT = dayAt(100) + 12 * HOUR;
export const CALM = {
  isAway: false,
  wasKilled: false,
  repeated: new Set<string>(),
  unmarked: new Set<string>(),
};
export const ADDRESS = 'one@people.example';
export const CONTACT = 'contact@apps.example';

const human = { id: 'one', accountId: 'account-one', email: ADDRESS, zone: ZONE };

function smallWorld(changes: Partial<World> = {}): World {
  return {
    days: 200,
    humans: [human],
    apps: [{ clientId: 'app', name: 'Kestrel-0001', owner: undefined, contacts: [CONTACT] }],
    tokens: [
      {
        id: 'token',
        app: 'app',
        human: 'one',
        state: 'unmapped',
        died: undefined,
        lastUsedAt: BEGINNING,
        uses: [],
      },
    ],
    changes: [],
    refused: new Map(),
    ...changes,
  };
}

/** A year of one person, whose token is used every day unless it is said otherwise. */
export function begin(world: Partial<World> = {}, { retirement = RETIREMENT, isUsed = true } = {}) {
  const violations: string[] = [];
  const oracle = createOracle(smallWorld(world), (violation, text) =>
    violations.push(`${violation}: ${text}`),
  );
  oracle.apply({ kind: 'date', at: BEGINNING, name: 'retirement', value: retirement });
  let usedAt = BEGINNING;
  const tick = (at: number, told: Array<Partial<Told>> = [], disturbances = CALM) => {
    if (isUsed) for (; usedAt < at; usedAt += 5 * DAY) oracle.state.use('token', usedAt);
    oracle.planned(at);
    oracle.delivered(
      at,
      told.map((one) => ({ human: 'one', keys: [], to: ADDRESS, ...one })),
      disturbances,
    );
  };
  const names = () => [
    ...violations.map((text) => text.split(':')[0]),
    ...oracle.missing().map(() => 'missing'),
  ];
  return { oracle, tick, names };
}

export const stage = (days: number, at = RETIREMENT) =>
  keyOf('app', 'holder', String(days), `retirement:${nameOfDay(Math.floor(at / DAY))}`);

export const dayOfDate = dayByNine(RETIREMENT, ZONE);
export const nineBefore = (days: number) => nineOf(dayOfDate - days, ZONE);
