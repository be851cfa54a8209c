import { sql } from 'kysely';
import { type Bakery, openBakery, said, written } from '../support/bakery.ts';

/** What goes wrong in the bridge once the new API has answered a write: nothing of it changes what the caller is told. */

let bakery: Bakery;
let before: number;

beforeAll(async () => {
  bakery = await openBakery();
});

afterAll(() => bakery.system.stop());

beforeEach(async () => {
  before = (await bakery.rows()).length;
  const { durable } = bakery.system.bridge.context.store;
  await durable.updateTable('grants').set({ suspect_count: 1, suspect_until: 0 }).execute();
  await sql`create trigger broken before update of suspect_count on grants when new.suspect_count = 0
    begin select raise(abort, 'disk I/O error'); end`.execute(durable);
});

afterEach(async () => {
  bakery.mend();
  const { durable } = bakery.system.bridge.context.store;
  await sql`drop trigger broken`.execute(durable);
  await durable.updateTable('grants').set({ suspect_count: 0 }).execute();
});

const newRows = async () => (await bakery.rows()).slice(before);

test('a post that was made is told as made, and its row says so', async () => {
  const answer = await bakery.create('Made');
  expect([answer.status, answer.json.success]).toEqual([200, true]);
  expect(await bakery.made('Made')).toHaveLength(1);
  expect(await newRows()).toMatchObject([{ state: 'done', refusal: null }]);
});

test('a refusal is told as the new API gave it', async () => {
  bakery.instead(written({ __typename: 'InvalidInputError', message: 'Invalid post: too long' }));
  const answer = await bakery.create('Refused');
  expect([answer.status, answer.json.code]).toEqual([400, 1004]);
  expect(await newRows()).toMatchObject([{ state: 'refused', refusal: 'InvalidInputError' }]);
});

test('an answer that proves nothing leaves the row in doubt', async () => {
  bakery.instead(said(502, 'Bad gateway'));
  const answer = await bakery.create('Doubtful');
  expect([answer.status, answer.json.code]).toEqual([500, 1000]);
  expect(await newRows()).toMatchObject([{ state: 'in_doubt' }]);
});
