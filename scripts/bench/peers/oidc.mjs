// `node oidc.mjs DATABASE CODES_FILE CODES`: oidc-provider with the least that exchanges a code for an opaque access token: no
// refresh token, no id token, no PKCE. Makes its codes first, by its own models, and writes them as fill.mjs writes the
// bridge's.
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import Provider from 'oidc-provider';
import { accountIdOf, APPS, CALLBACK, clientIdOf, secretOf } from '../rows.mjs';
import { openRecords } from './oidc-records.mjs';
import { tellPort } from './tell-port.mjs';

const [, , databaseFile, codesFile, count] = process.argv;
const SCOPE = 'account:read';
const ACCOUNTS = 1000;
const { database, adapter } = openRecords(databaseFile);

// It warns of keys and settings that matter to a production alone.
console.warn = () => undefined;
console.info = () => undefined;

const provider = new Provider('http://auth.example', {
  adapter,
  clients: Array.from({ length: APPS }, (_, app) => ({
    client_id: clientIdOf(app),
    client_secret: secretOf(clientIdOf(app)),
    redirect_uris: [CALLBACK],
    grant_types: ['authorization_code'],
    response_types: ['code'],
    token_endpoint_auth_method: 'client_secret_post',
  })),
  scopes: [SCOPE],
  cookies: { keys: ['a key of a benchmark'] },
  pkce: { required: () => false },
  features: { devInteractions: { enabled: false } },
  findAccount: async (_ctx, id) => ({ accountId: id, claims: async () => ({ sub: id }) }),
  issueRefreshToken: async () => false,
  ttl: { AccessToken: 3600, AuthorizationCode: 3600, Grant: 86_400 },
});

async function makeGrant(index) {
  const grant = new provider.Grant({ accountId: accountIdOf(index), clientId: clientIdOf(index) });
  grant.addOIDCScope(SCOPE);
  return grant.save();
}

async function makeCode(index, grantId) {
  const code = new provider.AuthorizationCode({
    accountId: accountIdOf(index),
    client: await provider.Client.find(clientIdOf(index)),
    grantId,
    redirectUri: CALLBACK,
    scope: SCOPE,
  });
  return code.save();
}

async function makeCodes() {
  const grants = [];
  for (let index = 0; index < ACCOUNTS; index += 1) grants.push(await makeGrant(index));
  const lines = [];
  for (let index = 0; index < Number(count); index += 1) {
    const code = await makeCode(index % ACCOUNTS, grants[index % ACCOUNTS]);
    const clientId = clientIdOf(index % ACCOUNTS);
    lines.push([clientId, secretOf(clientId), code].join(' '));
  }
  writeFileSync(codesFile, lines.join('\n'));
}

database.exec('begin');
await makeCodes();
database.exec('commit');
const answer = provider.callback();
const server = createServer((request, response) => void answer(request, response));
server.listen(0, '127.0.0.1', () => tellPort(server));
