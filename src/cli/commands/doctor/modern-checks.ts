import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config, UpstreamConfig } from '../../../config/config.ts';
import { upstreamFor } from '../../../app/embedded-client.ts';
import { beginAuthorization, exchangeMadeUpCode } from '../../../upstream/authorization-server.ts';
import { createDiscovery, type ServerMetadata } from '../../../upstream/discovery.ts';
import { type HttpAnswer, send } from '../../../upstream/http-client.ts';
import {
  areCredentialsRight,
  type ClientUse,
  faultOfBeginning,
  saidBy,
} from '../../../upstream/prove-client.ts';
import { notLookedAt, ok, type CheckVerdict, warning } from '../../../domain/checks/verdict.ts';
import { failure, proving } from './verdict.ts';

/** What `doctor` asks of the new API and its authorization server. No question can use, end or begin a grant. */

/** Records the time that a server gives in one of its answers. */
export type TimeRecorder = (place: string, ask: () => Promise<HttpAnswer>) => Promise<HttpAnswer>;

/** The new API as the settings name it. The client of the embedded new API is made at the first start, never here. */
export function knownUpstream(config: Config): UpstreamConfig | undefined {
  const isKnown = config.upstream ?? existsSync(join(config.varDir, 'modern-client.json'));
  return isKnown ? upstreamFor(config) : undefined;
}

export const NOT_MADE_YET = notLookedAt('the first start makes the embedded APIs');

const has = (endpoint: string | undefined, word: string) => (endpoint === undefined ? `no ${word}` : word);

/** The issuer is the text of another server: it is shown as an address or not at all. */
function elsewhereWords(authUrl: string, { elsewhere, issuer = '' }: ServerMetadata): string {
  const named = URL.canParse(issuer) ? new URL(issuer) : undefined;
  const remedy =
    named === undefined || named.origin === new URL(authUrl).origin
      ? 'No setting changes that'
      : `Set MODERN_AUTH_URL to the address that the server names for itself, which is ${named.href}`;
  return `, but it names ${elsewhere.join(', ')} at another address, and what stands there is not used. ${remedy}`;
}

const namedServer = ({ authUrl }: UpstreamConfig) => `MODERN_AUTH_URL: ${authUrl}`;

/** Whether the authorization server answers, and whether its metadata fits (RFC 8414). */
export async function checkModernSide(config: Config, upstream: UpstreamConfig): Promise<CheckVerdict> {
  const { authUrl } = upstream;
  const embedded = `${authUrl} (the embedded new API runs only while the bridge runs)`;
  const server = config.upstream ? namedServer(upstream) : embedded;
  const metadata = await proving({ server }, createDiscovery(authUrl).metadata());
  if (metadata.issuer === undefined)
    return warning(
      `${authUrl} answers without metadata. Check that MODERN_AUTH_URL is the authorization server`,
    );
  const words = [has(metadata.revocationEndpoint, 'revocation')];
  words.push(has(metadata.introspectionEndpoint, 'introspection'));
  const answers = `${authUrl} answers (${words.join(', ')})`;
  return metadata.elsewhere.length === 0
    ? ok(answers)
    : warning(`${answers}${elsewhereWords(authUrl, metadata)}`);
}

const useOf = ({ publicUrl, scopes }: Config): ClientUse => ({
  redirectUri: `${publicUrl}/callback`,
  scope: scopes,
});

interface ClientProof {
  isRight: boolean;
  /** What the server answered. */
  said: string;
}

/** Asks whether the client is right. */
export type ClientQuestion = () => Promise<ClientProof>;

/** The checks that need the proof of the client share one question to the server. */
export function askClientOnce(config: Config, upstream: UpstreamConfig, hear: TimeRecorder): ClientQuestion {
  const { authUrl } = upstream;
  const ask = () => exchangeMadeUpCode(authUrl, upstream, useOf(config).redirectUri);
  const proof = async () => {
    const answer = await hear(authUrl, ask);
    return { isRight: areCredentialsRight(answer), said: saidBy(answer) };
  };
  let asked: Promise<ClientProof> | undefined;
  return () => (asked ??= proof());
}

/** The server answers right credentials with `invalid_grant`, and wrong ones with `invalid_client` (RFC 6749 §5.2). */
export async function checkClient(upstream: UpstreamConfig, ask: ClientQuestion): Promise<CheckVerdict> {
  const { clientSecret } = upstream;
  const isSecret = clientSecret !== undefined;
  const settings = isSecret ? 'MODERN_CLIENT_ID and MODERN_CLIENT_SECRET' : 'MODERN_CLIENT_ID';
  const { isRight, said } = await proving({ server: namedServer(upstream), subject: settings }, ask());
  const missing = isSecret ? '' : ', and MODERN_CLIENT_SECRET is not set';
  if (!isRight) throw failure(`${settings}: the authorization server refuses the client${missing} (${said})`);
  const accepted =
    'the authorization server accepted the client and refused only the made-up code (invalid_grant)';
  return ok(`${settings}: ${accepted}${isSecret ? '' : '. A public client has no secret to prove'}`);
}

interface RedirectQuestions {
  hear: TimeRecorder;
  askClient: ClientQuestion;
}

/** A server that does not answer the question refuses nothing. */
const isRefused = (ask: ClientQuestion) =>
  ask().then(
    ({ isRight }) => !isRight,
    () => false,
  );

/**
 * Whether an authorization would begin: the first answer leads to a sign-in, not to an error. The check stops there.
 */
export async function checkRedirectUri(
  config: Config,
  upstream: UpstreamConfig,
  { hear, askClient }: RedirectQuestions,
): Promise<CheckVerdict> {
  const use = useOf(config);
  const { redirectUri } = use;
  const begin = () => beginAuthorization(upstream.authUrl, upstream, use);
  const { status, fault } = await proving(
    { server: namedServer(upstream), subject: redirectUri },
    hear(upstream.authUrl, begin).then((answer) => ({
      status: answer.status,
      fault: faultOfBeginning(answer, use),
    })),
  );
  if (fault?.at === 'authorization')
    throw failure(
      `MODERN_SCOPES: the authorization server answers an authorization for these scopes with ${fault.error}, at ${redirectUri}`,
    );
  if (status === 404)
    throw failure(`MODERN_AUTH_URL: ${upstream.authUrl} has no authorization endpoint at /auth (404)`);
  if (fault !== undefined && (await isRefused(askClient)))
    return notLookedAt('the authorization server refuses the client, see the check client');
  if (fault !== undefined)
    throw failure(
      `PUBLIC_URL: the authorization server refuses ${redirectUri} with a page (${status}). Register exactly this redirect URI for the client`,
    );
  if (status < 300)
    return warning(
      `the authorization server answers ${redirectUri} with a page. The page may be a sign-in or an error. Look at the page`,
    );
  return ok(`an authorization with ${redirectUri} leads to a sign-in (${status})`);
}

/** Whether the new API is at its address: without a token the new API answers 401, and another server does not. */
export async function checkMainApi({ apiUrl }: UpstreamConfig, hear: TimeRecorder): Promise<CheckVerdict> {
  const headers = { 'Content-Type': 'application/json' };
  const body = JSON.stringify({ query: '{ __typename }' });
  const ask = () => send({ method: 'POST', url: apiUrl, headers, body });
  const { status } = await proving({ server: `MODERN_API_URL: ${apiUrl}` }, hear(apiUrl, ask));
  if (status !== 401)
    throw failure(
      `MODERN_API_URL: ${apiUrl} answers ${status} to a call without a token. The new API would answer 401. Check the address`,
    );
  return ok(`${apiUrl} answers 401 to a call without a token, as the new API does. No token was tried`);
}
