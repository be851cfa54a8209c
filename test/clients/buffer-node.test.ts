import { issueToken } from '../support/callers/legacy-calls.ts';
import { type OldClient, startOldClient } from './old-client.ts';

/** A channel of the demo account with posts in both lists. */
const TWITTER = '5e1f0c9a7b3d4e2f8a6c3d01';

describe('buffer-node 1.0 through an HTTPS proxy', () => {
  let old: OldClient;
  let token: string;

  beforeAll(async () => {
    old = await startOldClient('buffer-node.cjs');
    token = await issueToken(old.system);
  });

  afterAll(() => old.stop());

  test('buffer-node reads the user, whose id it finds under both names', async () => {
    const answer = await old.client.ask({ token, call: 'user' });

    const id = expect.stringMatching(/^[0-9a-f]{24}$/);
    expect(answer).toMatchObject({ data: { id, _id: id, created_at: expect.any(Number) } });
  });

  test('buffer-node reads all profiles and then one of them', async () => {
    const all = await old.client.ask({ token, call: 'profiles' });
    const [, id = ''] = /"id":"([0-9a-f]{24})"/.exec(JSON.stringify(all)) ?? [];
    expect(all).toHaveProperty('data.0.id', id);

    expect(await old.client.ask({ token, call: 'profile', id })).toMatchObject({ data: { id } });
  });

  test('buffer-node reads the lists of a profile, and one of its updates', async () => {
    const pending = await old.client.ask({ token, call: 'pending', id: TWITTER });
    const [, id = ''] = /"id":"([0-9a-f]{24})"/.exec(JSON.stringify(pending)) ?? [];
    const update = { id, profile_id: TWITTER, status: 'buffer', due_at: expect.any(Number) };
    expect(pending).toMatchObject({ data: { total: expect.any(Number), updates: [update, {}] } });
    expect(await old.client.ask({ token, call: 'update', id })).toMatchObject({ data: update });
    expect(await old.client.ask({ token, call: 'sent', id: TWITTER })).toMatchObject({
      data: { total: expect.any(Number), updates: [{ status: 'sent' }, { sent_at: expect.any(Number) }] },
    });
  });

  test('buffer-node makes a post, changes, moves, shares and deletes it', async () => {
    const made = await old.client.ask({ token, call: 'create', id: TWITTER });
    const [, id = ''] = /"id":"([0-9a-f]{24})"/.exec(JSON.stringify(made)) ?? [];
    const update = {
      id,
      profile_id: TWITTER,
      status: 'buffer',
      text: 'Written by buffer-node',
      type: 'picture',
    };
    expect(made).toMatchObject({ data: { success: true, updates: [update] } });
    expect(await old.client.ask({ token, call: 'change', id })).toMatchObject({
      data: { success: true, update: { id, text: 'Changed by buffer-node' } },
    });
    // The client gave the post a time of its own.
    expect(await old.client.ask({ token, call: 'moveToTop', id })).toMatchObject({
      errorCode: 1027,
      httpCode: 400,
    });
    expect(await old.client.ask({ token, call: 'share', id })).toMatchObject({ data: { success: true } });
    expect(await old.client.ask({ token, call: 'update', id })).toMatchObject({ data: { status: 'sent' } });
    expect(await old.client.ask({ token, call: 'destroy', id })).toMatchObject({ data: { success: true } });
    expect(await old.client.ask({ token, call: 'destroy', id })).toMatchObject({
      errorCode: 1020,
      httpCode: 404,
    });
  });

  test('buffer-node names the recorded error for an unknown update', async () => {
    const answer = await old.client.ask({ token, call: 'update', id: 'f'.repeat(24) });
    expect(answer).toEqual({ error: 'Update could not be found.', errorCode: 1020, httpCode: 404 });
  });

  test('buffer-node names the recorded error for an unknown profile', async () => {
    const answer = await old.client.ask({ token, call: 'profile', id: 'f'.repeat(24) });

    expect(answer).toEqual({ error: expect.any(String), errorCode: 1010, httpCode: 404 });
  });

  test('buffer-node names the recorded error for a wrong token', async () => {
    const answer = await old.client.ask({ token: `1/${'0'.repeat(32)}`, call: 'profiles' });

    expect(answer).toEqual({ error: 'The provided access token is invalid', errorCode: 401, httpCode: 401 });
  });

  test('buffer-node deauthorizes through its core', async () => {
    const app = await old.system.registerApp('https://second.example/callback');
    const spent = await issueToken(old.system, { app });
    const answer = await old.client.ask({ token: spent, call: 'deauthorize' });
    expect(answer).toEqual({ data: { success: true, message: 'Access successfully revoked!' } });

    expect(await old.client.ask({ token: spent, call: 'profiles' })).toMatchObject({ httpCode: 401 });
  });
});
