import { type Page } from '../../support/callers/cookie-walker.ts';
import { linkOf } from '../../support/callers/html-forms.ts';
import {
  asClient,
  confirm,
  deleteClients,
  deletePaths,
  newSecret,
  registered,
  tokensOf,
} from '../support/clients.ts';
import { apiStatus, bytesAtRest, refresh } from '../support/modern.ts';
import { base, modern, rows } from '../support/running-modern.ts';
import { dana, withDana } from '../support/settings-people.ts';
import { csrfOf, sendForm, signedIn, valueOf } from '../support/settings.ts';

withDana();
afterEach(deleteClients);

const SAME_SITE = { 'sec-fetch-site': 'same-origin' };
const NEW = '/settings/api/clients/new';

describe('the secrets of a client', () => {
  test('are two at most, both work at once, and a deleted one is refused at once', async () => {
    const first = await registered(base, dana);
    const second = { ...first, secret: await newSecret(base, dana, first) };
    const answers = [await tokensOf(base, dana, first), await tokensOf(base, dana, second)];
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    const full = await dana.get(base + first.path);
    expect(full.body).toContain('delete one of these first');
    expect(linkOf(full.body, full.url, /^New secret$/)).toBeUndefined();
    const forced = await confirm(base, dana, `${first.path}/secrets/new`);
    expect([forced.status, forced.location]).toEqual([303, `${first.path}?done=secrets-full`]);
    const [oldest = ''] = await deletePaths(base, dana, first);
    const deleted = await confirm(base, dana, oldest);
    expect(deleted.location).toBe(`${first.path}?done=secret-deleted`);
    const refused = await tokensOf(base, dana, first);
    expect([refused.status, refused.body['error']]).toEqual([401, 'invalid_client']);
    expect((await tokensOf(base, dana, second)).status).toBe(200);
  });

  test('people stay connected while they change', async () => {
    const first = await registered(base, dana);
    const { body } = await tokensOf(base, dana, first);
    const second = { ...first, secret: await newSecret(base, dana, first) };
    await confirm(base, dana, (await deletePaths(base, dana, first))[0] ?? '');
    expect(await apiStatus(base, body['access_token'])).toBe(200);
    const given = body['refresh_token'];
    expect((await refresh(base, given, asClient(first))).status).toBe(401);
    expect((await refresh(base, given, asClient(second))).status).toBe(200);
  });

  test('the last one cannot be deleted', async () => {
    const client = await registered(base, dana);
    await newSecret(base, dana, client);
    const paths = await deletePaths(base, dana, client);
    const questions = await Promise.all(paths.map((path) => dana.get(base + path)));
    for (const [index, path] of paths.entries())
      await dana.post(base + path, { csrf: csrfOf(questions[index] as Page) }, SAME_SITE);
    expect((await dana.get(base + client.path)).body).toContain('The only one');
    expect(
      rows((db) =>
        db.prepare('select count(*) from client_secrets where client_id = ?').pluck().get(client.id),
      ),
    ).toBe(1);
  });

  test('a form for a new one that is sent twice makes one; another session is not shown it', async () => {
    const client = await registered(base, dana);
    const path = `${client.path}/secrets/new`;
    const page = await dana.get(base + path);
    const submit = async () => valueOf(await sendForm(dana, page, { action: path }), 'client-secret');
    const [one, two] = await Promise.all([submit(), submit()]);
    expect([one.length, two]).toEqual([43, one]);
    const other = await signedIn(base);
    const fields = { csrf: csrfOf(await other.get(base + client.path)), form: valueOf(page, 'form') };
    const again = await other.post(base + path, fields, SAME_SITE);
    expect([again.status, valueOf(again, 'client-secret')]).toEqual([409, '']);
    expect(await deletePaths(base, dana, client)).toHaveLength(2);
  });

  test('are told apart by their age, in the list and before one is deleted', async () => {
    const client = await registered(base, dana);
    rows((db) => db.exec("update client_secrets set created_at = '2026-01-01T00:00:00.000Z'"));
    expect((await dana.get(base + client.path)).body).not.toContain('(older)');
    const second = await newSecret(base, dana, client);
    const { body } = await dana.get(base + client.path);
    const ages = [...body.matchAll(/<code>…(.{4})<\/code> <span class="muted">\((older|newer)\)/g)];
    expect(ages.map(([, hint, age]) => [hint, age])).toEqual([
      [client.secret.slice(-4), 'older'],
      [second.slice(-4), 'newer'],
    ]);
    const [older = ''] = await deletePaths(base, dana, client);
    expect((await dana.get(base + older)).body).toMatch(/The older secret of[^]*use the newer one/);
  });

  test('do not exist for a public client', async () => {
    const { path } = await registered(base, dana, { kind: 'public' });
    expect((await dana.get(`${base}${path}/secrets/new`)).status).toBe(404);
    const page = await dana.get(base + NEW);
    const fields = { csrf: csrfOf(page), form: valueOf(page, 'form') };
    expect((await dana.post(`${base}${path}/secrets/new`, fields, SAME_SITE)).status).toBe(404);
  });

  test('lie nowhere in the clear', async () => {
    const client = await registered(base, dana);
    const second = await newSecret(base, dana, client);
    await tokensOf(base, dana, client);
    const bytes = bytesAtRest(modern.folder);
    for (const secret of [client.secret, second]) {
      expect(bytes).not.toContain(secret);
      expect(bytes).not.toContain(secret.slice(0, 20));
    }
  });
});
