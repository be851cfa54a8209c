import fc from 'fast-check';
import type { Mapping } from '../../../src/store/tables/tables.ts';
import { PastWorld } from './support/past-world.ts';
import { wordsOf } from '../../owners/support/people.ts';

/** After whatever happened: for each moment in between, what is told of it equals what was told at it. */

const STEPS = 24;

/** What chance may leave out. */
const FIRST: ReadonlyArray<[name: string, pick: number, seconds: number]> = [
  ['issue', 0, 40],
  ['import', 3, 40],
  ['import', 1, 40],
  ['observe', 0, 40],
  ['pin', 0, 40],
  ['assign', 8, 40],
  ['refuse', 0, 40],
  ['issue', 0, 40],
  ['assign', 0, 40],
  ['assign', 8, 40],
  // A token that stopped before it was assigned keeps its reason.
  ['assign', 0, 40],
  ['refuse', 0, 40],
  ['assign', 8, 40],
  ['issue', 0, 40],
  ['deauthorize', 0, 40],
];

/** Every kind of entry that changes a token; of hand-overs `token-at.test.ts` tells. */
const KINDS = [
  'account_pinned',
  'token_assigned',
  'token_connected',
  'token_imported',
  'token_issued',
  'token_observed',
  'token_reauthorization_required',
  'token_revoked',
];

const seed = Number(process.env['PAST_SEED'] ?? Date.now() % 100_000);

const world = new PastWorld();
beforeAll(() => world.start());
afterAll(() => world.stop());

const told = ({ id, state, client_id, account_id, grant_id, reason }: Mapping) => ({
  mapping_id: id,
  state,
  client_id,
  account_id,
  grant_id,
  cause: reason,
});

const isoOf = (at: number) => new Date(at).toISOString();

interface Snapshot {
  at: number;
  after: string;
  rows: ReturnType<typeof told>[];
}

async function live(): Promise<Snapshot[]> {
  const step = fc.tuple(
    fc.constantFrom(...Object.keys(world.actions)),
    fc.nat(200),
    fc.integer({ min: 1, max: 60 }),
  );
  const [steps = []] = fc.sample(fc.array(step, { minLength: STEPS, maxLength: STEPS }), {
    seed,
    numRuns: 1,
  });
  const snapshots: Snapshot[] = [];
  for (const [name, pick, seconds] of [...FIRST, ...steps]) {
    await world.actions[name]?.(pick);
    world.clock.advance(seconds * 1000);
    snapshots.push({ at: world.clock.now(), after: `${name} ${pick}`, rows: (await world.rows()).map(told) });
    world.clock.advance(1);
  }
  return snapshots;
}

test(`a random life of tokens is told as it was, moment by moment (PAST_SEED=${seed})`, async () => {
  const snapshots = await live();
  const last = snapshots.at(-1)?.rows ?? [];
  expect(await world.kinds()).toEqual(expect.arrayContaining(KINDS));
  for (const { mapping_id: id } of last) {
    for (const { at, after, rows } of snapshots) {
      const then = rows.find(({ mapping_id: other }) => other === id);
      const { ok, json } = await world.pastOf(id, at);
      const { mapping_id, state, client_id, account_id, grant_id, cause } = json;
      const now = { mapping_id, state, client_id, account_id, grant_id, cause };
      const wanted = then ?? { ...now, mapping_id: id, state: null };
      expect({ after, at: isoOf(at), ok, ...now }).toEqual({ after, at: isoOf(at), ok: true, ...wanted });
    }
  }
}, 400_000);

test('the command and the page say the same, now and of the newest moment', async () => {
  for (const { id } of (await world.rows()).slice(0, 8)) {
    const at = isoOf(world.clock.now());
    const [now, then] = [await world.find(id), await world.find(id, at)];
    for (const name of ['state', 'client_id', 'account_id'])
      expect([name, then.token[name]]).toEqual([name, now.token[name]]);
    const page = wordsOf(await world.lead.get(world.at(`/support/mappings/${id}?at=${at}`)));
    expect(page).toContain(then.lines.find((line) => line.includes('The history knows'))?.trim());
    expect(page).toContain(`App then ${String(then.token['client_id'])}`);
  }
});
