import { CookieWalker } from '../support/cookie-walker.ts';
import { walkUntil } from '../support/authorize.ts';
import { freePort } from '../support/free-port.ts';
import { startRecordingProxy } from '../support/recording-proxy.ts';
import { BRIDGE_CLIENT } from '../support/modern-side.ts';
import { startPlainProvider } from './plain-provider.ts';
import { startEmbeddedModern } from '../support/embedded-modern.ts';
import { createHash } from 'node:crypto';
test.each([startPlainProvider, startEmbeddedModern])('x', async (start) => {
  const [a, b] = [await freePort(), await freePort()];
  const proxy = await startRecordingProxy(a, `http://127.0.0.1:${b}`);
  const m = await start({
    port: b,
    issuer: proxy.origin,
    redirectUri: 'http://127.0.0.1:3/callback',
    accessTokenSeconds: 2,
  });
  const v = 'x'.repeat(43);
  const q = new URLSearchParams({
    client_id: BRIDGE_CLIENT,
    redirect_uri: 'http://127.0.0.1:3/callback',
    response_type: 'code',
    scope: 'account:read offline_access',
    prompt: 'consent',
    code_challenge_method: 'S256',
    code_challenge: createHash('sha256').update(v).digest('base64url'),
  });
  const no = await walkUntil(`${proxy.origin}/auth?${q}`, {
    person: m.person,
    decision: 'deny',
    until: 'http://127.0.0.1:3/callback',
  });
  console.log(no.location);
  const page = await walkUntil(`${proxy.origin}/auth?${q}`, {
    person: m.person,
    until: 'http://127.0.0.1:3/callback',
  });
  console.log(page.location);
  const code = new URL(page.location).searchParams.get('code')!;
  const w = new CookieWalker();
  const r = await w.post(
    `${proxy.origin}/token`,
    {
      client_id: BRIDGE_CLIENT,
      grant_type: 'authorization_code',
      code,
      code_verifier: v,
      redirect_uri: 'http://127.0.0.1:3/callback',
    },
    { accept: 'application/json' },
  );
  console.log(r.status, r.body);
  const rt = JSON.parse(r.body);
  const g = await fetch(proxy.origin, {
    method: 'POST',
    headers: { authorization: `Bearer ${rt.access_token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query: '{ account { id organizations { id } } }' }),
  });
  console.log(g.status, [...g.headers], await g.text());
  await m.close();
  await proxy.close();
});
