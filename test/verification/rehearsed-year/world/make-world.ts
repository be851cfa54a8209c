import type { DateName } from '../../../../src/store/tables/lifecycle.ts';
import { type Chance, chanceOf } from '../../shared/faults/chance.ts';
import { DAY, HOUR } from './calendar.ts';
import { makeApps, makeHumans, ZONES } from './make-people.ts';
import { makeTokens } from './make-tokens.ts';
import type { RehearsalOptions } from '../options.ts';
import { BEGINNING, type Change, dayAt, type World, type WorldToken } from './world.ts';

/** The year that a seed stands for: what is there when it begins, and everything that changes. */

type Cast = Pick<World, 'days' | 'humans' | 'apps' | 'tokens'>;

const TURNING_POINTS = 365;

/** A day of the full year, in a year of any length. */
const scaled = (days: number, day: number): number => Math.round((day * days) / TURNING_POINTS);

/** A moment on some day of the year, inside it. */
const sometime = (chance: Chance, days: number): number => dayAt(0) + chance.between(1, days * DAY - 1);

const dateSet = (at: number, name: DateName, value: number): Change => ({ kind: 'date', at, name, value });

/** Set, moved to later, to earlier, and to another hour of the same day. */
function dateChanges(days: number): Change[] {
  const on = (day: number, time: number) => dayAt(scaled(days, day)) + time;
  return [
    dateSet(BEGINNING, 'deprecation', BEGINNING - 10 * DAY),
    dateSet(BEGINNING, 'retirement', on(200, 10 * HOUR)),
    dateSet(on(40, 15 * HOUR), 'sunset', on(330, 23.5 * HOUR)),
    dateSet(on(130, 7 * HOUR), 'retirement', on(212, 10 * HOUR)),
    dateSet(on(170, 2 * HOUR), 'retirement', on(205, 3 * HOUR)),
    dateSet(on(260, 20 * HOUR), 'sunset', on(338, 12 * HOUR)),
    dateSet(on(300, 9 * HOUR), 'sunset', on(338, 1 * HOUR)),
  ];
}

/** Some apps get more time, some of them after the date has come, and some lose it again. */
function extensionChanges(chance: Chance, { apps, days }: Cast): Change[] {
  return apps.flatMap(({ clientId: app }) => {
    if (!chance.happens(0.2)) return [];
    const name = chance.happens(0.8) ? 'retirement' : 'sunset';
    const date = dayAt(scaled(days, name === 'retirement' ? 205 : 338));
    const until = date + chance.between(5, 60) * DAY + chance.between(0, DAY);
    const at = date - chance.between(-5, scaled(days, 150)) * DAY;
    const granted: Change = { kind: 'extend', at: Math.max(at, BEGINNING + 1), app, name, until };
    const ended: Change = {
      kind: 'end-extension',
      at: granted.at + chance.between(1, 40) * DAY,
      app,
      name,
    };
    return chance.happens(0.3) ? [granted, ended] : [granted];
  });
}

const CAUSES = ['refused', 'refused', 'lost', 'superseded'] as const;

/** What people do about their tokens, and what befalls them. */
function pairChanges(chance: Chance, { tokens, days, humans }: Cast): Change[] {
  const pairs = new Map(
    tokens.flatMap(({ human, app }) => (human ? [[`${human} ${app}`, { human, app }]] : [])),
  );
  const hasAccount = new Set(humans.flatMap(({ id, accountId }) => (accountId ? [id] : [])));
  return [...pairs.values()].flatMap((pair) => {
    const acts = chance.happens(hasAccount.has(pair.human) ? 0.7 : 0.3);
    const first: Change[] = acts ? [{ kind: 'act', at: sometime(chance, days), ...pair }] : [];
    if (!chance.happens(0.12)) return first;
    const died: Change = { kind: 'die', at: sometime(chance, days), ...pair, cause: chance.pick(CAUSES) };
    const mended: Change = { kind: 'act', at: died.at + chance.between(1, 60) * DAY, ...pair };
    return chance.happens(0.5) ? [...first, died, mended] : [...first, died];
  });
}

function tokenChanges(chance: Chance, { tokens, days }: Cast): Change[] {
  return tokens.flatMap(({ id }): Change[] =>
    chance.happens(0.04) ? [{ kind: 'revoke', at: sometime(chance, days), token: id }] : [],
  );
}

function appChanges(chance: Chance, { apps, days }: Cast): Change[] {
  return apps.flatMap(({ clientId }): Change[] =>
    chance.happens(0.1) ? [{ kind: 'migrate', at: sometime(chance, days), app: clientId }] : [],
  );
}

/** Some who are known by their address alone sign in one day, and prove it on a later one. */
function signUps(chance: Chance, { humans, days }: Cast): Change[] {
  return humans.flatMap(({ id, accountId }): Change[] => {
    if (accountId !== undefined || !chance.happens(0.5)) return [];
    const at = sometime(chance, days);
    const came: Change = {
      kind: 'sign-up',
      at,
      human: id,
      accountId: `account-of-${id}`,
      zone: chance.pick(ZONES),
    };
    const pinned: Change = { kind: 'pin', at: at + chance.between(1, 20 * DAY), human: id };
    return chance.happens(0.7) ? [came, pinned] : [came];
  });
}

/** One from the first day on, whatever the size of the world, and few more. */
function refusals(chance: Chance, { humans, apps, days }: Cast): Map<string, number> {
  const addresses = [
    ...humans.flatMap(({ email }) => email ?? []),
    ...apps.flatMap(({ contacts }) => contacts),
  ].map((address) => address.toLowerCase());
  const chosen = addresses.filter(() => chance.happens(0.03));
  const later = chosen.map((address): [string, number] => [
    address,
    dayAt(chance.between(0, Math.round(days / 2))),
  ]);
  return new Map([...later, [addresses[3] ?? '', BEGINNING]]);
}

/** The same options make the same year. */
export function makeWorld({ seed, people, tokens: count, days }: RehearsalOptions): World {
  const chance = chanceOf(seed, 0);
  const humans = makeHumans(chance, people);
  const apps = makeApps(chance, humans);
  const tokens: WorldToken[] = makeTokens(chance, { humans, apps, days }, count);
  const cast: Cast = { humans, apps, tokens, days };
  const changes = [
    ...dateChanges(days),
    ...extensionChanges(chance, cast),
    ...pairChanges(chance, cast),
    ...tokenChanges(chance, cast),
    ...appChanges(chance, cast),
    ...signUps(chance, cast),
  ].toSorted((one, other) => one.at - other.at);
  return { ...cast, changes, refused: refusals(chance, cast) };
}
