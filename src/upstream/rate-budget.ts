import type { HttpAnswer } from './http-client.ts';

/** What is left of the modern client's budget, from the answers' own headers (modern-api 1.7). */
export interface Budget {
  /** The smallest remaining share over all windows, 0 to 1. */
  share: number;
  /** How many requests are left in the window with the smallest share. */
  left: number;
  /** Milliseconds until a used-up window opens again; 0 while none is used up. */
  waitMs: number;
  /** Milliseconds until the tightest window opens again and the share is out of date. */
  validMs: number;
}

interface Window {
  name: string;
  numbers: Map<string, number>;
}

/** Members such as `"100-in-15min";r=98;t=897` of a structured list. */
function windowsOf(header: string | undefined): Window[] {
  return (header ?? '').split(',').flatMap((member) => {
    const [name, ...parameters] = member.trim().split(';');
    if (!name) return [];
    const pairs = parameters.map((text) => text.trim().split('=', 2));
    return [{ name, numbers: new Map(pairs.map(([key = '', value]) => [key, Number(value)])) }];
  });
}

/** Reads `RateLimit` (r left, t seconds to the reset) against `RateLimit-Policy` (q quota); undefined without them. */
export function budgetOf(answer: HttpAnswer): Budget | undefined {
  const quotas = new Map(
    windowsOf(answer.headers['ratelimit-policy']).map(({ name, numbers }) => [name, numbers.get('q')]),
  );
  const windows = windowsOf(answer.headers['ratelimit']).flatMap(({ name, numbers }) => {
    const quota = quotas.get(name) ?? Number(/\d+/.exec(name)?.[0]);
    const left = numbers.get('r');
    if (left === undefined || !(quota > 0)) return [];
    const validMs = Math.ceil((numbers.get('t') ?? 0) * 1000);
    return [{ share: Math.min(left / quota, 1), left, waitMs: left <= 0 ? validMs : 0, validMs }];
  });
  const [tightest] = windows.toSorted((a, b) => a.share - b.share);
  return tightest && { ...tightest, waitMs: Math.max(...windows.map((window) => window.waitMs)) };
}
