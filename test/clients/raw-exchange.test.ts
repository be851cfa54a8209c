import { exchangeFields, freshCode } from '../support/callers/legacy-calls.ts';
import { json, multipart, type RawAnswer, rawForm, sendRaw } from '../support/callers/raw-request.ts';
import { type System, startSystem } from '../support/bridge/system.ts';

const ISSUED = /^\{"access_token":"1\/[0-9a-f]{32}"\}$/;
const CALLBACK = 'https://old-app.example/callback';

type Content = ReturnType<typeof rawForm>;

const basic = (id: string, secret: string) => ({
  authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
});

/** A form body built by hand: nothing in it is encoded. */
const unencoded = (fields: Record<string, string>) =>
  Object.entries(fields)
    .map(([name, value]) => `${name}=${value}`)
    .join('&');

describe('the exchange as old clients wrote it by hand', () => {
  let system: System;

  beforeAll(async () => {
    system = await startSystem({ callback: CALLBACK });
  });

  afterAll(() => system.stop());

  const exchange = (content: Content): Promise<RawAnswer> =>
    sendRaw(system.bridgeUrl, { method: 'POST', path: '/1/oauth2/token.json', ...content });

  const wireForms: Array<[string, (fields: Record<string, string>) => Content]> = [
    ['a form with the slash encoded once', (fields) => rawForm(new URLSearchParams(fields).toString())],
    ['a form with a raw slash and a raw callback', (fields) => rawForm(unencoded(fields))],
    ['a form with a trailing ampersand', (fields) => rawForm(`${new URLSearchParams(fields).toString()}&`)],
    ['a multipart body', multipart],
    ['a JSON body', json],
  ];

  test.each(wireForms)('%s is exchanged for a token and nothing else', async (_name, write) => {
    const answer = await exchange(write(exchangeFields(system.app, await freshCode(system))));

    expect(answer).toMatchObject({ status: 200, text: expect.stringMatching(ISSUED) });
    expect(answer.headers['content-type']).toMatch(/^application\/json/);
    expect(answer.headers['cache-control']).toContain('no-store');
  });

  test('a code encoded twice is invalid_grant, and is still good when sent as it should be', async () => {
    const fields = exchangeFields(system.app, await freshCode(system));
    const twice = await exchange(
      rawForm(unencoded({ ...fields, code: fields['code']!.replace('/', '%252F') })),
    );
    expect(twice).toMatchObject({ status: 400, json: { error: 'invalid_grant' } });

    expect(await exchange(rawForm(unencoded(fields)))).toMatchObject({ status: 200 });
  });

  test('a code is exchanged once', async () => {
    const content = rawForm(unencoded(exchangeFields(system.app, await freshCode(system))));
    expect(await exchange(content)).toMatchObject({ status: 200 });

    expect(await exchange(content)).toMatchObject({
      status: 400,
      json: { error: 'invalid_grant', error_description: expect.any(String) },
    });
  });

  test('client credentials in a Basic header alone are enough', async () => {
    const {
      client_id: id,
      client_secret: secret,
      ...rest
    } = exchangeFields(system.app, await freshCode(system));

    expect(await exchange(rawForm(unencoded(rest), basic(id!, secret!)))).toMatchObject({ status: 200 });
  });

  test('a client that tries Basic first and is refused repeats with the same code in the body', async () => {
    const fields = exchangeFields(system.app, await freshCode(system));
    const { client_id: id, client_secret: _secret, ...rest } = fields;
    const refused = await exchange(rawForm(unencoded(rest), basic(id!, 'of another style')));
    expect(refused).toMatchObject({ status: 401, json: { error: 'invalid_client' } });

    expect(await exchange(rawForm(unencoded(fields)))).toMatchObject({ status: 200 });
  });

  test('a wrong secret in the body is the recorded 400, and the code stays usable', async () => {
    const fields = exchangeFields(system.app, await freshCode(system));
    expect(await exchange(rawForm(unencoded({ ...fields, client_secret: 'mistyped' })))).toMatchObject({
      status: 400,
      json: { error: 'invalid_client', error_description: expect.any(String) },
    });

    expect(await exchange(rawForm(unencoded(fields)))).toMatchObject({ status: 200 });
  });

  test('a malformed request leaves its code usable', async () => {
    const fields = exchangeFields(system.app, await freshCode(system));
    const { grant_type: _type, ...incomplete } = fields;
    expect(await exchange(rawForm(unencoded(incomplete)))).toMatchObject({
      status: 400,
      json: { error: 'invalid_request' },
    });

    expect(await exchange(rawForm(unencoded(fields)))).toMatchObject({ status: 200 });
  });

  test('a redirect URI that repeats the query of the callback is the authorized one', async () => {
    const fields = exchangeFields(system.app, await freshCode(system));
    const repeated = { ...fields, redirect_uri: `${CALLBACK}?code=${fields['code']}&state=af0ifjsldkj` };

    expect(await exchange(rawForm(new URLSearchParams(repeated).toString()))).toMatchObject({ status: 200 });
  });

  test.each([
    `${CALLBACK}/more`,
    `${CALLBACK}x`,
    'https://old-app.example/',
    'https://other.example/callback',
  ])('the redirect URI %s is not the authorized one', async (redirect_uri) => {
    const fields = { ...exchangeFields(system.app, await freshCode(system)), redirect_uri };

    expect(await exchange(rawForm(new URLSearchParams(fields).toString()))).toMatchObject({
      status: 400,
      json: { error: 'invalid_grant' },
    });
  });

  test('parameters that no version knew are ignored', async () => {
    const fields = {
      ...exchangeFields(system.app, await freshCode(system)),
      type: 'web_server',
      access_type: 'online',
    };

    expect(await exchange(rawForm(new URLSearchParams(fields).toString()))).toMatchObject({ status: 200 });
  });
});
