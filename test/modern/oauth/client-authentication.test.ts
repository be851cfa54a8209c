import {
  exchangeFields,
  NO_SECRET,
  refreshFields,
  withConfidentialGrant,
} from '../support/confidential-grant.ts';
import { CLIENT_SECRET, CONFIDENTIAL, PUBLIC } from '../support/modern.ts';
import { base } from '../support/running-modern.ts';
import { basic, expectRefusal, type Fields, form, long, postRaw } from '../support/token-requests.ts';

/** Fewer than twenty wrong secrets: from there on the brake answers (client-secret-brake.test.ts). */

/** Every refusal below must leave the code and the refresh token as they are. */
withConfidentialGrant('account:read offline_access');

describe('client authentication', () => {
  test.each<[string, Fields]>([
    ['an unknown app', { client_id: 'nobody' }],
    ['an app named __proto__', { client_id: '__proto__' }],
    ['an app named constructor', { client_id: 'constructor' }],
    ['an app with a NUL behind its name', { client_id: `${CONFIDENTIAL}\u0000` }],
    ['an app of 10 kB', { client_id: long(10_000) }],
    ['a confidential app without its secret', { client_secret: undefined }],
    ['an empty secret', { client_secret: '' }],
    ['a secret that is wrong in its first letter', { client_secret: `b${CLIENT_SECRET.slice(1)}` }],
    ['a secret that is wrong in its last letter', { client_secret: `${CLIENT_SECRET.slice(0, -1)}q` }],
    ['a shorter secret', { client_secret: CLIENT_SECRET.slice(0, -1) }],
    ['a longer secret', { client_secret: `${CLIENT_SECRET}x` }],
    ['a secret with a line break', { client_secret: `${CLIENT_SECRET}\n` }],
    ['a secret of 10 kB', { client_secret: long(10_000) }],
  ])('%s is invalid_client, in the same words', async (_what, fields) => {
    for (const grant of [exchangeFields(), refreshFields()]) {
      const answer = await postRaw(base, form({ ...grant, ...fields }));
      expectRefusal(answer, [401, 'invalid_client']);
      expect(answer.json).toMatchObject({ error_description: 'client authentication failed' });
    }
  });

  test.each([
    ['a secret', 'client_secret=anything'],
    ['an empty secret', 'client_secret='],
  ])('a public app that sends %s is invalid_client at exchange and refresh', async (_what, extra) => {
    for (const grant of [exchangeFields(), refreshFields()])
      expectRefusal(await postRaw(base, `${form({ ...grant, ...NO_SECRET, client_id: PUBLIC })}&${extra}`), [
        401,
        'invalid_client',
      ]);
  });

  test('without a client_id anywhere it is invalid_request', async () => {
    for (const grant of [exchangeFields(), refreshFields()])
      expectRefusal(await postRaw(base, form({ ...grant, client_id: undefined, ...NO_SECRET })), [
        400,
        'invalid_request',
      ]);
  });

  test.each<[string, Record<string, string>, [number, string]]>([
    ['a wrong secret', basic(CONFIDENTIAL, 'wrong'), [401, 'invalid_client']],
    ['an unknown app', basic('nobody', CLIENT_SECRET), [400, 'invalid_request']],
    ['no secret', basic(CONFIDENTIAL, ''), [400, 'invalid_request']],
    ['no colon', { authorization: `Basic ${btoa(CONFIDENTIAL)}` }, [400, 'invalid_request']],
    ['bad base64', { authorization: 'Basic %%%' }, [400, 'invalid_request']],
    ['a broken escape', basic(CONFIDENTIAL, '%zz'), [400, 'invalid_request']],
    ['letters beyond ASCII', basic(CONFIDENTIAL, 'é'), [400, 'invalid_request']],
    ['9 kB', basic(CONFIDENTIAL, long(9000)), [401, 'invalid_client']],
    ['the scheme Bearer', { authorization: 'Bearer x' }, [400, 'invalid_request']],
  ])('Basic with %s is refused', async (_what, headers, expected) => {
    expectRefusal(await postRaw(base, form({ ...refreshFields(), ...NO_SECRET }), { headers }), expected);
  });

  test('Basic and a body secret together are invalid_request, though both are right', async () => {
    const headers = basic(CONFIDENTIAL, CLIENT_SECRET);
    expectRefusal(await postRaw(base, form(refreshFields()), { headers }), [400, 'invalid_request']);
  });
});

test('after all those refusals the code and the refresh token are still good', async () => {
  for (const grant of [exchangeFields(), refreshFields()])
    expect((await postRaw(base, form(grant))).status).toBe(200);
});
