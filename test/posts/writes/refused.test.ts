import { PassThrough } from 'node:stream';
import { transports } from 'winston';
import { until } from '../../support/servers/held-answer.ts';
import { type Bakery, isWrite, openBakery, said, withScope, written } from '../support/bakery.ts';
import { CHANNELS } from '../support/posts.ts';

/** What proves that a create was not done, and what its caller is told then. */

/** Where a refusal leads that has no better address. */
const PAGE = expect.stringMatching(/\/lifecycle$/);

let bakery: Bakery;
let count = 0;
let text: string;
let before: number;

beforeAll(async () => {
  bakery = await openBakery();
});

afterAll(() => bakery.system.stop());

beforeEach(async () => {
  count += 1;
  text = `Roll ${count}`;
  before = (await bakery.rows()).length;
});

afterEach(() => bakery.mend());

const newRows = async () => (await bakery.rows()).slice(before);

const errors = (message: string, code: string) => ({ errors: [{ message, extensions: { code } }] });

test('a well-formed 401 renews the access token, and the post is made once', async () => {
  const { proxy } = bakery.system;
  const refreshes = proxy.refreshes().length;
  bakery.instead(said(401, errors('Access token is not valid', 'UNAUTHENTICATED')));
  const answer = await bakery.create(text);
  expect(answer.json.message).toBe('The update was added to the queue.');
  expect(proxy.refreshes()).toHaveLength(refreshes + 1);
  expect(await newRows()).toMatchObject([{ state: 'done' }]);
  expect(await bakery.made(text)).toHaveLength(1);
});

test('a 429 is passed on with its time, and nothing is sent before that time', async () => {
  const { proxy } = bakery.system;
  const limit = errors('Too many requests', 'RATE_LIMIT_EXCEEDED');
  bakery.instead(said(429, limit, { 'retry-after': '2' }));
  const first = await bakery.create(text);
  expect([first.status, first.headers['retry-after'], first.json.success]).toEqual([429, '2', false]);
  const message = 'Too many requests. Nothing was posted. Try again in 2 seconds.';
  expect(first.json).toMatchObject({ error: message, message, code: 429 });
  expect(await newRows()).toMatchObject([{ state: 'refused', refusal: 'limited' }]);
  const requests = proxy.readings().length;
  expect((await bakery.create(text)).status).toBe(429);
  expect(proxy.readings()).toHaveLength(requests);
  await until(async () => (await bakery.create(text)).status === 200);
  expect(await bakery.made(text)).toHaveLength(1);
});

test.each([
  ['InvalidInputError', 'Text is required', 400, 1004],
  ['InvalidInputError', 'Invalid post: too long', 400, 1004],
  ['InvalidInputError', 'Invalid post: a poll has no pictures', 400, 1022],
  ['LimitReachedError', 'No more', 403, 1023],
  ['NotFoundError', 'Channel not found', 404, 1010],
  ['UnauthorizedError', 'Not allowed', 403, 1011],
])('%s "%s" is a %s with code %s', async (type, message, status, code) => {
  bakery.instead(written({ __typename: type, message }));
  const answer = await bakery.create(text);
  expect(answer.status).toBe(status);
  expect(answer.json).toEqual({ success: false, error: message, message, code, link: PAGE });
  expect(await newRows()).toMatchObject([{ state: 'refused', refusal: type }]);
});

test.each(['UnexpectedError', 'ErrorOfLaterDays'])(
  'the error %s, which nobody can explain, is in doubt, with its words, for the post may be there',
  async (type) => {
    bakery.instead(written({ __typename: type, message: 'It broke' }));
    const answer = await bakery.create(text);
    const message =
      'The new API answered: It broke. The update may have been posted: look at the profile before you send the update again.';
    expect([answer.status, answer.json]).toEqual([
      500,
      { success: false, error: message, message, code: 1000, link: expect.any(String) },
    ]);
    expect(await newRows()).toMatchObject([{ state: 'in_doubt' }]);
  },
);

test.each([
  ['NOT_FOUND', 200, 404, 1010],
  ['GRAPHQL_VALIDATION_FAILED', 400, 400, 1022],
])('the error %s under %s is a %s with code %s', async (name, given, status, code) => {
  bakery.instead(said(given, errors('Words', name)));
  const answer = await bakery.create(text);
  expect([answer.status, answer.json]).toEqual([
    status,
    { success: false, error: 'Words', message: 'Words', code, link: PAGE },
  ]);
});

test('the number and the link of the old API are passed on', async () => {
  const link = 'https://faq.example/limit';
  bakery.instead(written({ __typename: 'RestProxyError', message: 'Duplicate', code: 1025, link }));
  const answer = await bakery.create(text);
  expect([answer.status, answer.json]).toEqual([
    400,
    { success: false, error: 'Duplicate', code: 1025, message: 'Duplicate', link },
  ]);
});

test.each([401, 403, 1001])('the number %s, which speaks of the token, is not handed on', async (code) => {
  bakery.instead(written({ __typename: 'RestProxyError', message: 'Words', link: null, code }));
  const created = await bakery.create(text);
  expect([created.status, created.json.code]).toEqual([403, 1011]);
  bakery.instead(written({ __typename: 'RestProxyError', message: 'Words', link: null, code }));
  const changed = await bakery.post(`updates/${'a'.repeat(24)}/update`, [['text', text]]);
  expect([changed.status, changed.json.code]).toEqual([403, 1021]);
});

test('a change that nothing is left for says for how many minutes', async () => {
  const limit = errors('Too many requests', 'RATE_LIMIT_EXCEEDED');
  const paused = await openBakery();
  paused.instead(said(429, limit, { 'retry-after': '90' }));
  const answer = await paused.post(`updates/${'a'.repeat(24)}/destroy`);
  await paused.system.stop();
  const message = 'Too many requests. Nothing was changed. Try again in 2 minutes.';
  expect([answer.status, answer.json]).toEqual([
    429,
    { success: false, error: message, message, code: 429, link: PAGE },
  ]);
});

test.each(['update', 'share', 'destroy', 'move_to_top'])(
  '%s of an update that is not there says so in the words of the old API',
  async (call) => {
    const message = 'Update could not be found.';
    const answer = await bakery.post(`updates/${'a'.repeat(24)}/${call}`, [['text', text]]);
    expect([answer.status, answer.json]).toEqual([
      404,
      { success: false, error: message, message, code: 1020, link: PAGE },
    ]);
  },
);

test('a limit that is handed on by its number has a time to wait', async () => {
  bakery.instead(written({ __typename: 'RestProxyError', message: 'Too many', link: null, code: 429 }));
  const answer = await bakery.create(text);
  expect([answer.status, answer.json.code, answer.headers['retry-after']]).toEqual([429, 429, '60']);
});

/** Sends to two profiles, of which one is answered by the new API and the other as given. */
async function createBeside(answer: ReturnType<typeof said>) {
  bakery.system.proxy.insteadOfOther = (call) =>
    isWrite(call) && call.body.includes(CHANNELS.threads) ? answer : undefined;
  const { status, json } = await bakery.create(text, [CHANNELS.twitter, CHANNELS.threads]);
  expect([status, json.success, json.updates?.length]).toEqual([200, true, 1]);
  return json.message;
}

const withRights = async (scope: string) =>
  void (await bakery.system.bridge.context.store.durable.updateTable('grants').set({ scope }).execute());

const rightsOf = () =>
  bakery.system.bridge.context.store.durable.selectFrom('grants').select('scope').executeTakeFirstOrThrow();

/** The new API says no, and the rights of the grant have become fewer by the time it does. */
async function afterRightsWereLost<Told>(work: () => Promise<Told>): Promise<Told> {
  const { scope } = await rightsOf();
  bakery.system.proxy.onOtherAnswer = async (call, answer) => {
    if (isWrite(call)) await withRights('account:read offline_access');
    return answer;
  };
  try {
    return await work();
  } finally {
    await withRights(scope);
  }
}

test('a profile that the account may not post to is named, and nobody is asked to consent again', async () => {
  const message = await createBeside(said(200, errors('Not allowed', 'FORBIDDEN')));
  expect(message).toMatch(/Nothing was posted to .*: Not allowed/);
  expect(message).not.toContain('authorize');
});

const createBesideForbidden = () => createBeside(said(200, errors('Not allowed', 'FORBIDDEN')));

test('a profile whose grant lost the right meanwhile is told the way to more rights', async () => {
  expect(await afterRightsWereLost(createBesideForbidden)).toMatch(
    /Nothing was posted to .*: The connection behind this token does not include posts:write\. Its owner has to authorize the app again\. http.*\/apps\//,
  );
});

test('a profile that the budget is too small for is told how long to wait', async () => {
  const limit = errors('Too many requests', 'RATE_LIMIT_EXCEEDED');
  const message = await createBeside(said(429, limit, { 'retry-after': '1' }));
  expect(message).toMatch(
    /Nothing was posted to .*: the new API takes no more requests of this app for now\. Try this profile again in 1 second\./,
  );
  await until(async () => (await bakery.create(text)).status === 200);
});

test.each([
  [
    'the old API failed',
    { __typename: 'RestProxyError', message: 'You posted "a secret" already', code: 1000 },
  ],
  ['the new API failed', { __typename: 'UnexpectedError', message: 'It broke at "a secret"' }],
  ['the error is new', { __typename: 'BurntError', message: 'It burnt at "a secret"' }],
])('what a refusal quotes of a post is for the caller, and no line of an error: %s', async (_, payload) => {
  const stream = new PassThrough();
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  const transport = new transports.Stream({ stream });
  bakery.system.bridge.context.logger.add(transport);
  bakery.instead(written(payload));
  const answer = await bakery.create(text);
  await until(async () => Buffer.concat(chunks).includes('a write was not done'));
  bakery.system.bridge.context.logger.remove(transport);
  expect(answer.status).toBe(500);
  expect(answer.json.message).toContain(payload.message);
  // A fault proves nothing: the post may be there.
  expect(answer.json.message).toContain('may have been posted');
  expect((await bakery.rows()).at(-1)).toMatchObject({ state: 'in_doubt' });
  const lines = Buffer.concat(chunks).toString();
  expect(lines).not.toContain('a secret');
  expect(lines.includes('BurntError')).toBe(payload.__typename === 'BurntError');
  expect(lines).not.toContain('"level":"error"');
});

test('what the account itself may not do is told in the words of the new API, and no consent is asked for', async () => {
  bakery.instead(said(200, errors('Not allowed', 'FORBIDDEN')));
  const created = await bakery.create(text);
  const told = { success: false, error: 'Not allowed', message: 'Not allowed', link: PAGE };
  expect([created.status, created.json]).toEqual([403, { ...told, code: 1011 }]);
  bakery.instead(said(200, errors('Not allowed', 'FORBIDDEN')));
  const changed = await bakery.post(`updates/${'a'.repeat(24)}/update`, [['text', text]]);
  expect([changed.status, changed.json]).toEqual([403, { ...told, code: 1021 }]);
});

test('a grant that lost the right meanwhile is told the way to more rights', async () => {
  bakery.instead(said(200, errors('Not allowed', 'FORBIDDEN')));
  const answer = await afterRightsWereLost(() => bakery.create(text));
  expect([answer.status, answer.json]).toEqual([
    403,
    {
      success: false,
      error: 'Not within application scope.',
      message: 'Not within application scope.',
      code: 1002,
      link: PAGE,
      reauthorize: {
        reason: expect.stringContaining('posts:write'),
        link: expect.stringContaining('/apps/'),
      },
    },
  ]);
});

/** An update that brings a picture needs a look at the post, which is refused. */
const withPicture = () =>
  bakery.post(`updates/${'a'.repeat(24)}/update`, [
    ['text', text],
    ['media[photo]', 'https://images.example/a.png'],
  ]);

test('an update with media of a grant that may not read posts is told the way to more rights', async () => {
  const answer = await withScope(bakery.system, 'account:read posts:write offline_access', withPicture);
  const reauthorize = { reason: expect.stringContaining('posts:read'), link: expect.any(String) };
  expect([answer.status, answer.json]).toMatchObject([403, { success: false, code: 1002, reauthorize }]);
  expect(await newRows()).toEqual([]);
});

test('an update with media of a post that the account may not see is not allowed', async () => {
  const forbidden = said(200, errors('Not allowed', 'FORBIDDEN'));
  bakery.system.proxy.insteadOfOther = ({ body }) => (body.includes('query Look') ? forbidden : undefined);
  const answer = await withPicture();
  const message = 'The account of this token has no right to this update.';
  const told = { success: false, error: message, message, code: 1021, link: PAGE };
  expect([answer.status, answer.json]).toEqual([403, told]);
  expect(await newRows()).toEqual([]);
});

test('where no connection comes about nothing was sent, and the caller may come again', async () => {
  await bakery.system.proxy.close();
  const answer = await bakery.create(text);
  expect([answer.status, answer.json.success, answer.json.code]).toEqual([503, false, 1000]);
  expect(answer.headers['retry-after']).toBeDefined();
  expect(await newRows()).toEqual([]);
});
