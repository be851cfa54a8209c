import type { FoundLeaks, LeakReport } from '../../domain/leaks/report-leaks.ts';
import { sha256Of } from '../../shared/secrets.ts';

/** The report of a secret-scanning service, and the answer to it (the forms of GitHub's partner programme). */

/** No token is longer. */
const TOKEN_MAX = 4096;

const TYPE_MAX = 200;

export type ReportEntry = Record<'token' | 'type' | 'url' | 'source', string>;

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Half of a surrogate pair, which no token has and no digest takes. */
const BROKEN = /\p{Cs}/u;

/** By hand: a report may have half a million entries, and a library takes seconds to say what each lacks. */
function entryOf(value: unknown): ReportEntry | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { token, type, url, source } = value as Record<string, unknown>;
  if (typeof token !== 'string' || token === '' || token.length > TOKEN_MAX || BROKEN.test(token))
    return undefined;
  return { token, type: textOf(type), url: textOf(url), source: textOf(source) };
}

/** The usable entries of a report, and how many others there are. */
export interface ReadReport {
  entries: ReportEntry[];
  unreadable: number;
}

function listIn(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8').replace(/^\uFEFF/, ''));
  } catch {
    return undefined;
  }
}

/** Undefined where the body is no list. One entry of another form keeps no other token alive. */
export function readReport(body: Buffer): ReadReport | undefined {
  const list = listIn(body);
  if (!Array.isArray(list)) return undefined;
  const entries = list.flatMap((one) => entryOf(one) ?? []);
  return { entries, unreadable: list.length - entries.length };
}

/** What was found, for the use case. */
export const leakOf = ({ token, url, source }: ReportEntry): LeakReport => ({
  token,
  found: `${source} ${url}`,
});

/**
 * Which tokens are real, once for each. The token itself is not sent back: answers are logged too. A token that has
 * ended is real all the same, so a report that is sent again tells nothing of what became of it. Where the old API still
 * answers, a token that is unknown here may be real, and gets no label.
 */
export function labelsOf(
  entries: readonly ReportEntry[],
  found: FoundLeaks,
  { isAllKnown }: { isAllKnown: boolean },
) {
  const byToken = new Map(entries.map((one) => [one.token, one]));
  return [...byToken.values()].flatMap(({ token, type }) => {
    const isReal = found.has(token);
    if (!isReal && !isAllKnown) return [];
    return {
      token_hash: sha256Of(token).toString('hex'),
      token_type: type.slice(0, TYPE_MAX),
      label: isReal ? 'true_positive' : 'false_positive',
    };
  });
}
