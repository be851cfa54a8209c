import type { Chance } from '../../shared/faults/chance.ts';
import { DAY } from './calendar.ts';
import { dayAt, type Human, type WorldApp, type WorldState, type WorldToken } from './world.ts';

/** Who holds which tokens, in which state they begin, and when they are used. */

type Habit = Pick<WorldToken, 'lastUsedAt' | 'uses'>;

const someTime = (chance: Chance, day: number): number => dayAt(day) + chance.between(0, DAY - 1);

/** From one day on until another, with pauses of so many days at most. */
function usesBetween(chance: Chance, span: { from: number; to: number; pause: number }): number[] {
  const uses: number[] = [];
  for (let day = span.from; day < span.to; day += chance.between(1, span.pause))
    uses.push(someTime(chance, day));
  return uses;
}

/**
 * The pauses of what is used are well below thirty days, and the silence before an awakening well above: on which day
 * exactly thirty days are over is the planner's to say.
 */
const HABITS: ReadonlyArray<[share: number, habit: (chance: Chance, days: number) => Habit]> = [
  [0.2, () => ({ lastUsedAt: undefined, uses: [] })],
  [0.15, (chance) => ({ lastUsedAt: someTime(chance, -chance.between(60, 300)), uses: [] })],
  [
    0.08,
    (chance, days) => ({
      lastUsedAt: someTime(chance, -1),
      uses: usesBetween(chance, { from: 0, to: days, pause: 1 }),
    }),
  ],
  [
    0.32,
    (chance, days) => ({
      lastUsedAt: someTime(chance, -2),
      uses: usesBetween(chance, { from: chance.between(0, 9), to: days, pause: 24 }),
    }),
  ],
  [
    0.13,
    (chance, days) => ({
      lastUsedAt: someTime(chance, -1),
      uses: usesBetween(chance, { from: 0, to: chance.between(1, days), pause: 9 }),
    }),
  ],
  [
    0.12,
    (chance, days) => {
      const from = chance.between(5, days - 1);
      const to = chance.happens(0.5) ? from + 1 : chance.between(from, days);
      const silentSince = Math.min(from - chance.between(40, 200), -1);
      return {
        lastUsedAt: someTime(chance, silentSince),
        uses: usesBetween(chance, { from, to, pause: 12 }),
      };
    },
  ],
];

function habitFor(chance: Chance, days: number): Habit {
  let left = chance.next();
  for (const [share, habit] of HABITS) {
    left -= share;
    if (left < 0) return habit(chance, days);
  }
  return { lastUsedAt: undefined, uses: [] };
}

const FATAL = ['refused', 'lost', 'superseded'] as const;

/** All tokens of one person at one app stand on one grant. */
function stateOfPair(chance: Chance, human: Human | undefined): Pick<WorldToken, 'state' | 'died'> {
  if (human?.accountId === undefined) return { state: 'unmapped', died: undefined };
  const state: WorldState = chance.happens(0.6)
    ? 'unmapped'
    : chance.happens(0.85)
      ? 'active'
      : 'reauthorization_required';
  if (state !== 'reauthorization_required') return { state, died: undefined };
  return { state, died: { at: someTime(chance, -chance.between(1, 90)), cause: chance.pick(FATAL) } };
}

interface Cast {
  humans: readonly Human[];
  apps: readonly WorldApp[];
  days: number;
}

/** As many tokens as are asked for, one to four of a person at an app. */
export function makeTokens(chance: Chance, { humans, apps, days }: Cast, count: number): WorldToken[] {
  const tokens: WorldToken[] = [];
  const pairs = new Map<string, ReturnType<typeof stateOfPair>>();
  for (let turn = 0; tokens.length < count; turn += 1) {
    // some are nobody's, as far as is known
    const human = chance.happens(0.03) ? undefined : humans[turn % humans.length];
    const app = chance.pick(apps).clientId;
    const pair = `${human?.id} ${app}`;
    const state = pairs.get(pair) ?? stateOfPair(chance, human);
    pairs.set(pair, state);
    for (let left = Math.min(chance.between(1, 4), count - tokens.length); left > 0; left -= 1)
      tokens.push({
        id: `token-${String(tokens.length).padStart(6, '0')}`,
        app,
        human: human?.id,
        ...state,
        ...habitFor(chance, days),
      });
  }
  return tokens;
}
