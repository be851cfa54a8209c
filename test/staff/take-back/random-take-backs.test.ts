import fc from 'fast-check';
import type { Mapping } from '../../../src/store/tables/tables.ts';
import { databaseKinds } from '../../support/jest/test-mode.ts';
import { TakeBackWorld } from './support/take-back-world.ts';

/**
 * Random actions of everybody, with take-backs among them, against a simple model: an action is taken back whole or not
 * at all; never where one of its tokens has changed since; and always where nothing at all came in between.
 */

const STEPS = 36;

const seed = Number(process.env['TAKE_BACK_SEED'] ?? Date.now() % 100_000);

/** What chance may leave out. */
const FIRST: ReadonlyArray<[name: string, pick: number]> = [
  ['issue', 0],
  ['issue', 0],
  ['import', 1],
  ['revoke', 0],
  ['takeBack', 0],
  ['observe', 0],
  ['assign', 0],
  ['assign', 8],
  ['takeBack', 0],
  ['takeBack', 1],
  ['import', 3],
  ['pin', 0],
  ['takeBack', 0],
  ['revoke', 1],
  ['deauthorize', 0],
  ['takeBack', 0],
];

/** Those that can be taken back come more often than chance alone would let them. */
const NAMES = ['revoke', 'assign', 'pin', 'takeBack', 'takeBack', 'takeBack'];

type Place = ReturnType<typeof placeOf>;
type Places = ReadonlyMap<string, Place>;

const placeOf = ({
  id,
  state,
  client_id,
  account_id,
  grant_id,
  reason,
  app_proven,
  updated_at,
}: Mapping) => ({
  id,
  state,
  client_id,
  account_id,
  grant_id,
  reason,
  app_proven,
  updated_at,
});

interface ModelDeed {
  entry: number;
  /** The step of the action. */
  step: number;
  before: Places;
  after: Places;
  isTakenBack: boolean;
}

describe.each(databaseKinds)('on %s', (kind) => {
  const world = new TakeBackWorld();
  const deeds: ModelDeed[] = [];
  const snapshots: Array<{ at: number; places: Places }> = [];
  const outcomes = { taken: 0, refused: 0 };
  beforeAll(() => world.startOn(kind));
  afterAll(() => world.stop());

  const places = async (): Promise<Places> =>
    new Map((await world.rows()).map((row) => [row.id, placeOf(row)]));
  const newestEntry = async () => (await world.entries()).at(-1)?.id ?? 0;
  const isDeed = async (entry: number) => (await world.lead.get(world.formOf(entry))).status === 200;

  /** Keeps what a step changed, where its entries tell of a deed. */
  async function keepDeed(step: number, since: number, before: Places): Promise<void> {
    const entries = (await world.entries()).filter(({ id }) => id > since);
    for (const { id: entry } of entries) {
      if (!(await isDeed(entry))) continue;
      const after = await places();
      const changed = [...before].filter(
        ([id, place]) => JSON.stringify(place) !== JSON.stringify(after.get(id)),
      );
      const ids = new Set(changed.map(([id]) => id));
      const ofDeed = (all: Places) => new Map([...all].filter(([id]) => ids.has(id)));
      deeds.push({ entry, step, before: ofDeed(before), after: ofDeed(after), isTakenBack: false });
      return;
    }
  }

  const isParted = async ({ entry, before }: ModelDeed) =>
    (await world.entries()).some(
      ({ id, action, client_id: app, account_id: account }) =>
        id > entry &&
        action === 'deauthorized' &&
        [...before.values()].some((place) => place.client_id === app && place.account_id === account),
    );

  async function servesNobody(back: Places): Promise<boolean> {
    const grants = await world.db.selectFrom('grants').select('id').where('state', '<>', 'dead').execute();
    const live = new Set(grants.map(({ id }) => id));
    return [...back.values()].some(({ state, grant_id: id }) => state === 'active' && !live.has(id ?? ''));
  }

  async function takeBack(step: number, pick: number): Promise<void> {
    const deed = deeds.at(-1 - (pick % Math.max(1, Math.min(6, deeds.length))));
    if (!deed) return;
    const now = await places();
    const isUntouched = [...deed.after].every(
      ([id, place]) => JSON.stringify(now.get(id)) === JSON.stringify(place),
    );
    const why = await world.whyNot(deed.entry).catch((error: Error) => error.message);
    const { location = '' } = await world.forces(deed.entry);
    const [isTaken, then] = [location.includes('taken-back'), await places()];
    const told = { seed, step, deed: deed.entry, of: deed.step, why };
    if (isTaken) {
      expect({ ...told, isUntouched, isTwice: deed.isTakenBack }).toEqual({
        ...told,
        isUntouched: true,
        isTwice: false,
      });
      expect({ ...told, parted: await isParted(deed) }).toEqual({ ...told, parted: false });
      expect({ ...told, rows: [...then] }).toEqual({ ...told, rows: [...new Map([...now, ...deed.before])] });
      expect({ ...told, servesNobody: await servesNobody(deed.before) }).toEqual({
        ...told,
        servesNobody: false,
      });
      deed.isTakenBack = true;
      outcomes.taken += 1;
      return;
    }
    outcomes.refused += 1;
    expect({ ...told, rows: [...then] }).toEqual({ ...told, rows: [...now] });
    const isLost = why?.includes('the new API was told so') === true;
    if (!deed.isTakenBack && !isLost)
      expect({ ...told, came: deed.step < step - 1 }).toEqual({ ...told, came: true });
  }

  async function doStep(step: number, name: string, pick: number): Promise<void> {
    if (name === 'takeBack') return takeBack(step, pick);
    const [since, before] = [await newestEntry(), await places()];
    await world.actions[name]?.(pick);
    await keepDeed(step, since, before);
  }

  test(`TAKE_BACK_SEED=${seed}`, async () => {
    const names = [...Object.keys(world.actions), ...NAMES];
    const some = fc.array(fc.tuple(fc.constantFrom(...names), fc.nat(200)), {
      minLength: STEPS,
      maxLength: STEPS,
    });
    const [steps = []] = fc.sample(some, { seed, numRuns: 1 });
    for (const [step, [name, pick]] of [...FIRST, ...steps].entries()) {
      world.clock.advance(20_000);
      await doStep(step, name, pick);
      world.clock.advance(1000);
      snapshots.push({ at: world.clock.now(), places: await places() });
    }
    expect(outcomes.taken).toBeGreaterThan(2);
    expect(outcomes.refused).toBeGreaterThan(0);
    await world.chainIsWhole();
  }, 400_000);

  test('every moment is told afterwards as it was', async () => {
    for (const { at, places: then } of snapshots) {
      for (const [id, { state, client_id, account_id, grant_id, reason: cause }] of then) {
        const { json } = await world.pastOf(id, at);
        const { state: told, client_id: app, account_id: account, grant_id: grant, cause: why } = json;
        expect({ seed, at, id, told, app, account, grant, why }).toEqual({
          seed,
          at,
          id,
          told: state,
          app: client_id,
          account: account_id,
          grant: grant_id,
          why: cause,
        });
      }
    }
  }, 400_000);
});
