import { digestOf, type Call, type Operation } from './checker/history.ts';
import type { LegacyApp } from '../../support/callers/authorize.ts';
import { exchangeFields } from '../../support/callers/legacy-calls.ts';
import { rawForm, type RawRequest, sendRaw } from '../../support/callers/raw-request.ts';

/** The calls of old integrations, each kept with its outcome. */

/** Longer than any caller is kept waiting, a paused process included. */
const HUNG_AFTER_MS = 25_000;

interface Wanted {
  operation: Operation;
  process: number;
  url: string;
  secret: string;
  request: RawRequest;
}

function issuedIn(json: unknown): string | undefined {
  const token = json instanceof Object && 'access_token' in json ? json.access_token : undefined;
  return typeof token === 'string' ? token : undefined;
}

async function call({
  operation,
  process,
  url,
  secret,
  request,
}: Wanted): Promise<Call & { token?: string }> {
  const base = {
    operation,
    process,
    startedAt: Date.now(),
    secret: digestOf(secret),
    headers: {},
    body: '',
    isJson: false,
  };
  let timer: NodeJS.Timeout | undefined;
  const hung = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('hung')), HUNG_AFTER_MS);
  });
  try {
    const answer = await Promise.race([sendRaw(url, request), hung]);
    const token = operation === 'exchange' ? issuedIn(answer.json) : undefined;
    const { status, headers } = answer;
    const isJson = answer.json !== undefined;
    const body = token ? '' : answer.text.slice(0, 300);
    const outcome = { ...base, endedAt: Date.now(), status, headers, body, isJson };
    return token ? { ...outcome, token, issued: digestOf(token) } : outcome;
  } catch (error) {
    return { ...base, endedAt: Date.now(), failure: (error as Error).message };
  } finally {
    clearTimeout(timer);
  }
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

export function readProfiles(url: string, process: number, token: string): Promise<Call> {
  const request = { path: '/1/profiles.json', headers: bearer(token) };
  return call({ operation: 'read', process, url, secret: token, request });
}

export function deauthorizeToken(url: string, process: number, token: string): Promise<Call> {
  const request = { method: 'POST', path: '/1/user/deauthorize.json', headers: bearer(token) };
  return call({ operation: 'deauthorize', process, url, secret: token, request });
}

/** The token that came is beside the recorded call, which holds only its digest. */
export function exchangeCode(
  url: string,
  process: number,
  { app, code }: { app: LegacyApp; code: string },
): Promise<Call & { token?: string }> {
  const form = rawForm(new URLSearchParams(exchangeFields(app, code)).toString());
  const request = { method: 'POST', path: '/1/oauth2/token.json', ...form };
  return call({ operation: 'exchange', process, url, secret: code, request });
}
