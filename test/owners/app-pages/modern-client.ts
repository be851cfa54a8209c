import { enteredClientOf } from '../../../src/domain/handover/enter-modern-client.ts';
import { keepModernClient, useModernClient } from '../../../src/store/apps/modern-clients.ts';
import { registered } from '../../modern/support/clients.ts';
import { signedIn, valueOf } from '../../modern/support/settings.ts';
import { walkUntil } from '../../support/callers/authorize.ts';
import type { Page } from '../../support/callers/cookie-walker.ts';
import { exchange, read, tokenOf } from '../../support/callers/legacy-calls.ts';
import { BRIDGE_CLIENT } from '../../support/servers/modern-side.ts';
import { registerLegacyApp, type RegisteredApp } from '../../support/bridge/register-app.ts';
import { DANA, historyOf, pressIn, SAM, wordsOf } from '../support/people.ts';
import { CONFIDENTIAL, PUBLIC, type Stage } from './stage.ts';

const asEntries = ({ clientId, clientSecret = '' }: { clientId: string; clientSecret?: string }) => ({
  modern_client_id: clientId,
  client_secret: clientSecret,
});

/**
 * An app's own client at the modern side (docs/decisions/0001): a test call proves it, and consents from then on name
 * the app.
 */
export function enteringAnOwnClient(stage: Stage): void {
  let app: RegisteredApp;

  let apps = 0;

  beforeEach(async () => {
    app = await registerLegacyApp(stage.system.bridge, `https://own-${++apps}.example/cb`, DANA.accountId);
    await stage.system.bridge.context.store.durable
      .updateTable('apps')
      .set({ modern_client_id: null })
      .execute();
    await stage.system.bridge.context.store.durable.deleteFrom('modern_clients').execute();
  });

  afterEach(() => {
    Object.assign(stage.system.proxy, { onTokenAnswer: undefined, onOtherAnswer: undefined });
  });

  const pagePath = () => `${stage.system.bridgeUrl}/apps/${app.clientId}/modern-client`;

  /** Fills in the form and sends it; the page that it leads to. */
  async function enter(entries: Record<string, string>, browser = stage.dana): Promise<Page> {
    const page = await browser.get(pagePath());
    return browser.follow(await pressIn(browser, page, /^Test and use this client$/, entries));
  }

  const enteredNow = () => enteredClientOf(stage.system.bridge.context, app.clientId);

  /** Authorizes the app as Dana; the token, and what the consent page of the modern side said. */
  async function connect(): Promise<{ token: string; asked: string }> {
    let asked = '';
    const query = new URLSearchParams({
      client_id: app.clientId,
      redirect_uri: app.callback,
      response_type: 'code',
    });
    const { location } = await walkUntil(`${stage.system.bridgeUrl}/oauth2/authorize?${query.toString()}`, {
      browser: stage.dana,
      person: DANA,
      until: app.callback,
      decide: (page) => {
        if (!page.url.startsWith(stage.system.bridgeUrl)) asked = wordsOf(page);
        return 'allow';
      },
    });
    const code = new URL(location).searchParams.get('code') ?? '';
    return { token: tokenOf(await exchange(stage.system, code, app)), asked };
  }

  /** The client and scope of the grant behind the app's newest token. */
  async function grantNow() {
    const { durable } = stage.system.bridge.context.store;
    const grant = await durable
      .selectFrom('grants')
      .selectAll()
      .where('client_id', '=', app.clientId)
      .where('state', '<>', 'dead')
      .executeTakeFirstOrThrow();
    return { id: grant.id, client: grant.modern_client_id, scope: grant.scope, version: grant.version };
  }

  /** Lets the access token run out, so that the next read refreshes; answers the status of that read. */
  async function readAfresh(token: string): Promise<number> {
    const { store } = stage.system.bridge.context;
    const { id } = await grantNow();
    await store.durable
      .updateTable('grants')
      .set({ access_expires_at: 0, refresh_at: 0 })
      .where('id', '=', id)
      .execute();
    await store.volatile.deleteFrom('answers').execute();
    return (await read(stage.system, '/1/profiles.json', token)).status;
  }

  test('consents, refreshes and reads go through the own client from then on; what was connected before stays', async () => {
    const before = await connect();
    expect(before.asked).toContain('Allow grantbridge to use');
    const page = await enter({ ...asEntries(CONFIDENTIAL), 'ideas:read': 'on' });
    expect(wordsOf(page)).toContain('Tested and in use.');
    expect(page.body).not.toContain(CONFIDENTIAL.clientSecret);
    expect(await grantNow()).toMatchObject({ client: BRIDGE_CLIENT, version: 1 });
    expect(await readAfresh(before.token)).toBe(200);
    expect(await grantNow()).toMatchObject({ client: BRIDGE_CLIENT, version: 2 });

    const { token, asked } = await connect();
    expect(asked).toContain('Allow Night planner to use');
    expect(await grantNow()).toMatchObject({ client: CONFIDENTIAL.clientId, version: 1 });
    expect((await grantNow()).scope).toBe('account:read posts:read posts:write ideas:read offline_access');
    expect(await readAfresh(token)).toBe(200);
    expect(await grantNow()).toMatchObject({ client: CONFIDENTIAL.clientId, version: 2 });
    expect(await readAfresh(before.token)).toBe(200);

    const removed = await stage.dana.follow(
      await pressIn(stage.dana, await stage.dana.get(pagePath()), /^Stop using it$/),
    );
    expect(wordsOf(removed)).toContain('The client is not used for new connections any more.');
    expect(await readAfresh(token)).toBe(200);
    expect(await grantNow()).toMatchObject({ client: CONFIDENTIAL.clientId });
    expect((await connect()).asked).toContain('Allow grantbridge to use');
    expect((await grantNow()).client).toBe(BRIDGE_CLIENT);

    const history = (await historyOf(stage.system, app.clientId)).filter((line) =>
      line.startsWith('modern_client'),
    );
    expect(history).toEqual([
      'modern_client_entered: client planner-client, confidential, for account:read posts:read posts:write ideas:read offline_access',
      'modern_client_removed: client planner-client',
    ]);
  });

  test('a form that shows another client in use changes nothing, and says so', async () => {
    const { durable } = stage.system.bridge.context.store;
    const row = { client_id: app.clientId, secret_sealed: null, scopes: 'account:read', proven_at: 1 };
    for (const id of ['first', 'second']) await keepModernClient(durable, { ...row, id });
    const press = async (page: Page, button: RegExp, entries = {}) =>
      wordsOf(await stage.dana.follow(await pressIn(stage.dana, page, button, entries)));
    const late = 'it is not as it was when you opened the form';
    await useModernClient(durable, app.clientId, 'first');
    const stale = await stage.dana.get(pagePath());
    await useModernClient(durable, app.clientId, 'second');
    expect(await press(stale, /^Stop using it$/)).toContain(late);
    expect(await enteredNow()).toMatchObject({ id: 'second' });
    // Of the client before, hand-overs are not decided while the app uses it again.
    const former = await stage.dana.get(pagePath());
    await useModernClient(durable, app.clientId, 'first');
    expect(await press(former, /^Let hand-overs go on/, { keep_handovers: 'on' })).toContain(late);
    expect(await press(stale, /^Stop using it$/)).not.toContain(late);
    expect(await enteredNow()).toBeUndefined();
    expect(await press(stale, /^Stop using it$/)).toContain(late);
  });

  test('the secret is kept sealed and is in no page; entered again it takes the new scopes', async () => {
    await enter(asEntries(CONFIDENTIAL));
    const { durable } = stage.system.bridge.context.store;
    const row = await durable.selectFrom('modern_clients').selectAll().executeTakeFirstOrThrow();
    expect(row.secret_sealed).toMatch(/^\w+\.[\w-]+$/);
    expect(JSON.stringify(row)).not.toContain(CONFIDENTIAL.clientSecret);
    const page = await stage.dana.get(pagePath());
    expect(page.body).not.toContain(CONFIDENTIAL.clientSecret);
    expect(page.body).not.toContain(row.secret_sealed);
    expect(valueOf(page, 'client_secret')).toBe('');
    expect(page.body).toContain(`>${stage.system.bridgeUrl}/callback</code>`);
    await enter({ ...asEntries(CONFIDENTIAL), 'account:write': 'on', 'posts:admin': 'on', openid: 'on' });
    expect((await enteredNow())?.scopes).toEqual([
      'account:read',
      'posts:read',
      'posts:write',
      'account:write',
      'offline_access',
    ]);
  });

  test('a public client is entered without a secret and serves without one', async () => {
    app = await registerLegacyApp(
      stage.system.bridge,
      'https://pocket.example/cb',
      DANA.accountId,
      PUBLIC.ofApp,
    );
    await enter(asEntries(PUBLIC));
    expect(await enteredNow()).toMatchObject({ id: PUBLIC.clientId, isConfidential: false });
    const { token, asked } = await connect();
    expect(asked).toContain('Pocket planner');
    expect(await readAfresh(token)).toBe(200);
  });

  const WRONG_PAIR = 'Client ID and client secret do not belong together.';

  test.each<[what: string, entries: Record<string, string>, sentence: string]>([
    ['a wrong secret', asEntries({ ...CONFIDENTIAL, clientSecret: 'another' }), WRONG_PAIR],
    ['no secret for a confidential client', asEntries({ clientId: CONFIDENTIAL.clientId }), WRONG_PAIR],
    ['a secret for a public client', asEntries({ ...PUBLIC, clientSecret: 'another' }), WRONG_PAIR],
    ['an unknown client', asEntries({ clientId: 'nobody' }), WRONG_PAIR],
    ["the bridge's own client", asEntries({ clientId: BRIDGE_CLIENT }), 'the client of this service itself'],
    ['no client id', asEntries({ clientId: ' ' }), 'Enter the client ID'],
  ])('%s is refused, said beside its field, and changes nothing', async (_what, entries, sentence) => {
    const page = await enter(entries);
    expect(page.status).toBe(422);
    expect(wordsOf(page)).toContain(sentence);
    if (entries['client_secret']) expect(page.body).not.toContain(entries['client_secret']);
    expect(valueOf(page, 'modern_client_id')).toBe((entries['modern_client_id'] ?? '').trim());
    expect(await enteredNow()).toBeUndefined();
    expect((await historyOf(stage.system, app.clientId)).join()).not.toContain('modern_client');
  });

  /** A second person: the first has tested as many clients as a minute allows. */
  describe('what the test call shows besides', () => {
    beforeEach(async () => {
      app = await registerLegacyApp(stage.system.bridge, `https://sams-${++apps}.example/cb`, SAM.accountId);
    });

    test('our callback is not registered at the client', async () => {
      const base = stage.system.proxy.origin;
      const client = await registered(base, await signedIn(base), {
        redirect_uris: 'https://elsewhere.example/cb',
      });
      const page = await enter(asEntries({ clientId: client.id, clientSecret: client.secret }), stage.sam);
      expect(wordsOf(page)).toContain(
        'This client does not have the redirect URI below that is meant for its kind.',
      );
      expect(await enteredNow()).toBeUndefined();
      // A public client of somebody else has the return address of that app.
      const other = await enter(asEntries(PUBLIC), stage.sam);
      expect(wordsOf(other)).toContain('This client does not have the redirect URI below');
      expect(await enteredNow()).toBeUndefined();
    });

    test('a right that the client may not ask for, and any other error by its name', async () => {
      for (const [error, words] of [
        ['invalid_scope', 'The client may not ask for all of these rights.'],
        ['unauthorized_client', 'refused this client with “unauthorized_client”'],
      ]) {
        const location = `${stage.system.bridgeUrl}/callback?error=${error}&state=x`;
        stage.system.proxy.onOtherAnswer = ({ path }, answer) =>
          path === '/auth' ? { status: 303, headers: { location }, body: Buffer.alloc(0) } : answer;
        expect(wordsOf(await enter(asEntries(CONFIDENTIAL), stage.sam))).toContain(words);
      }
      expect(await enteredNow()).toBeUndefined();
    });

    test('what shows nothing changes nothing: the token endpoint or the account page is away', async () => {
      const away = { status: 503, headers: {}, body: Buffer.from('away') };
      stage.system.proxy.onTokenAnswer = () => away;
      const one = await enter(asEntries(CONFIDENTIAL), stage.sam);
      stage.system.proxy.onTokenAnswer = undefined;
      stage.system.proxy.onOtherAnswer = ({ path }, answer) => (path === '/auth' ? away : answer);
      const other = await enter(asEntries(CONFIDENTIAL), stage.sam);
      for (const page of [one, other]) {
        expect(page.status).toBe(503);
        expect(wordsOf(page)).toContain('The client could not be tested');
      }
      expect(await enteredNow()).toBeUndefined();
    });

    test('a client that another app has is refused, and other people do not reach the page', async () => {
      const own = app;
      expect((await enter(asEntries(CONFIDENTIAL), stage.sam)).status).toBe(200);
      app = await registerLegacyApp(stage.system.bridge, 'https://sams-other.example/cb', SAM.accountId);
      const page = await enter(asEntries(CONFIDENTIAL), stage.sam);
      expect(wordsOf(page)).toContain('Another app has this client already.');
      app = own;
      expect((await stage.dana.get(pagePath())).status).toBe(404);
      const fields = {
        _form: valueOf(await stage.dana.get(`${stage.system.bridgeUrl}/apps/register`), '_form'),
      };
      expect((await stage.dana.post(pagePath(), { ...fields, ...asEntries(CONFIDENTIAL) })).status).toBe(404);
      expect((await stage.dana.post(`${pagePath()}/remove`, fields)).status).toBe(404);
      expect(await enteredNow()).toMatchObject({ id: CONFIDENTIAL.clientId });
      // Once it is in use nowhere, another app may have it.
      const inUse = await stage.sam.get(pagePath());
      await stage.sam.follow(await pressIn(stage.sam, inUse, /^Stop using it$/));
      app = await registerLegacyApp(stage.system.bridge, 'https://sams-third.example/cb', SAM.accountId);
      expect((await enter(asEntries(CONFIDENTIAL), stage.sam)).status).toBe(200);
      expect(await enteredNow()).toMatchObject({ id: CONFIDENTIAL.clientId });
    });

    test('testing is limited to ten a minute', async () => {
      let page = await enter(asEntries({ clientId: 'nobody' }), stage.sam);
      for (let sent = 1; page.status !== 429 && sent < 11; sent += 1)
        page = await enter(asEntries({ clientId: 'nobody' }), stage.sam);
      expect(page.status).toBe(429);
    });
  });
}
