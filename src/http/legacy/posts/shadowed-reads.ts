import type { Request } from 'express';
import { channelOfProfile, channelWithId, viewOf } from '../../../domain/posts/caller-channel.ts';
import type { LegacyDeps } from '../deps.ts';
import type { Caller } from '../../../domain/ids/match-ids.ts';
import { readKnownUpdate } from '../../../domain/posts/ids/read-known-update.ts';
import type { ListName } from '../../../domain/posts/lists/lists.ts';
import { type PassedRead, shadowPassed } from '../../../domain/reads/shadow-passed.ts';
import { oldUpdate } from '../../../domain/translation/old-update.ts';
import { legacySchedules } from '../legacy-profile.ts';
import { bodyKind, queryParameters } from '../../wire/request-parameters.ts';
import { readFlag, readListParameters, readParameters } from './list-parameters.ts';
import { updatesOfProfile } from './updates-of-profile.ts';

/** Reads that the old API has answered, and whose answers may be compared with answers of the new API. */

interface ReadCall {
  context: LegacyDeps;
  caller: Caller;
  req: Request;
  /** The profile id or update id in the path. */
  id: string;
}

/** The current answer of the new API. A stale answer is not compared, because it would differ by its age. */
type NewApiRead = (call: ReadCall) => ReturnType<PassedRead['ours']>;

function listOf(list: ListName): NewApiRead {
  return async ({ context, caller, req, id }) => {
    const parameters = await readListParameters(req);
    const { answer, view } = await updatesOfProfile(context, caller, { list, id, parameters });
    if (answer.isStale) return undefined;
    return { total: answer.total, updates: answer.posts.map((post) => oldUpdate(post, view)) };
  };
}

const oneUpdate: NewApiRead = async ({ context, caller, req, id }) => {
  const isUtc = readFlag(await readParameters(req), 'utc');
  const { post, isStale } = await readKnownUpdate(context, caller, id);
  if (isStale) return undefined;
  const found = post && (await channelWithId(context, caller, post.channelId));
  return found ? oldUpdate(post, viewOf(found, { now: context.clock.now(), isUtc })) : 'not there';
};

const schedules: NewApiRead = async ({ context, caller, id }) => {
  const found = await channelOfProfile(context, caller, id);
  return found && legacySchedules(found.channel.postingSchedule);
};

const READS: ReadonlyArray<readonly [pattern: RegExp, address: PassedRead['address'], ours: NewApiRead]> = [
  [
    /^\/1\/profiles\/(\w+)\/updates\/pending(?:\.json)?$/,
    '/1/profiles/:id/updates/pending.json',
    listOf('pending'),
  ],
  [/^\/1\/profiles\/(\w+)\/updates\/sent(?:\.json)?$/, '/1/profiles/:id/updates/sent.json', listOf('sent')],
  [/^\/1\/updates\/([0-9a-f]{24})(?:\.json)?$/, '/1/updates/:id.json', oneUpdate],
  [/^\/1\/profiles\/(\w+)\/schedules(?:\.json)?$/, '/1/profiles/:id/schedules.json', schedules],
];

/**
 * Whether a read may be compared. Of a list only the first page is compared, because a further page may cost more than
 * one request. A body may name the page too, so the few calls with a body are left out.
 */
function isPlainRead(req: Request): boolean {
  const isFirst = (queryParameters(req).get('page') ?? '1') === '1';
  return req.method === 'GET' && bodyKind(req) === 'none' && isFirst;
}

/** Compares a read that the old API answered, if the read is in the table and in the sample. Waits for nothing. */
export function shadowRead(
  context: LegacyDeps,
  caller: Caller,
  { req, answer }: { req: Request; answer: PassedRead['answer'] },
): void {
  if (!isPlainRead(req)) return;
  for (const [pattern, address, ours] of READS) {
    const id = pattern.exec(req.path)?.[1];
    if (id === undefined) continue;
    return shadowPassed(context, caller, { address, answer, ours: () => ours({ context, caller, req, id }) });
  }
}
