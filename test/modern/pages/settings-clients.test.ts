import {
  asClient,
  confirm,
  countOfClients,
  deleteClients,
  deletePaths,
  newSecret,
  register,
  registered,
  tokensOf,
} from '../support/clients.ts';
import {
  apiStatus,
  authorizationUrl,
  consent,
  exchange,
  open,
  REDIRECT_URI,
  refresh,
} from '../support/modern.ts';
import { base, modern, rows } from '../support/running-modern.ts';
import { dana, sam, withDanaAndSam } from '../support/settings-people.ts';
import { csrfOf, sendForm, signedIn, valueOf } from '../support/settings.ts';

withDanaAndSam();
afterEach(deleteClients);

const SAME_SITE = { 'sec-fetch-site': 'same-origin' };
const NEW = '/settings/api/clients/new';

describe('registering a client', () => {
  test('that is confidential gives a client id and, once, a secret; both work at /token', async () => {
    const page = await register(base, dana);
    expect(page.headers.get('cache-control')).toBe('no-store');
    const client = await registered(base, dana);
    expect(client.id).toMatch(/^[0-9a-f]{24}$/);
    expect(client.secret).toMatch(/^[\w-]{43}$/);
    for (const address of ['/auth', '/token', '/.well-known/openid-configuration'])
      expect(page.body).toContain(`<code>${base}${address}</code>`);
    const { status, body } = await tokensOf(base, dana, client);
    expect(status).toBe(200);
    expect(await apiStatus(base, body['access_token'])).toBe(200);
    const later = await dana.get(base + client.path);
    expect(later.body).not.toContain(client.secret);
    expect(later.body).toContain(`…${client.secret.slice(-4)}`);
  });

  test('that is public gives a client id alone, and a secret is refused', async () => {
    const client = await registered(base, dana, { kind: 'public' });
    expect(client.secret).toBe('');
    expect((await tokensOf(base, dana, client)).status).toBe(200);
    expect((await tokensOf(base, dana, { ...client, secret: 'something' })).status).toBe(401);
    const page = await dana.get(base + client.path);
    expect(page.body).toContain('must not send one');
    expect(page.body).not.toContain('New secret');
  });

  test('names the app on its consent page, escaped', async () => {
    const { id } = await registered(base, dana, { name: 'Bold <b>app</b>' });
    const asked = await open(dana, authorizationUrl(base, { client_id: id }));
    expect(asked.body).toContain('Bold &lt;b&gt;app&lt;/b&gt;');
    expect((await dana.get(`${base}/settings/api`)).body).toContain('Bold &lt;b&gt;app&lt;/b&gt;');
    expect((await dana.get(`${base}/settings/api/clients/${id}`)).body).not.toContain('<b>');
  });

  test('twice with one form makes one client, and another session sees no secret of it', async () => {
    const page = await dana.get(base + NEW);
    const values = { name: 'Once', kind: 'confidential', redirect_uris: REDIRECT_URI };
    const submit = () => sendForm(dana, page, { action: NEW, values });
    const [one, two] = await Promise.all([submit(), submit()]);
    expect([one.status, valueOf(two, 'client-secret')]).toEqual([200, valueOf(one, 'client-secret')]);
    const other = await signedIn(base);
    const fields = { ...values, csrf: csrfOf(await other.get(base + NEW)), form: valueOf(page, 'form') };
    const again = await other.post(base + NEW, fields, SAME_SITE);
    expect([again.status, valueOf(again, 'client-secret')]).toEqual([409, '']);
    expect(again.body).toContain('The client was already created');
    expect(countOfClients()).toBe(1);
  });

  test('takes no id, owner or secret from the form', async () => {
    const extra = { client_id: 'mine', account_id: 'x', client_secret: 'known', confidential: '0' };
    const page = await register(base, dana, extra);
    expect(valueOf(page, 'client-id')).toMatch(/^[0-9a-f]{24}$/);
    expect(valueOf(page, 'client-secret')).not.toBe('known');
    const owner = rows((db) =>
      db
        .prepare('select account_id from clients where client_id = ?')
        .pluck()
        .get(valueOf(page, 'client-id')),
    );
    expect(owner).toBe(modern.server.demo?.accountId);
  });

  test('ends at twenty clients, with words about it', async () => {
    for (let client = 0; client < 20; client++) await register(base, dana);
    const full = await register(base, dana);
    expect(full.status).toBe(422);
    expect(full.body).toContain('You have 20 clients');
    expect(full.body).toContain('Night planner');
  });

  test.each([
    ['no name', { name: ' ' }, 'Enter a name.'],
    ['a name of 10,000 characters', { name: 'n'.repeat(10_000) }, 'at most 60'],
    ['no kind', { kind: '' }, 'Choose one of the two kinds.'],
    ['a kind of its own', { kind: 'secretive' }, 'Choose one of the two kinds.'],
  ])('with %s says what is wrong and keeps the rest', async (_what, values, words) => {
    const page = await register(base, dana, values);
    expect(page.status).toBe(422);
    expect(page.body.split(words)).toHaveLength(3);
    expect(page.body).toMatch(/<title>Error: New OAuth client [^]*role="alert">[^]*<a href="#(name|kind)">/);
    expect(page.body).toContain(`\n${REDIRECT_URI}</textarea>`);
    expect(countOfClients()).toBe(0);
  });
});

describe('changing a client', () => {
  test('its name and redirect URIs count at once; its kind stays', async () => {
    const { id, path } = await registered(base, dana, { redirect_uris: 'https://old.example/cb' });
    const page = await dana.get(base + path);
    const values = { name: 'Renamed', redirect_uris: 'https://new.example/cb', kind: 'public' };
    const saved = await sendForm(dana, page, { action: path, values });
    expect([saved.status, saved.location]).toEqual([303, `${path}?done=client-saved`]);
    const shown = await dana.follow(saved);
    expect(shown.body).toMatch(/role="status"><p>The changes were saved/);
    expect(shown.body).toContain('<h1>Renamed</h1>');
    expect(shown.body).toContain('Confidential');
    const at = (uri: string) => dana.get(authorizationUrl(base, { client_id: id, redirect_uri: uri }));
    expect((await at('https://new.example/cb')).status).toBe(303);
    expect((await at('https://old.example/cb')).status).toBe(400);
  });

  test('with bad entries changes nothing and keeps what was typed', async () => {
    const { path } = await registered(base, dana);
    const page = await dana.get(base + path);
    const values = { name: '', redirect_uris: 'nonsense' };
    const refused = await sendForm(dana, page, { action: path, values });
    expect(refused.status).toBe(422);
    expect(refused.body).toContain('\nnonsense</textarea>');
    expect(refused.body).toMatch(/<title>Error: Night planner [^]*<h1>Night planner</);
    for (const id of ['name', 'redirect_uris']) expect(refused.body).toContain(`<a href="#${id}">`);
    expect((await dana.get(base + path)).body).toContain(`\n${REDIRECT_URI}</textarea>`);
  });
});

describe('deleting a client', () => {
  test('ends every grant that anybody gave it, and nobody can be asked for it again', async () => {
    const client = await registered(base, dana);
    const [ofDana, ofSam] = [await tokensOf(base, dana, client), await tokensOf(base, sam, client)];
    const unspent = await consent({ base, browser: sam, parameters: { client_id: client.id } });
    const asked = await dana.get(`${base}${client.path}/delete`);
    expect(asked.body).toContain('Everybody who has allowed this app is disconnected');
    const deleted = await confirm(base, dana, `${client.path}/delete`);
    expect(deleted.location).toBe('/settings/api?done=client-deleted');
    for (const { body } of [ofDana, ofSam]) expect(await apiStatus(base, body['access_token'])).toBe(401);
    const later = [
      await refresh(base, ofSam.body['refresh_token'], asClient(client)),
      await exchange(base, unspent, asClient(client)),
    ];
    for (const { status, body } of later) expect([status, body['error']]).toEqual([401, 'invalid_client']);
    const auth = await dana.get(authorizationUrl(base, { client_id: client.id }));
    expect([auth.status, auth.body.includes('We do not know this app')]).toEqual([400, true]);
    const left = rows((db) =>
      db
        .prepare(
          `select count(*) from oidc_records where client_id = ?
            and kind in ('Grant', 'AccessToken', 'RefreshToken', 'AuthorizationCode')`,
        )
        .pluck()
        .get(client.id),
    );
    expect(left).toBe(0);
    expect((await sam.get(`${base}/settings/apps`)).body).not.toContain('Night planner');
  });

  test('leaves other clients and their grants alone', async () => {
    const [one, other] = [await registered(base, dana), await registered(base, dana, { name: 'Stays' })];
    const { body } = await tokensOf(base, dana, other);
    await confirm(base, dana, `${one.path}/delete`);
    expect(await apiStatus(base, body['access_token'])).toBe(200);
    expect((await dana.get(base + other.path)).status).toBe(200);
  });
});

describe('the clients of somebody else', () => {
  test.each(['', '/delete', '/secrets/new'])('are not found at …%s, and nothing changes', async (suffix) => {
    const client = await registered(base, dana);
    const form = await sam.get(base + NEW);
    const fields = {
      csrf: csrfOf(form),
      form: valueOf(form, 'form'),
      name: 'Taken over',
      redirect_uris: 'https://evil.example/cb',
    };
    expect((await sam.get(base + client.path + suffix)).status).toBe(404);
    expect((await sam.post(base + client.path + suffix, fields, SAME_SITE)).status).toBe(404);
    expect((await dana.get(base + client.path)).body).toContain(REDIRECT_URI);
    expect((await tokensOf(base, dana, client)).status).toBe(200);
  });

  test('nor are their secrets', async () => {
    const client = await registered(base, dana);
    await newSecret(base, dana, client);
    const [path = ''] = await deletePaths(base, dana, client);
    const fields = { csrf: csrfOf(await sam.get(base + NEW)) };
    expect((await sam.get(base + path)).status).toBe(404);
    expect((await sam.post(base + path, fields, SAME_SITE)).status).toBe(404);
    expect((await tokensOf(base, dana, client)).status).toBe(200);
  });

  test.each(['confidential-app', 'public-app'])('nor the client %s of the server itself', async (id) => {
    const page = await dana.get(`${base}/settings/api`);
    expect(page.body).not.toContain(id);
    for (const path of ['', '/delete', '/secrets/new'])
      expect((await dana.get(`${base}/settings/api/clients/${id}${path}`)).status).toBe(404);
  });
});
