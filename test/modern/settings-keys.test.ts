import type { CookieWalker } from '../support/cookie-walker.ts';
import { confirmed, confirming, createKey, keyOn } from './support/api-keys.ts';
import { apiStatus, type Running, runModern, SECOND } from './support/modern.ts';
import { csrfOf, databaseOf, sendForm, signedIn, valueOf } from './support/settings.ts';

let modern: Running;
let base: string;
let dana: CookieWalker;
let sam: CookieWalker;
beforeAll(async () => {
  modern = await runModern();
  base = modern.server.url;
  dana = await signedIn(base);
  sam = await signedIn(base, SECOND);
});
afterAll(() => modern.stop());
afterEach(() => void rows((db) => db.exec('delete from api_keys')));

const SAME_SITE = { 'sec-fetch-site': 'same-origin' };

const rows = databaseOf(() => modern);

const newKeyPage = (browser = dana) => browser.get(`${base}/settings/api/keys/new`);
const listOf = (browser: CookieWalker) => browser.get(`${base}/settings/api`);

describe('the form of a new key', () => {
  test.each([
    ['no name', '', 'Enter a name.'],
    ['spaces alone', '   ', 'Enter a name.'],
    ['61 characters', 'n'.repeat(61), 'at most 60'],
    ['10,000 characters', 'n'.repeat(10_000), 'at most 60'],
    ['a mark that turns the direction', 'a\u202Eb', 'cannot be seen'],
    ['a control character', 'a\u0007b', 'cannot be seen'],
  ])('with %s says what is wrong beside the field and keeps it', async (_what, name, words) => {
    const page = await createKey(base, dana, name);
    expect(page.status).toBe(422);
    expect(page.body).toMatch(/<p class="field-error" id="name-error">/);
    expect(page.body).toContain(words);
    expect(page.body).toMatch(/id="name"[^>]* aria-invalid="true" aria-describedby="name-error/);
    expect(valueOf(page, 'name')).toBe(name.trim());
    expect((await listOf(dana)).body).toContain('You have no key yet');
  });

  test('takes 60 characters of any script, without the spaces around them', async () => {
    const name = '🔑'.repeat(60);
    expect((await createKey(base, dana, `  ${name}  `)).status).toBe(200);
    expect(rows((db) => db.prepare('select name from api_keys').pluck().all())).toEqual([name]);
  });

  test('escapes what was typed, everywhere', async () => {
    const name = '"><script>alert(1)</script>';
    const pages = [
      await createKey(base, dana, name),
      await listOf(dana),
      await confirming(base, dana, /^Replace/),
      await confirming(base, dana, /^Delete/),
    ];
    for (const { body } of pages) {
      expect(body).not.toContain('<script');
      expect(body).toContain('&lt;script&gt;');
    }
  });

  test('that is sent twice creates one key and shows it once', async () => {
    const page = await newKeyPage();
    const submit = () => sendForm(dana, page, { action: '/settings/api/keys/new', values: { name: 'Once' } });
    const answers = await Promise.all([submit(), submit(), submit()]);
    const shown = answers.filter(({ status }) => status === 200);
    expect(shown).toHaveLength(1);
    const again = await submit();
    expect([again.status, keyOn(again)]).toEqual([409, '']);
    expect(again.body).toContain('already created');
    expect(rows((db) => db.prepare('select count(*) from api_keys').pluck().get())).toBe(1);
  });

  test('of a replacement that is sent twice replaces once', async () => {
    await createKey(base, dana);
    const asked = await confirming(base, dana, /^Replace/);
    const replaced = await confirmed(dana, asked);
    const again = await confirmed(dana, asked);
    expect([again.status, keyOn(again)]).toEqual([409, '']);
    expect(await apiStatus(base, keyOn(replaced))).toBe(200);
  });

  test.each([undefined, '', 'short', '<b>', 'x'.repeat(44)])(
    'with the page value %j is refused',
    async (form) => {
      const fields = { csrf: csrfOf(await newKeyPage()), name: 'A key', ...(form !== undefined && { form }) };
      expect((await dana.post(`${base}/settings/api/keys/new`, fields, SAME_SITE)).status).toBe(400);
      expect(rows((db) => db.prepare('select count(*) from api_keys').pluck().get())).toBe(0);
    },
  );

  test('ends at twenty keys, with words about it', async () => {
    for (let key = 0; key < 20; key++) await createKey(base, dana, `Key ${key}`);
    const full = await createKey(base, dana, 'One more');
    expect(full.status).toBe(422);
    expect(full.body).toContain('You have 20 keys');
    expect((await createKey(base, sam, 'Of somebody else')).status).toBe(200);
  });

  test('takes nothing but the name: other fields change nothing', async () => {
    const values = { name: 'Mine', account_id: 'somebody', accountId: 'x', digest: 'd', id: 'i', hint: 'h' };
    await sendForm(dana, await newKeyPage(), { action: '/settings/api/keys/new', values });
    const [row] = rows((db) => db.prepare<[], Record<string, string>>('select * from api_keys').all());
    expect(row).toMatchObject({ name: 'Mine', account_id: modern.server.demo?.accountId });
    expect(row?.['id']).toMatch(/^[0-9a-f]{24}$/);
    expect(row?.['hint']).toMatch(/^gbk_…/);
  });
});

describe('the keys of somebody else', () => {
  test.each(['replace', 'delete'])('are not found by %s, and go on working', async (what) => {
    const page = await createKey(base, dana, 'Of Dana');
    const id = rows((db) => db.prepare<[], string>('select id from api_keys').pluck().get());
    const address = `${base}/settings/api/keys/${id}/${what}`;
    const form = await newKeyPage(sam);
    const fields = { csrf: csrfOf(form), form: valueOf(form, 'form') };
    expect((await sam.get(address)).status).toBe(404);
    expect((await sam.post(address, fields, SAME_SITE)).status).toBe(404);
    expect(await apiStatus(base, keyOn(page))).toBe(200);
    expect((await listOf(sam)).body).not.toContain('Of Dana');
  });

  test.each(['nothing', '%00', "x' or 1=1 --", '..%2f..'])('nor is a key called %j', async (id) => {
    const answer = await dana.get(`${base}/settings/api/keys/${encodeURIComponent(id)}/delete`);
    expect(answer.status).toBe(404);
  });
});
