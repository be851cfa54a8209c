import { registerLegacyApp, type RegisteredApp } from '../../support/bridge/register-app.ts';
import { CookieWalker, type Page } from '../../support/callers/cookie-walker.ts';
import { exchange, freshCode, read, tokenOf } from '../../support/callers/legacy-calls.ts';
import { addSecret, retireSecret, secretsOf } from '../../../src/domain/apps/app-secrets.ts';
import { valueOf } from '../../modern/support/settings.ts';
import { DANA, historyOf, pressIn, SAM, wordsOf } from '../support/people.ts';
import type { Stage } from './stage.ts';

/** Rotation of an app's secret: two live at once, never none, and only its owner does it. */
export function rotatingSecrets(stage: Stage): void {
  const CALLBACK = 'https://rotating.example/callback';

  let app: RegisteredApp;

  beforeEach(async () => {
    app = await registerLegacyApp(stage.system.bridge, CALLBACK, DANA.accountId);
  });

  const secretsPage = () => `${stage.system.bridgeUrl}/apps/${app.clientId}/secrets`;

  /** Presses the button of the page with the secrets; the page with the new one. */
  async function makeSecret(): Promise<Page> {
    return pressIn(stage.dana, await stage.dana.get(secretsPage()), /^Make a new secret$/);
  }

  /** What the old token endpoint says to this secret with a code that nobody was given. */
  async function answerTo(clientSecret: string): Promise<unknown> {
    const { json } = await exchange(stage.system, `1/${'a'.repeat(32)}`, { ...app, clientSecret });
    return (json as { error?: unknown }).error;
  }

  const idsOnRecord = async () =>
    (await secretsOf(stage.system.bridge.context, app.clientId)).map(({ id }) => id);

  /** Opens the question and says yes. */
  async function retireOnPage(id: string): Promise<Page> {
    const question = await stage.dana.get(`${secretsPage()}/${id}/retire`);
    return stage.dana.follow(await pressIn(stage.dana, question, /^Retire this secret$/));
  }

  test('a new secret works beside the old one at token.json until the old one is retired', async () => {
    const page = await makeSecret();
    const secret = valueOf(page, 'client-secret');
    expect(secret).toMatch(/^[\w-]{43}$/);
    expect(page.headers.get('cache-control')).toBe('no-store');
    expect(page.url).toBe(secretsPage());
    expect([await answerTo(app.clientSecret), await answerTo(secret)]).toEqual([
      'invalid_grant',
      'invalid_grant',
    ]);

    const listed = await stage.dana.get(secretsPage());
    expect(listed.body).not.toContain(secret);
    expect(listed.body).not.toContain('Make a new secret');
    const [older = '', newer = ''] = await idsOnRecord();
    const retired = await retireOnPage(older);
    expect(wordsOf(retired)).toContain('Retired. The secret is refused from now on.');
    expect([await answerTo(app.clientSecret), await answerTo(secret)]).toEqual([
      'invalid_client',
      'invalid_grant',
    ]);
    const code = await freshCode(stage.system, { app, browser: stage.dana });
    expect((await exchange(stage.system, code, { ...app, clientSecret: secret })).status).toBe(200);
    expect(await idsOnRecord()).toEqual([newer]);
    const history = await historyOf(stage.system, app.clientId);
    expect(history).toContain(`secret_added: rotation: ${newer}`);
    expect(history).toContain(`secret_retired: rotation: ${older}`);
    expect(history.join()).not.toContain(secret);
  });

  test('tokens live through the change of a secret, and a code of before it is exchanged with the new one', async () => {
    const { system, dana } = stage;
    const statusOf = async (token: string) => (await read(system, '/1/user.json', token)).status;
    const token = tokenOf(await exchange(system, await freshCode(system, { app, browser: dana }), app));
    const clientSecret = valueOf(await makeSecret(), 'client-secret');
    expect(await statusOf(token)).toBe(200);
    const code = await freshCode(system, { app, browser: dana });
    const [older = ''] = await idsOnRecord();
    await retireOnPage(older);
    const refused = await exchange(system, code, app);
    expect([refused.status, refused.json]).toEqual([
      400,
      expect.objectContaining({ error: 'invalid_client' }),
    ]);
    const second = await exchange(system, code, { ...app, clientSecret });
    expect(second.status).toBe(200);
    expect(await Promise.all([token, tokenOf(second)].map(statusOf))).toEqual([200, 200]);
  });

  test('a third secret is refused, and a form that is sent twice makes one', async () => {
    const before = await stage.dana.get(secretsPage());
    const other = await stage.dana.get(secretsPage());
    const made = await Promise.all([
      pressIn(stage.dana, before, /^Make a new secret$/),
      pressIn(stage.dana, before, /^Make a new secret$/),
    ]);
    expect(made.map((page) => valueOf(page, 'client-secret')).filter(Boolean)).toHaveLength(1);
    expect(made.map(wordsOf).join()).toContain('The secret was made already');
    const third = await pressIn(stage.dana, other, /^Make a new secret$/);
    expect(third.status).toBe(422);
    expect(wordsOf(third)).toContain('Retire one of them first.');
    expect(await idsOnRecord()).toHaveLength(2);
  });

  test('the last secret cannot be retired, by page or by command, even by two at once', async () => {
    const { context } = stage.system.bridge;
    const [only = ''] = await idsOnRecord();
    expect((await stage.dana.get(`${secretsPage()}/${only}/retire`)).location).toBe(
      `/apps/${app.clientId}/secrets`,
    );
    const page = await stage.dana.get(secretsPage());
    const fields = { _form: valueOf(page, '_form') };
    const refused = await stage.dana.post(`${secretsPage()}/${only}/retire`, fields);
    expect(wordsOf(refused)).toContain('This is the only secret.');

    const rotation = { clientId: app.clientId, actor: 'command', requestId: null };
    await addSecret(context, rotation);
    const ids = await idsOnRecord();
    const outcomes = await Promise.all(ids.map((id) => retireSecret(context, { ...rotation, id })));
    expect(outcomes.toSorted()).toEqual(['last', 'retired']);
    expect(await retireSecret(context, { ...rotation, id: ids[0] ?? '' })).toMatch(/unknown|last/);
    expect(await idsOnRecord()).toHaveLength(1);
    expect(await addSecret(context, { clientId: 'a'.repeat(24), actor: 'command', requestId: null })).toBe(
      'unknown app',
    );
  });

  test('only the owner sees or changes the secrets; to others the app is not there', async () => {
    const [id = ''] = await idsOnRecord();
    const own = await registerLegacyApp(stage.system.bridge, CALLBACK, SAM.accountId);
    const fields = {
      _form: valueOf(await stage.sam.get(`${stage.system.bridgeUrl}/apps/${own.clientId}/secrets`), '_form'),
    };
    expect((await stage.sam.get(secretsPage())).status).toBe(404);
    expect((await stage.sam.get(`${secretsPage()}/${id}/retire`)).status).toBe(404);
    expect((await stage.sam.post(secretsPage(), fields)).status).toBe(404);
    expect((await stage.sam.post(`${secretsPage()}/${id}/retire`, fields)).status).toBe(404);
    // His own app's page does not reach the secret of another app.
    const across = `${stage.system.bridgeUrl}/apps/${own.clientId}/secrets/${id}/retire`;
    expect((await stage.sam.post(across, fields)).status).toBe(404);
    const nobody = await new CookieWalker().get(secretsPage());
    expect(nobody.location).toContain('/sign-in?return_to=');
    expect(await idsOnRecord()).toEqual([id]);
  });
}
