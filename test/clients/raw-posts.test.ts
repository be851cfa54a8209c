import { DAY } from '../../src/shared/lifetimes.ts';
import { type Bakery, openBakery } from '../posts/support/bakery.ts';
import { CHANNELS } from '../posts/support/posts.ts';
import {
  json,
  multipart,
  type RawAnswer,
  type RawRequest,
  rawForm,
  sendRaw,
} from '../support/raw-request.ts';

/** Posts as the old programs in PHP, Python, Ruby, Go and TypeScript write them: every byte as their code puts it there. */

/** What a program was told to send. */
interface Wanted {
  token: string;
  profile: string;
  text: string;
}

/** A week from now at ten in UTC, which some programs write in the zone of Berlin in winter. */
const DAY_OF_DUE = new Date(Date.now() + 7 * DAY).toISOString().slice(0, 10);
const DUE = Date.parse(`${DAY_OF_DUE}T10:00:00Z`) / 1000;

interface OldProgram {
  create(wanted: Wanted): RawRequest;
  list(wanted: Wanted): RawRequest;
  change(wanted: Wanted, id: string): RawRequest;
  destroy(wanted: Wanted, id: string): RawRequest;
}

const CREATE = '/1/updates/create.json';
const changePath = (id: string) => `/1/updates/${id}/update.json`;
const destroyPath = (id: string) => `/1/updates/${id}/destroy.json`;
const listPath = (id: string) => `/1/profiles/${id}/updates/pending.json`;

const slashEncoded = (token: string) => token.replace('/', '%2F');
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const post = (path: string, rest: Partial<RawRequest>): RawRequest => ({ method: 'POST', path, ...rest });
const encoded = encodeURIComponent;

/** A PHP array as cURL sends it: parts of a form, the token among them, after asking whether the body is wanted. */
const parts = (fields: Record<string, string>): Partial<RawRequest> => {
  const { headers, body } = multipart(fields);
  return { headers: { ...headers, expect: '100-continue' }, ...(body !== undefined && { body }) };
};

const bufferappPhp: OldProgram = {
  create: ({ token, profile, text }) =>
    post(CREATE, parts({ text, 'profile_ids[]': profile, shorten: '', access_token: token })),
  list: ({ token, profile }) => ({
    path: `${listPath(profile)}?count=100&access_token=${slashEncoded(token)}`,
  }),
  change: ({ token, text }, id) => post(changePath(id), parts({ text, utc: '1', access_token: token })),
  destroy: ({ token }, id) => post(destroyPath(id), parts({ access_token: token })),
};

/** Its GET has a form with nothing in it, and some of its paths begin with one slash too many. */
const wordPressPlugin: OldProgram = {
  create: ({ token, profile, text }) =>
    post(
      `${CREATE}?access_token=${token}`,
      rawForm(`profile_ids%5B0%5D=${profile}&text=${encoded(text)}&shorten=1&now=0&top=0&media%5Blink%5D=`),
    ),
  list: ({ token, profile }) => ({
    path: `/1//profiles/${profile}/updates/pending.json?access_token=${token}`,
  }),
  change: ({ token, text }, id) =>
    post(`${changePath(id)}?access_token=${token}`, rawForm(`text=${encoded(text)}`)),
  destroy: ({ token }, id) => post(`${destroyPath(id)}?access_token=${token}`, rawForm('')),
};

/** Nothing in its forms is encoded, and each ends with an ampersand; yes and no are Python's. */
const buffpy: OldProgram = {
  create: ({ token, profile, text }) =>
    post(CREATE, rawForm(`text=${text}&profile_ids[]=${profile}&shorten=True&top=True&`, bearer(token))),
  list: ({ token, profile }) => ({ path: listPath(profile), headers: bearer(token) }),
  change: ({ token, text }, id) => post(changePath(id), rawForm(`text=${text}&utc=True&`, bearer(token))),
  destroy: ({ token }, id) => post(destroyPath(id), rawForm('', bearer(token))),
};

/** The form once more in the address, under the name `body`. */
const rubyGem: OldProgram = {
  create: ({ token, profile, text }) =>
    post(
      `${CREATE}?access_token=${slashEncoded(token)}&body[text]=${encoded(text)}&body[profile_ids][]=${profile}`,
      rawForm(`text=${encoded(text)}&profile_ids[]=${profile}`),
    ),
  list: ({ token, profile }) => ({ path: `${listPath(profile)}?access_token=${slashEncoded(token)}` }),
  change: ({ token, text }, id) =>
    post(
      `${changePath(id)}?access_token=${slashEncoded(token)}&body[text]=${encoded(text)}`,
      rawForm(`text=${encoded(text)}`),
    ),
  destroy: ({ token }, id) => post(`${destroyPath(id)}?access_token=${slashEncoded(token)}`, rawForm('')),
};

/** By hand, with a separator before the first field. */
const kanedaRuby: OldProgram = {
  create: ({ token, profile, text }) =>
    post(`${CREATE}?access_token=${token}`, rawForm(`&text=${encoded(text)}&profile_ids[]=${profile}`)),
  list: ({ token, profile }) => ({ path: `${listPath(profile)}?access_token=${token}&utc=true` }),
  change: ({ token, text }, id) =>
    post(`${changePath(id)}?access_token=${token}`, rawForm(`text=${encoded(text)}`)),
  destroy: ({ token }, id) => post(`${destroyPath(id)}?access_token=${token}`, {}),
};

/** `DateTime::ISO8601` of PHP has no colon in the offset. */
const bufferPhpSdk: OldProgram = {
  create: ({ token, profile, text }) =>
    post(
      CREATE,
      rawForm(
        `text=${encoded(text)}&profile_ids%5B0%5D=${profile}&shorten=1&now=&top=&scheduled_at=${DAY_OF_DUE}T11%3A00%3A00%2B0100`,
        bearer(token),
      ),
    ),
  list: ({ token, profile }) => ({ path: `${listPath(profile)}?`, headers: bearer(token) }),
  change: ({ token, text }, id) => post(changePath(id), rawForm(`text=${encoded(text)}&now=`, bearer(token))),
  destroy: ({ token }, id) => post(destroyPath(id), { headers: bearer(token) }),
};

/** A form content type on every request, names in the order of the alphabet, and `bool` where `now` is meant. */
const bufferGo: OldProgram = {
  create: ({ token, profile, text }) =>
    post(
      CREATE,
      rawForm(
        `bool=false&profile_ids%5B%5D=${profile}&text=${encoded(text).replaceAll('%20', '+')}`,
        bearer(token),
      ),
    ),
  list: ({ token, profile }) => ({
    path: `${listPath(profile)}?count=50&page=1`,
    ...rawForm('', bearer(token)),
  }),
  change: ({ token, text }, id) => post(changePath(id), rawForm(`text=${encoded(text)}`, bearer(token))),
  destroy: ({ token }, id) => post(destroyPath(id), rawForm('', bearer(token))),
};

const bufferCli: OldProgram = {
  create: ({ token, profile, text }) =>
    post(
      `${CREATE}?access_token=${slashEncoded(token)}`,
      rawForm(
        `profile_ids%5B%5D=${profile}&text=${encoded(text)}&scheduled_at=${encoded(`${DAY_OF_DUE}T10:00:00Z`)}`,
      ),
    ),
  list: ({ token, profile }) => ({
    path: `${listPath(profile)}?access_token=${slashEncoded(token)}&count=20&page=1`,
  }),
  change: ({ token, text }, id) =>
    post(`${changePath(id)}?access_token=${slashEncoded(token)}`, rawForm(`text=${encoded(text)}`)),
  destroy: ({ token }, id) => post(`${destroyPath(id)}?access_token=${slashEncoded(token)}`, {}),
};

const handWrittenJson: OldProgram = {
  create: ({ token, profile, text }) =>
    post(CREATE, json({ access_token: token, profile_ids: [profile], text, now: false, media: null })),
  list: ({ token, profile }) => ({ path: listPath(profile), headers: bearer(token) }),
  change: ({ token, text }, id) => post(changePath(id), json({ access_token: token, text })),
  destroy: ({ token }, id) => post(destroyPath(id), json({ access_token: token })),
};

const PROGRAMS: Array<[string, OldProgram]> = [
  ['bufferapp-php', bufferappPhp],
  ['the WordPress plugin', wordPressPlugin],
  ['buffpy', buffpy],
  ['the Ruby gem', rubyGem],
  ['another Ruby client', kanedaRuby],
  ['buffer-php-sdk', bufferPhpSdk],
  ['buffer-go', bufferGo],
  ['buffer-cli', bufferCli],
  ['a program that sends JSON', handWrittenJson],
];

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
