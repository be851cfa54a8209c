import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type Configuration, Provider } from 'oidc-provider';
import { freePort } from '../../../support/servers/free-port.ts';
import { signedToken } from './tokens.ts';

/** The identity provider of a company: a plain oidc-provider on a server of its own, with groups. */

export const BRIDGE_AT_COMPANY = {
  clientId: 'support-pages',
  clientSecret: 'a-secret-of-the-company-client-1',
};

interface CompanyUser {
  name: string;
  email: string;
  groups?: unknown;
}

/** Answers of the token endpoint that a hostile network or a broken provider would give. */
type TokenAnswer = Record<string, unknown>;

interface RecordedCall {
  method: string;
  path: string;
  body: string;
}

export interface IdentityProvider {
  issuer: string;
  /** By login. A test may change what the company says of somebody. */
  users: Map<string, CompanyUser>;
  /** Changes answers of the token endpoint. */
  changeAnswer: ((answer: TokenAnswer) => TokenAnswer | Promise<TokenAnswer>) | undefined;
  /** Changes what the provider says of itself. */
  changeMetadata: ((metadata: TokenAnswer) => TokenAnswer) | undefined;
  /** What came in. */
  calls: RecordedCall[];
  /** Signs with the key of the company. */
  sign(claims: Record<string, unknown>): string;
  close(): Promise<void>;
}

export interface ProviderOptions {
  redirectUri: string;
  /** Whether claims stand in the ID token, or only at the userinfo endpoint. */
  claimsInIdToken?: boolean;
  port?: number;
}

const KEY = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
const KEY_ID = 'of-the-company';

function configurationOf(users: Map<string, CompanyUser>, options: ProviderOptions): Configuration {
  return {
    scopes: ['openid', 'profile', 'email'],
    claims: { openid: ['sub'], profile: ['name', 'groups', 'realm_access'], email: ['email'] },
    conformIdTokenClaims: options.claimsInIdToken === false,
    jwks: { keys: [{ ...KEY.export({ format: 'jwk' }), kid: KEY_ID, alg: 'RS256', use: 'sig' }] },
    pkce: { required: () => true },
    findAccount: (_context, id) => ({
      accountId: id,
      claims: async () => ({ sub: id, ...users.get(id) }),
    }),
    clients: [
      {
        client_id: BRIDGE_AT_COMPANY.clientId,
        client_secret: BRIDGE_AT_COMPANY.clientSecret,
        redirect_uris: [options.redirectUri],
        response_types: ['code'],
        grant_types: ['authorization_code'],
      },
    ],
  };
}

const STAFF: Array<[string, CompanyUser]> = [
  ['lena', { name: 'Lena Lead', email: 'lena@corp.example', groups: ['all', 'support leads'] }],
  ['rio', { name: 'Rio Reader', email: 'rio@corp.example', groups: ['support-readers'] }],
  ['nobody', { name: 'Nora Nobody', email: 'nora@corp.example', groups: ['all'] }],
];

/** Starts one on loopback. */
export async function startIdentityProvider(options: ProviderOptions): Promise<IdentityProvider> {
  const port = options.port ?? (await freePort());
  const issuer = `http://127.0.0.1:${port}`;
  const users = new Map(STAFF);
  const provider = new Provider(issuer, configurationOf(users, options));
  const running: Omit<IdentityProvider, 'close'> = {
    issuer,
    users,
    changeAnswer: undefined,
    changeMetadata: undefined,
    calls: [],
    sign: (claims) => signedToken(claims, { key: KEY, kid: KEY_ID }),
  };
  provider.use(async (context, next) => {
    await next();
    const { path } = context;
    if (path === '/token' || path === '/me')
      running.calls.push({ method: context.method, path, body: JSON.stringify(context.oidc?.body ?? {}) });
    if (path === '/token' && running.changeAnswer && context.status === 200)
      context.body = await running.changeAnswer(context.body as TokenAnswer);
    if (path.startsWith('/.well-known/') && running.changeMetadata)
      context.body = running.changeMetadata(context.body as TokenAnswer);
  });
  const answer = provider.callback();
  const server = createServer((req, res) => void answer(req, res));
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return Object.assign(running, {
    async close() {
      server.close();
      server.closeAllConnections();
    },
  });
}
