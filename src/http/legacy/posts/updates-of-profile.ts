import type { LegacyDeps } from '../deps.ts';
import { isNotShown } from '../../../domain/failures.ts';
import type { Caller } from '../../../domain/ids/match-ids.ts';
import { type CallerChannel, channelOfProfile, viewOf } from '../../../domain/posts/caller-channel.ts';
import { type ListName, LISTS, type PostList } from '../../../domain/posts/lists/lists.ts';
import { type ListAnswer, readList } from '../../../domain/posts/lists/read-list.ts';
import { servedBy } from '../../../domain/tokens/resolve-token.ts';
import type { UpdateView } from '../../../domain/translation/old-update.ts';
import { LegacyError, REFUSALS } from '../../wire/legacy-error.ts';
import type { ListParameters } from './list-parameters.ts';

/** One page of a list of a profile, from the new API. */

/** @throws {LegacyError | PageOutOfReach} */
async function pageOf(
  context: LegacyDeps,
  caller: Caller,
  { list, page, count }: { list: PostList } & ListParameters,
): Promise<ListAnswer> {
  const range = { offset: (page - 1) * count, count };
  try {
    return await servedBy(context, caller.mapping, (grant) => readList(context, grant, { list, range }));
  } catch (error) {
    throw isNotShown(error) ? new LegacyError(REFUSALS.unknownProfile) : error;
  }
}

interface ListCall {
  list: ListName;
  /** The profile id that the caller gave. */
  id: string;
  parameters: ListParameters;
}

interface UpdatesOfProfile {
  answer: ListAnswer;
  found: CallerChannel;
  list: PostList;
  view: UpdateView;
}

/** The posts of a list, and how to write them as updates. @throws {LegacyError} */
export async function updatesOfProfile(
  context: LegacyDeps,
  caller: Caller,
  { list: name, id, parameters }: ListCall,
): Promise<UpdatesOfProfile> {
  const found = await channelOfProfile(context, caller, id);
  if (!found) throw new LegacyError(REFUSALS.unknownProfile);
  const list = LISTS[name](found.channel, parameters.since);
  const answer = await pageOf(context, caller, { list, ...parameters });
  const view = viewOf(found, { now: context.clock.now(), isUtc: parameters.isUtc });
  return { answer, found, list, view };
}
