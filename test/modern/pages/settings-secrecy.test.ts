import { PassThrough } from 'node:stream';
import { startModern } from '../../../src/modern/server.ts';
import { createLogger } from '../../../src/shared/log/logger.ts';
import { CookieWalker } from '../../support/callers/cookie-walker.ts';
import { confirmed, confirming, createKey, keyOn } from '../support/api-keys.ts';
import { asClient, newSecret, registered, tokensOf } from '../support/clients.ts';
import { apiStatus, bytesAtRest, DEMO, runModern } from '../support/modern.ts';
import { csrfOf, signInToSettings, valueOf } from '../support/settings.ts';

/** Everything the settings ever hand out, used rightly and wrongly, and then looked for where it must not be. */
async function useEverything(base: string) {
  const browser = new CookieWalker();
  await signInToSettings(browser, base, { person: { ...DEMO, password: 'a-wrong-password' } });
  await signInToSettings(browser, base);
  const list = await browser.get(`${base}/settings/api`);
  const key = keyOn(await createKey(base, browser));
  const replacement = keyOn(await confirmed(browser, await confirming(base, browser, /^Replace/)));
  const client = await registered(base, browser);
  const second = await newSecret(base, browser, client);
  const { body } = await tokensOf(base, browser, client);
  await tokensOf(base, browser, { ...client, secret: 'a-wrong-client-secret' });
  for (const token of [key, replacement, `${key}x`, body['access_token']]) await apiStatus(base, token);
  await fetch(`${base}/settings/api/keys/${key}`);
  const form = await browser.get(`${base}/settings/api/keys/new`);
  return {
    secrets: [key, replacement, second, DEMO.password, ...Object.values(asClient(client)).slice(1)],
    values: [
      browser.cookie('modern_session') ?? '',
      csrfOf(list),
      'a-wrong-password',
      'a-wrong-client-secret',
    ],
    browserValues: [browser.cookie('modern_form') ?? '', valueOf(form, 'form')],
  };
}

test('no key, secret, password, cookie or csrf value is in the log at its finest or in the database', async () => {
  const modern = await runModern();
  await modern.server.close();
  const stream = new PassThrough();
  let log = '';
  stream.on('data', (chunk: Buffer) => (log += chunk.toString()));
  const server = await startModern(modern.settings, createLogger({ level: 'silly', name: 'modern', stream }));
  try {
    const { secrets, values, browserValues } = await useEverything(server.url);
    expect(secrets.every((secret) => secret.length > 8)).toBe(true);
    expect(log).toContain('the embedded new API is listening');
    expect(log).toContain('token request refused');
    for (const value of [...secrets, ...values, ...browserValues]) {
      expect(value).not.toBe('');
      expect(log).not.toContain(value);
    }
    const bytes = bytesAtRest(modern.folder);
    for (const value of [...secrets, ...values]) expect(bytes).not.toContain(value);
  } finally {
    await server.close();
    await modern.stop();
  }
});
