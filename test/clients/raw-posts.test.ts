import { type Bakery, openBakery } from '../posts/support/bakery.ts';
import { CHANNELS } from '../posts/support/posts.ts';
import { type RawAnswer, type RawRequest, rawForm, sendRaw } from '../support/callers/raw-request.ts';
import {
  bearer,
  CREATE,
  DAY_OF_DUE,
  DUE,
  type OldProgram,
  post,
  PROGRAMS,
  type Wanted,
} from './support/old-programs.ts';

/** What the old programs make of the answers of the new API to their posts. */

interface Told {
  success: boolean;
  error?: unknown;
  message?: unknown;
  code?: unknown;
  updates: Array<{ id: string; text: string; due_at: number }>;
  update: { id: string; text: string };
}

const NOWHERE = 'f'.repeat(24);

let bakery: Bakery;
beforeAll(async () => {
  bakery = await openBakery();
});
afterAll(() => bakery.system.stop());

const send = async (request: RawRequest): Promise<RawAnswer & { json: Told }> => {
  const answer = await sendRaw(bakery.system.bridgeUrl, request);
  return { ...answer, json: answer.json as Told };
};

const wanted = (text: string, profile = CHANNELS.twitter): Wanted => ({
  token: bakery.token,
  profile,
  text,
});

describe.each(PROGRAMS)('%s', (name, program) => {
  test('posts, lists, changes and deletes', async () => {
    const text = `Brötchen – 50 % mehr, ${name}`.replace(name === 'buffpy' ? '%' : '', '');
    const created = await send(program.create(wanted(text)));
    expect([created.status, created.json]).toMatchObject([200, { success: true, updates: [{ text }] }]);
    const [{ id } = { id: '' }] = created.json.updates;
    expect((await bakery.made(text)).map((one) => one.id)).toEqual([id]);
    const listed = await send(program.list(wanted('')));
    expect([listed.status, listed.json.updates.map((one) => one.id)]).toEqual([
      200,
      expect.arrayContaining([id]),
    ]);
    const changed = await send(program.change(wanted(`${text}!`), id));
    expect([changed.status, changed.json]).toMatchObject([
      200,
      { success: true, update: { id, text: `${text}!` } },
    ]);
    const gone = await send(program.destroy(wanted(''), id));
    expect([gone.status, gone.json]).toMatchObject([200, { success: true }]);
    expect(await bakery.made(`${text}!`)).toEqual([]);
  });

  test.each<[string, (old: OldProgram) => RawRequest, number, number]>([
    ['a profile that is not theirs', (old) => old.create(wanted('To nobody', NOWHERE)), 403, 1011],
    ['an update that is not there', (old) => old.change(wanted('Of nobody'), NOWHERE), 404, 1020],
    ['a list of a profile that is not theirs', (old) => old.list(wanted('', NOWHERE)), 404, 1010],
  ])('is refused %s in a form that it reads', async (_what, ask, status, code) => {
    const answer = await send(ask(program));
    expect([answer.status, answer.json]).toMatchObject([status, { error: expect.any(String), code }]);
    expect(answer.text).not.toMatch(/"updates?"/);
  });

  test('is told of a wrong token as ever', async () => {
    const answer = await send(program.create({ ...wanted('Nobody'), token: `1/${'0'.repeat(32)}` }));
    expect([answer.status, answer.json]).toEqual([
      401,
      { error: 'The provided access token is invalid', code: 401 },
    ]);
  });
});

test.each([
  ['a space between date and time, as Python writes it', `${DAY_OF_DUE} 10:00:00`],
  ['an offset whose plus was not encoded', `${DAY_OF_DUE}T11:00:00+01:00`],
  ['an offset without a colon', `${DAY_OF_DUE}T11:00:00%2B0100`],
  ['milliseconds, as JavaScript writes them', `${DAY_OF_DUE}T10:00:00.000Z`],
  ['seconds since 1970', String(DUE)],
])('a time is understood with %s', async (what, time) => {
  const body = rawForm(
    `text=${what}&profile_ids[]=${CHANNELS.twitter}&scheduled_at=${time}&`,
    bearer(bakery.token),
  );
  const { status, json: told } = await send(post(CREATE, body));
  expect([status, told]).toMatchObject([200, { updates: [{ due_at: DUE }] }]);
});
