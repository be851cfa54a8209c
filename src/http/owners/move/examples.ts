import { curlCode } from './examples-curl.ts';
import { pythonCode } from './examples-python.ts';
import { type ExampleStep, fromEnv, type StepValue } from './examples-step.ts';
import { typescriptCode } from './examples-typescript.ts';

/**
 * The old calls of an app beside the calls of the new API, filled with the app's own values. Secrets and tokens are
 * variables that the reader sets.
 */

/** The values that fill the examples. */
export interface ExampleValues {
  clientId: string;
  callback: string | undefined;
  publicUrl: string;
  modern: {
    /** Undefined while the app has no client of its own at the new API. */
    clientId: string | undefined;
    /** Clients that the app used before and that may still take connections. */
    former: readonly string[];
    isConfidential: boolean;
    scopes: string;
    authorizeUrl: string;
    tokenUrl: string;
    apiUrl: string;
  };
}

const ACCESS_TOKEN = fromEnv('ACCESS_TOKEN');
const CODE = fromEnv('CODE');

const orEnv = (value: string | undefined, name: string): StepValue => value ?? fromEnv(name);

function oldSteps({ clientId, callback, publicUrl }: ExampleValues): ExampleStep[] {
  const redirectUri = orEnv(callback, 'CALLBACK');
  return [
    {
      does: 'open',
      title: 'Ask for consent',
      address: `${publicUrl}/oauth2/authorize`,
      query: { client_id: clientId, redirect_uri: redirectUri, response_type: 'code' },
    },
    {
      does: 'post',
      title: 'Exchange the code, within 30 seconds',
      address: `${publicUrl}/1/oauth2/token.json`,
      form: {
        client_id: clientId,
        client_secret: fromEnv('CLIENT_SECRET'),
        redirect_uri: redirectUri,
        code: CODE,
        grant_type: 'authorization_code',
      },
    },
    {
      does: 'read',
      title: 'Read the profiles',
      address: `${publicUrl}/1/profiles.json`,
      bearer: ACCESS_TOKEN,
    },
  ];
}

/** A public client sends no secret. */
function clientOf({ modern }: ExampleValues): Record<string, StepValue> {
  return {
    client_id: orEnv(modern.clientId, 'MODERN_CLIENT_ID'),
    ...(modern.isConfidential && { client_secret: fromEnv('MODERN_CLIENT_SECRET') }),
  };
}

function modernSteps(values: ExampleValues): ExampleStep[] {
  const { modern, callback } = values;
  const redirectUri = orEnv(callback, 'CALLBACK');
  return [
    {
      does: 'open',
      title: 'Ask for consent, with PKCE',
      address: modern.authorizeUrl,
      query: {
        client_id: orEnv(modern.clientId, 'MODERN_CLIENT_ID'),
        redirect_uri: redirectUri,
        response_type: 'code',
        scope: modern.scopes,
        state: { own: 'state' },
        code_challenge: { own: 'challenge' },
        code_challenge_method: 'S256',
        prompt: 'consent',
      },
    },
    {
      does: 'post',
      title: 'Exchange the code',
      address: modern.tokenUrl,
      form: {
        ...clientOf(values),
        grant_type: 'authorization_code',
        code: CODE,
        redirect_uri: redirectUri,
        code_verifier: fromEnv('VERIFIER'),
      },
    },
    {
      does: 'channels',
      title: 'Read the channels',
      address: modern.apiUrl,
      bearer: ACCESS_TOKEN,
    },
    {
      does: 'post',
      title: 'Refresh: each refresh token works once, so store the new one first',
      address: modern.tokenUrl,
      form: { ...clientOf(values), grant_type: 'refresh_token', refresh_token: fromEnv('REFRESH_TOKEN') },
    },
  ];
}

const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const CONFIRMATION = 'urn:grantbridge:params:oauth:grant-type:confirm-exchange';

/**
 * The client that takes a connection over: the one that the connection was made with. Where the app had several, the
 * reader names it. For a public client the secret is the app's secret at the bridge.
 */
function takerOf({ former, clientId, isConfidential }: ExampleValues['modern']): Record<string, StepValue> {
  if (former.length > 0)
    return { client_id: fromEnv('TAKING_CLIENT_ID'), client_secret: fromEnv('TAKING_CLIENT_SECRET') };
  return {
    client_id: orEnv(clientId, 'MODERN_CLIENT_ID'),
    client_secret: fromEnv(isConfidential ? 'MODERN_CLIENT_SECRET' : 'CLIENT_SECRET'),
  };
}

function handOverSteps({ publicUrl, modern }: ExampleValues): ExampleStep[] {
  const subject = {
    ...takerOf(modern),
    subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    subject_token: fromEnv('OLD_TOKEN'),
  };
  const address = `${publicUrl}/oauth2/exchange`;
  return [
    {
      does: 'post',
      title: 'Take the connection over',
      address,
      form: { grant_type: TOKEN_EXCHANGE, ...subject },
    },
    {
      does: 'post',
      title: 'Confirm it, once the pair is stored',
      address,
      form: { grant_type: CONFIRMATION, ...subject },
    },
  ];
}

interface CodeBlock {
  title: string;
  code: string;
}

interface Examples {
  id: string;
  language: string;
  old: CodeBlock[];
  modern: CodeBlock[];
  handOver: CodeBlock[];
}

const LANGUAGES = [
  { id: 'curl', language: 'curl', codeOf: curlCode },
  { id: 'typescript', language: 'TypeScript', codeOf: typescriptCode },
  { id: 'python', language: 'Python', codeOf: pythonCode },
];

/** Each step in each language. */
export function examplesFor(values: ExampleValues): Examples[] {
  return LANGUAGES.map(({ id, language, codeOf }) => {
    const blocks = (steps: ExampleStep[]) => steps.map((step) => ({ title: step.title, code: codeOf(step) }));
    return {
      id,
      language,
      old: blocks(oldSteps(values)),
      modern: blocks(modernSteps(values)),
      handOver: blocks(handOverSteps(values)),
    };
  });
}
