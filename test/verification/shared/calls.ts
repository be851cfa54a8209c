import { digestOf, type Call, type Operation } from './checker/history.ts';
import type { LegacyApp } from '../../support/callers/authorize.ts';
import { exchangeFields } from '../../support/callers/legacy-calls.ts';
import { type RawAnswer, rawForm, type RawRequest, sendRaw } from '../../support/callers/raw-request.ts';

/** The calls of old integrations, each kept with its outcome. */

/** Longer than any caller is kept waiting, a paused process included. */
const HUNG_AFTER_MS = 25_000;

/** What a caller got: a whole answer, or why there was none. */
export type Outcome = { startedAt: number; endedAt: number } & (
  | { answer: RawAnswer; failure?: never }
  | { answer?: never; failure: string }
);

/** Makes one call and waits for its end, for a while. */
export async function outcomeOf(
  url: string,
  request: RawRequest,
  patience: number = HUNG_AFTER_MS,
): Promise<Outcome> {
  const startedAt = Date.now();
  let timer: NodeJS.Timeout | undefined;
  const hung = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('hung')), patience);
  });
  try {
    const answer = await Promise.race([sendRaw(url, request), hung]);
    return { startedAt, endedAt: Date.now(), answer };
  } catch (error) {
    return { startedAt, endedAt: Date.now(), failure: (error as Error).message };
  } finally {
    clearTimeout(timer);
  }
}

/** A call, to which process, and with which token or code. */
export interface MeantCall {
  operation: Operation;
  process: number;
  url: string;
  secret: string;
  request: RawRequest;
  patience?: number | undefined;
}

function issuedIn(json: unknown): string | undefined {
  const token = json instanceof Object && 'access_token' in json ? json.access_token : undefined;
  return typeof token === 'string' ? token : undefined;
}

/** Makes a call and keeps what the checker needs; the token of an exchange is beside it. */
export async function recordCall(meant: MeantCall): Promise<Call & { token?: string }> {
  const { operation, process, url, secret, request, patience } = meant;
  const { answer, failure, startedAt, endedAt } = await outcomeOf(url, request, patience);
  const base = { operation, process, startedAt, endedAt, secret: digestOf(secret) };
  if (!answer) return { ...base, headers: {}, body: '', isJson: false, failure };
  const token = operation === 'exchange' ? issuedIn(answer.json) : undefined;
  const { status, headers } = answer;
  const body = token ? '' : answer.text.slice(0, 300);
  const call = { ...base, status, headers, body, isJson: answer.json !== undefined };
  return token ? { ...call, token, issued: digestOf(token) } : call;
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

export function readProfiles(url: string, process: number, token: string): Promise<Call> {
  const request = { path: '/1/profiles.json', headers: bearer(token) };
  return recordCall({ operation: 'read', process, url, secret: token, request });
}

export function deauthorizeToken(
  url: string,
  process: number,
  { token, patience }: { token: string; patience?: number },
): Promise<Call> {
  const request = { method: 'POST', path: '/1/user/deauthorize.json', headers: bearer(token) };
  return recordCall({ operation: 'deauthorize', process, url, secret: token, request, patience });
}

/** The token that came is beside the recorded call, which holds only its digest. */
export function exchangeCode(
  url: string,
  process: number,
  { app, code, patience }: { app: LegacyApp; code: string; patience?: number },
): Promise<Call & { token?: string }> {
  const form = rawForm(new URLSearchParams(exchangeFields(app, code)).toString());
  const request = { method: 'POST', path: '/1/oauth2/token.json', ...form };
  return recordCall({ operation: 'exchange', process, url, secret: code, request, patience });
}
