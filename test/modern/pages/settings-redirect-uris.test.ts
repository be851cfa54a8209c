import { countOfClients, deleteClients, register, registered } from '../support/clients.ts';
import { authorizationUrl, REDIRECT_URI } from '../support/modern.ts';
import { base, rows } from '../support/running-modern.ts';
import { dana, withDana } from '../support/settings-people.ts';
import { valueOf } from '../support/settings.ts';

withDana();
afterEach(deleteClients);

describe('redirect URIs', () => {
  test.each([
    'https://app.example/callback',
    'https://app.example:8443/a/b?x=1&y=%20',
    'http://localhost/cb',
    'http://localhost:3000',
    'http://127.0.0.1:8080/cb',
    'http://[::1]:8080/cb',
    'HTTPS://App.Example/Callback',
    'https://app.example/.well-known/v1..2/...?next=/../x',
    'https://xn--bcher-kva.example/cb',
  ])('%s is taken exactly as it was typed', async (uri) => {
    const page = await register(base, dana, { redirect_uris: uri });
    const stored = rows((db) =>
      db
        .prepare<[string], string>('select redirect_uris from clients where client_id = ?')
        .pluck()
        .get(valueOf(page, 'client-id')),
    );
    expect(JSON.parse(stored ?? '[]')).toEqual([uri]);
  });

  test.each([
    ['http://app.example/cb', 'uses http'],
    ['http://localhost.evil.example/cb', 'uses http'],
    ['http://2130706433/cb', 'unusual way'],
    ['http://0x7f.1/cb', 'unusual way'],
    ['https:///app.example/cb', 'unusual way'],
    ['https:app.example/cb', 'does not start with https://'],
    ['//app.example/cb', 'does not start with https://'],
    ['/cb', 'does not start with https://'],
    ['myapp://callback', 'does not start with https://'],
    ['com.example.app:/callback', 'does not start with https://'],
    ['javascript:alert(1)', 'does not start with https://'],
    ['data:text/html,x', 'does not start with https://'],
    ['https://app.example/cb#', 'after “#”'],
    ['https://app.example/cb#part', 'after “#”'],
    ['https://user@app.example/cb', 'user name'],
    ['https://user:password@app.example/cb', 'user name'],
    ['https://*.app.example/cb', 'contains “*”'],
    ['https://app.example/*', 'contains “*”'],
    ['https://app.example\\@evil.example/', 'does not belong'],
    ['https://app.example/a b', 'does not belong'],
    ['https://app.example/a\tb', 'does not belong'],
    ['https://app.example/\u0007', 'does not belong'],
    ['https://bücher.example/cb', 'does not belong'],
    ['https://app.example/"><script>', 'does not belong'],
    ['https://a.example/a/../b', '“..” in its path'],
    ['https://a.example/.', '“..” in its path'],
    ['https://a.example/./cb', '“..” in its path'],
    ['https://a.example/%2e%2E/', '“..” in its path'],
    ['https://a.example/cb/.%2E?x=1', '“..” in its path'],
    ['https://a..example/', 'nothing before, between or after its dots'],
    ['https://./', 'nothing before, between or after its dots'],
    ['https://.a.example/', 'nothing before, between or after its dots'],
    ['https://a.example.:8443/', 'nothing before, between or after its dots'],
    ['https://a.example.', 'nothing before, between or after its dots'],
    ['https://', 'is not a complete address'],
    ['https://app.example:99999/', 'is not a complete address'],
    [`https://app.example/${'a'.repeat(2000)}`, 'longer than 2000'],
    [' \n \r\n', 'at least one'],
    [Array.from({ length: 11 }, (_, i) => `https://app.example/${i}`).join('\n'), 'at most 10'],
  ])('%j is refused', async (uri, words) => {
    const page = await register(base, dana, { redirect_uris: uri });
    expect(page.status).toBe(422);
    expect(page.body).toMatch(/id="redirect_uris"[^>]* aria-invalid="true" aria-describedby="uris-error/);
    expect(page.body).toContain(words);
    expect(page.body).not.toContain('<script');
    expect(countOfClients()).toBe(0);
  });

  test('several stand one on each line; copies are merged, and every bad one is named', async () => {
    const bad = await register(base, dana, {
      redirect_uris: 'https://good.example/cb\nftp://one.example\r\nhttp://two.example',
    });
    expect(bad.body).toMatch(/“ftp:\/\/one\.example” does not.*\n“http:\/\/two\.example” uses http/);
    expect(bad.body).not.toContain('“https://good.example/cb”');
    const uris = `${REDIRECT_URI}\r\n\r\n  https://good.example/cb\n${REDIRECT_URI}`;
    const { path } = await registered(base, dana, { redirect_uris: uris });
    expect((await dana.get(base + path)).body).toContain(
      `\n${REDIRECT_URI}\nhttps://good.example/cb</textarea>`,
    );
  });

  test('are compared as whole strings by /auth', async () => {
    const { id } = await registered(base, dana, { redirect_uris: 'https://app.example/cb' });
    const at = (uri: string) => dana.get(authorizationUrl(base, { client_id: id, redirect_uri: uri }));
    expect((await at('https://app.example/cb')).status).toBe(303);
    for (const uri of ['https://app.example/cb/', 'https://APP.example/cb', 'https://app.example/cb?x=1'])
      expect((await at(uri)).status).toBe(400);
  });
});
