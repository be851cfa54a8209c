import { issueToken } from '../../support/callers/legacy-calls.ts';
import { sendRaw } from '../../support/callers/raw-request.ts';
import { startSystem, type System } from '../../support/bridge/system.ts';
import { CHANNELS } from '../support/posts.ts';

/** Numbers in a JSON body that are longer than a number of JavaScript is exact. */

const LONG = '654043184394207233';

let system: System;
let token: string;

beforeAll(async () => {
  system = await startSystem({ env: { LEGACY_RATE_LIMIT: '0' } });
  token = await issueToken(system);
});

afterAll(() => system.stop());

/** The answer, and the input of the post that was sent to the new API. */
async function create(body: string) {
  const before = system.proxy.readings().length;
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
  const request = { method: 'POST', path: '/1/updates/create.json', headers, body };
  const { json } = await sendRaw(system.bridgeUrl, request);
  const sent = system.proxy.readings().slice(before);
  const write = sent.find((reading) => reading.body.includes('createPost'));
  const { variables } = JSON.parse(write?.body ?? '{}') as { variables?: { input: object } };
  return { json, input: variables?.input };
}

const toTwitter = (fields: string) => create(`{"profile_ids":["${CHANNELS.twitter}"],${fields}}`);

test('a long number keeps every digit, and a text that holds one stays as it is', async () => {
  const unknown = `[-${LONG},0.${LONG},${LONG}.5,${LONG}e2,{"a\\"${LONG}":"${LONG}"}]`;
  const fields = `"text":"\\"Bread ${LONG}\\" ${LONG} \\\\","x":${unknown},"retweet":{"tweet_id": ${LONG} }`;
  const { input } = await toTwitter(fields);
  expect(input).toMatchObject({
    text: `"Bread ${LONG}" ${LONG} \\`,
    metadata: { twitter: { retweet: { id: LONG } } },
  });
});

test('the board of a pin may be a long number', async () => {
  const picture = '"media":{"photo":"https://images.example/bread.png"}';
  const { input } = await create(
    `{"profile_ids":["${CHANNELS.pinterest}"],"text":"Pin","subprofile_ids":[${LONG}],${picture}}`,
  );
  expect(input).toMatchObject({ metadata: { pinterest: { boardServiceId: LONG } } });
});

test.each(['scheduled_at', 'now'])('a long number is refused as %s, by its name', async (field) => {
  const { json, input } = await toTwitter(`"text":"x","${field}":${LONG}`);
  expect(json).toMatchObject({ code: 1006, error: expect.stringContaining(`The parameter ${field} `) });
  expect(input).toBeUndefined();
});

test('a text of millions of escapes is refused as any long text', async () => {
  const { json, input } = await toTwitter(`"text":"${String.raw`\"`.repeat(4_000_000)}"`);
  expect(json).toMatchObject({ code: 1004, error: expect.stringContaining('The parameter text ') });
  expect(input).toBeUndefined();
});

test('in a large body a long number keeps every digit, and one of an unknown parameter is ignored', async () => {
  const unknown = `"x":["${String.raw`\"`.repeat(150_000)}",1e300,${LONG},{"y":-${LONG}}]`;
  const { input } = await toTwitter(`"text":"Bread ${LONG}",${unknown},"retweet":{"tweet_id":${LONG}}`);
  expect(input).toMatchObject({
    text: `Bread ${LONG}`,
    metadata: { twitter: { retweet: { id: LONG } } },
  });
});

test.each(['', '-'])('a number of millions of digits is refused as any long text is (%s)', async (sign) => {
  const { json, input } = await toTwitter(`"text":${sign}${'1'.repeat(9_500_000)}`);
  expect(json).toMatchObject({ code: 1004, error: expect.stringContaining('The parameter text ') });
  expect(input).toBeUndefined();
});

test('a number of millions of digits in an unknown parameter is ignored', async () => {
  const { input } = await toTwitter(`"text":${LONG},"x":${'1'.repeat(9_500_000)}`);
  expect(input).toMatchObject({ text: LONG });
});
