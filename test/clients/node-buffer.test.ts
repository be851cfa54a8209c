import { issueToken } from '../support/callers/legacy-calls.ts';
import { type OldClient, startOldClient } from './old-client.ts';

const path = (list: string) => `profiles/5e1f0c9a7b3d4e2f8a6c3d01/updates/${list}`;

describe('node-buffer 1.0 through an HTTPS proxy', () => {
  let old: OldClient;
  let token: string;

  beforeAll(async () => {
    old = await startOldClient('node-buffer.cjs');
    token = await issueToken(old.system);
  });

  afterAll(() => old.stop());

  test('node-buffer reads the profiles as a bare array', async () => {
    const answer = await old.client.ask({ token, method: 'get', path: '/profiles.json' });

    expect(answer).toMatchObject({ error: null, status: 200 });
    expect(answer).toHaveProperty('data.0.id', expect.stringMatching(/^[0-9a-f]{24}$/));
  });

  test('node-buffer adds the suffix itself when the path has none', async () => {
    const answer = await old.client.ask({ token, method: 'get', path: 'user' });

    expect(answer).toMatchObject({ error: null, status: 200, data: { id: expect.any(String) } });
    expect(old.seen).toContain('GET api.bufferapp.com /1/user.json');
  });

  test('node-buffer passes unknown parameters without harm', async () => {
    const params = { subprofiles: 'true', locked: 'true', pretty: 'true' };
    const answer = await old.client.ask({ token, method: 'get', path: '/profiles.json', params });

    expect(answer).toMatchObject({ error: null, status: 200, data: expect.any(Array) });
  });

  test('node-buffer reads the lists of a profile, and one of its updates', async () => {
    const params = { page: 1, count: 3, utc: true };
    const pending = await old.client.ask({ token, method: 'get', path: path('pending'), params });
    const [, id = ''] = /"id":"([0-9a-f]{24})"/.exec(JSON.stringify(pending)) ?? [];
    expect(pending).toMatchObject({
      error: null,
      data: { total: expect.any(Number), updates: [{ id }, {}, {}] },
    });
    const sent = await old.client.ask({ token, method: 'get', path: path('sent') });
    expect(sent).toMatchObject({ error: null, data: { total: 4 } });
    const update = await old.client.ask({ token, method: 'get', path: `updates/${id}` });
    expect(update).toMatchObject({ error: null, status: 200, data: { id, status: 'buffer' } });
    const refused = await old.client.ask({
      token,
      method: 'get',
      path: path('sent'),
      params: { count: 500 },
    });
    expect(refused).toMatchObject({ error: 'Status Code: 400', data: { code: 1006 } });
  });

  test('node-buffer makes a post, and hands a refusal on', async () => {
    const params = { profile_ids: ['5e1f0c9a7b3d4e2f8a6c3d01'], text: 'Written by node-buffer', top: true };
    const call = { token, method: 'post', path: 'updates/create' };
    expect(await old.client.ask({ ...call, params })).toMatchObject({
      error: null,
      status: 200,
      data: { success: true, updates: [{ text: params.text, status: 'buffer' }] },
    });
    expect(await old.client.ask({ ...call, params: { text: 'To nobody' } })).toMatchObject({
      error: 'Status Code: 400',
      data: { success: false, code: 1004, error: 'The parameter profile_ids is missing.' },
    });
  });

  test('node-buffer deauthorizes with an empty form body, and the token is refused from then on', async () => {
    const app = await old.system.registerApp('https://second.example/callback');
    const spent = await issueToken(old.system, { app });
    const answer = await old.client.ask({ token: spent, method: 'post', path: '/user/deauthorize.json' });
    expect(answer).toEqual({
      error: null,
      status: 200,
      data: { success: true, message: 'Access successfully revoked!' },
    });

    const after = await old.client.ask({ token: spent, method: 'get', path: '/profiles.json' });
    expect(after).toMatchObject({
      error: 'Status Code: 401',
      data: { error: 'The provided access token is invalid', code: 401 },
    });
  });
});
