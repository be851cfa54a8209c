/**
 * Limits the calls of one client in 15 minutes, a day and 30 days [recorded]. The process keeps the counts in memory
 * and starts at zero. Such counts are enough for a server of one process that serves trial migrations.
 */
import { createHash } from 'node:crypto';
import type { NextFunction, Request, Response } from 'express';
import { createRecent } from '../recent.ts';
import { createRollingWindow, type RollingWindow } from '../rolling-window.ts';
import type { ApiCaller } from './authentication.ts';

/** Calls in 15 minutes, in 24 hours and in 30 days. */
export type Quotas = readonly [number, number, number];

const GENEROUS: Quotas = [10_000, 250_000, 3_000_000];

/** `word` is the name of the window in the headers, `code` the name in a refusal. */
const WINDOWS = [
  { seconds: 900, word: '15min', code: '15m' },
  { seconds: 86_400, word: '1day', code: '24h' },
  { seconds: 2_592_000, word: '30days', code: '30d' },
] as const;

/** The process keeps the counts of this many clients, and forgets the client that has not called for longest. */
const MAX_CLIENTS = 10_000;

type Window = (typeof WINDOWS)[number] & { quota: number; rolling: RollingWindow };

const windowsFor = (quotas: Quotas): Window[] =>
  WINDOWS.map((window, index) => {
    const quota = quotas[index] ?? 0;
    return { ...window, quota, rolling: createRollingWindow(quota, window.seconds * 1000) };
  });

const seconds = (milliseconds: number) => Math.ceil(milliseconds / 1000);
const nameOf = ({ quota, word }: Window) => `"${quota}-in-${word}"`;

/** A digest of the client id: the header must tell clients apart, and must not show client ids. */
const partitionOf = (client: string) => `:${createHash('sha256').update(client).digest('base64')}:`;

/** One member for each window, as a structured list (draft-ietf-httpapi-ratelimit-headers, RFC 9651). */
function headersFor(windows: Window[], client: string, now: number) {
  const standings = windows.map(
    (window) =>
      `${nameOf(window)};r=${window.rolling.left(now)};t=${seconds(window.rolling.untilReset(now))}`,
  );
  const policies = windows.map(
    (window) => `${nameOf(window)};q=${window.quota};w=${window.seconds};pk=${partitionOf(client)}`,
  );
  return { RateLimit: standings.join(', '), 'RateLimit-Policy': policies.join(', ') };
}

/** Sends the recorded body. When several windows are full, the answer names the window that opens last. */
function refuse(res: Response, full: Window[], now: number): void {
  const [last] = full.toSorted((a, b) => b.rolling.untilReset(now) - a.rolling.untilReset(now));
  const error = {
    message: 'Too many requests from this client. Please try again later.',
    extensions: { code: 'RATE_LIMIT_EXCEEDED', window: last?.code },
  };
  res.status(429).set('Retry-After', String(seconds(last?.rolling.untilReset(now) ?? 0)));
  res.json({ errors: [error] });
}

/**
 * Counts every call with a valid token, also when the call fails later, and sets the quota headers of the answer. A
 * call over a quota gets 429 and is not counted.
 */
export function limitCalls(quotas: Quotas = GENEROUS) {
  const windowsOf = createRecent(MAX_CLIENTS, () => windowsFor(quotas));
  return (_req: Request, res: Response, next: NextFunction): void => {
    const { client }: ApiCaller = res.locals['caller'];
    const now = performance.now();
    const windows = windowsOf(client);
    const full = windows.filter(({ rolling }) => rolling.left(now) === 0);
    if (full.length === 0) for (const { rolling } of windows) rolling.count(now);
    res.set(headersFor(windows, client, now));
    if (full.length > 0) refuse(res, full, now);
    else next();
  };
}
