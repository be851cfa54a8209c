import { DAY } from '../../src/shared/lifetimes.ts';
import { setDate } from '../reminders/support/planning-ground.ts';
import { rowsOf } from '../roles/support/rows.ts';
import { keyFor, type Program, problemIn, programOf } from './support/api-client.ts';
import { type ApiGround, openGround, someApp } from './support/ground.ts';

/** An extension is not ended by a slip where that ends calls at once. */

let ground: ApiGround;
let program: Program;
const reason = 'ticket 4711';
const inDays = (days: number) => new Date(Date.now() + days * DAY).toISOString();

beforeAll(async () => {
  ground = await openGround('sqlite');
  program = programOf(ground, (await keyFor(ground, 'lead')).key);
});
afterAll(() => ground.stop());

/** An app that has more time than the sunset of all, in so many days. */
async function extendedBeyond(days: number): Promise<string> {
  const clientId = await someApp(ground);
  await setDate(ground.bridge.context, 'sunset', inDays(days));
  const extended = { date: 'sunset', until: inDays(90), reason };
  expect((await program.post(`/apps/${clientId}/extend`, extended)).status).toBe(200);
  return clientId;
}

const unextend = (clientId: string, more: object = {}) =>
  program.post(`/apps/${clientId}/unextend`, { date: 'sunset', reason, ...more });

test('where the date of all is past it takes a word more, and without it nothing changes', async () => {
  const clientId = await extendedBeyond(-20);
  const before = await rowsOf(ground);
  for (const more of [{}, { is_forced: false }]) {
    const refused = await unextend(clientId, more);
    expect(problemIn(refused)).toBe('409 not-possible');
    expect(refused.text).toContain('it would end every old address of this app at once');
  }
  const after = await rowsOf(ground);
  expect(Object.keys(after).filter((table) => after[table] !== before[table])).toEqual([]);
  expect((await unextend(clientId, { is_forced: true })).status).toBe(200);
});

test('where it is ahead, or the extension is over, nothing ends by that', async () => {
  expect((await unextend(await extendedBeyond(20))).status).toBe(200);
  const clientId = await extendedBeyond(-20);
  const { durable } = ground.bridge.context.store;
  await durable
    .updateTable('extensions')
    .set({ until: Date.now() - DAY })
    .execute();
  expect((await unextend(clientId)).status).toBe(200);
});
