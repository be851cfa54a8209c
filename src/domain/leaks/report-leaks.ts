import { chunksOf } from '../../shared/chunks-of.ts';
import { SECOND } from '../../shared/lifetimes.ts';
import { groupBy } from '../../shared/group-by.ts';
import type { Database } from '../../store/driver/store.ts';
import {
  keepLeak,
  keepPlace,
  listReportedTokens,
  type ReportedToken,
  stateOfReported,
} from '../../store/leaks/leaked-tokens.ts';
import { recordEvent } from '../history/record-event.ts';
import { underAllKeys, withUsableKeys } from '../keys/retry-after-key-rotation.ts';
import { statesOf } from '../grants/mapping-state.ts';
import type { Origin } from '../origin.ts';
import { learnFrom } from '../tokens/resolve-token.ts';
import { yieldToEventLoop } from '../work/yield-to-event-loop.ts';
import type { LeaksDeps } from './deps.ts';
import { endLeakedTokens } from './end-leaked-tokens.ts';
import { placeWords } from './place.ts';

/**
 * Takes reports of tokens that stand where others can read them. Known tokens are found by their digest. The report is
 * kept first, in the transaction of its history; the end of a token comes after that and may come from any process, so
 * that no crash loses it. The same report again changes nothing.
 */

/** A token that somebody found. */
export interface LeakReport {
  /** As it was found: plain, or with `1%2F`. */
  token: string;
  /** Where it was found, in the words of the reporter. */
  found: string;
}

interface LeakReports {
  reports: readonly LeakReport[];
  /** How long the tokens go on, in milliseconds; 0 ends them at once. */
  grace: number;
}

/** A known token among the reports. */
interface FoundLeak {
  mappingId: string;
  /** Whether the token had ended before it was reported. */
  hadEnded: boolean;
}

/** The known tokens by the token as it was reported. */
export type FoundLeaks = ReadonlyMap<string, FoundLeak>;

/** How many tokens one statement looks for, and one transaction keeps. */
const TOKENS_AT_ONCE = 100;
const ENDED_AT_ONCE = 10;

const plainOf = (token: string) => token.trim().replace(/^1%2F/i, '1/');

/** The known tokens among these, by the plain token. */
async function findKnown(context: LeaksDeps, tokens: readonly string[]): Promise<Map<string, ReportedToken>> {
  const look = async () => {
    const byDigest = new Map(
      tokens.flatMap((token) => context.vault.digests(token).map((digest) => [digest, token] as const)),
    );
    const rows = await listReportedTokens(context.store.durable, [...byDigest.keys()]);
    return new Map(rows.map((row) => [byDigest.get(row.token_digest) ?? '', row]));
  };
  let known = new Map<string, ReportedToken>();
  await underAllKeys(context, async () => {
    known = await look();
    return known.size === tokens.length ? known : undefined;
  });
  return known;
}

interface KnownReport {
  row: ReportedToken;
  places: ReadonlySet<string>;
}

type ReportInput = Pick<LeakReports, 'grace'> & { origin: Origin };

const canEnd = statesOf('revoked');

/**
 * Returns whether the token had ended before. The transaction itself reads that: a token that support has taken back
 * since it was found has to be ended.
 */
async function keepReport(
  context: LeaksDeps,
  tx: Database,
  { row, places, grace, origin }: KnownReport & ReportInput,
): Promise<boolean> {
  const now = context.clock.now();
  const { actor: by, requestId } = origin;
  const mappingId = row.id;
  const hasEnded = !canEnd.includes(await stateOfReported(tx, mappingId));
  await keepLeak(tx, { mappingId, by, now, endsAt: now + grace, hasEnded });
  for (const place of places)
    if (await keepPlace(tx, { mappingId, place, by, now }))
      await recordEvent(context, tx, {
        at: now,
        actor: by,
        action: 'token_leaked',
        reason: place,
        requestId,
        mappingId,
      });
  return hasEnded;
}

/** Far more than are kept of one token. */
const PLACES_READ = 50;

/** The places where a token was found. Only of known tokens: a report may name any number of others. */
const placesOf = (token: string, reports: readonly LeakReport[]): Set<string> =>
  new Set(reports.slice(0, PLACES_READ).map(({ found }) => placeWords({ token, found })));

async function takeSome(
  context: LeaksDeps,
  some: ReadonlyArray<[token: string, reports: LeakReport[]]>,
  input: ReportInput,
): Promise<Map<string, FoundLeak>> {
  const known = await findKnown(
    context,
    some.map(([token]) => token),
  );
  const reported = some.flatMap(([token, reports]): KnownReport[] => {
    const row = known.get(token);
    return row ? [{ row: learnFrom(context, row, token), places: placesOf(token, reports) }] : [];
  });
  if (reported.length === 0) return new Map();
  const keep = async (tx: Database) => {
    const ended = new Map<string, boolean>();
    for (const one of reported) ended.set(one.row.id, await keepReport(context, tx, { ...one, ...input }));
    return ended;
  };
  const ended = await withUsableKeys(context, () => context.store.transaction(keep));
  return new Map(
    [...known].map(([token, { id }]) => [token, { mappingId: id, hadEnded: ended.get(id) ?? false }]),
  );
}

/** Reporters wait half a minute for their answer. The job ends what is left after this time. */
const END_WITHIN = 10 * SECOND;

async function endInTime(context: LeaksDeps, ids: readonly string[]): Promise<void> {
  const until = context.clock.elapsed() + END_WITHIN;
  for (const some of chunksOf(ids, ENDED_AT_ONCE)) {
    if (context.clock.elapsed() >= until) return;
    await endLeakedTokens(context, some);
  }
}

/**
 * Keeps reports of found tokens, and revokes the known ones whose time has come. Tells nobody: mails are planned by the
 * job.
 * @throws {KeyMissing}
 */
export async function reportLeaks(
  context: LeaksDeps,
  { reports, grace }: LeakReports,
  origin: Origin,
): Promise<FoundLeaks> {
  const found = new Map<string, FoundLeak>();
  const byToken = groupBy(reports, ({ token }) => plainOf(token));
  for (const some of chunksOf([...byToken], TOKENS_AT_ONCE)) {
    for (const [token, leak] of await takeSome(context, some, { grace, origin })) found.set(token, leak);
    await yieldToEventLoop();
  }
  const ids = [...found.values()].map(({ mappingId }) => mappingId);
  await endInTime(context, ids);
  return new Map(
    reports.flatMap(({ token }) => {
      const leak = found.get(plainOf(token));
      return leak ? [[token, leak] as const] : [];
    }),
  );
}
