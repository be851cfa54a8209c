import { z } from 'zod';
import { chunksOf } from '../../../shared/chunks-of.ts';
import { type Board, readBoards } from '../../../upstream/posts/read-boards.ts';
import { OrganizationGone } from '../../../upstream/main-api.ts';
import { Unavailable } from '../../../upstream/outcomes.ts';
import type { GrantClient } from '../../grants/grant-client.ts';
import type { PostsDeps } from '../deps.ts';
import { mainApiOf } from '../../grants/main-api-of.ts';
import { readWithAccessToken } from '../../grants/refresh/read-with-token.ts';
import { type ShareTaker, takeNeededRead, takeRead } from '../../limits/fair-shares.ts';
import { freshFor } from '../../limits/freshness.ts';
import type { AccountWithAge } from '../../reads/read-account.ts';
import { freshOrLastKnown, keepPostAnswer, keptAnswer } from './post-cache.ts';

/** The boards of an account's Pinterest channels: from the cache while fresh, else with one request. */

/** The new API takes at most thirty aliases in one request. */
const ORGANIZATIONS_PER_REQUEST = 20;

const boardsOfChannel = z.array(z.object({ serviceId: z.string(), name: z.string() }));

const keptBoards = z.object({
  boards: z.record(z.string(), boardsOfChannel.nullable()),
  fetchedAt: z.number(),
});

export type { Board };

export interface BoardsAnswer {
  /** By channel id. Every Pinterest channel is present; null where the new API told no boards. */
  boards: Readonly<Record<string, readonly Board[] | null>>;
  fetchedAt: number;
  isStale: boolean;
}

interface BoardsRequest {
  take: ShareTaker;
  channelIds: string[];
  organizationIds: string[];
}

async function fetchBoards(
  context: PostsDeps,
  grant: GrantClient,
  wanted: BoardsRequest,
): Promise<BoardsAnswer> {
  const fetchedAt = context.clock.now();
  const mainApi = mainApiOf(context, grant);
  const now = () => context.clock.now();
  const found: Record<string, Board[] | null> = Object.fromEntries(wanted.channelIds.map((id) => [id, null]));
  for (const ids of chunksOf(wanted.organizationIds, ORGANIZATIONS_PER_REQUEST)) {
    const read = await readWithAccessToken(context, grant, async (accessToken) => {
      wanted.take(context, grant);
      return readBoards({ mainApi, accessToken, now }, ids);
    }).catch((cause: unknown) => {
      if (!(cause instanceof OrganizationGone)) throw cause;
      throw new Unavailable('the organizations changed while their boards were read', { cause });
    });
    Object.assign(found, read);
  }
  await keepPostAnswer(
    context,
    { grantId: grant.id, what: 'boards' },
    { answer: { boards: found, fetchedAt } },
  );
  return { boards: found, fetchedAt, isStale: false };
}

/**
 * The boards of the Pinterest channels in a reading. An account without Pinterest channels costs no request.
 * @throws {GrantDead | Forbidden | LimitReached | Unavailable}
 */
export async function knownBoards(
  context: PostsDeps,
  grant: GrantClient,
  { channels }: Pick<AccountWithAge, 'channels'>,
): Promise<BoardsAnswer> {
  const ofPinterest = channels.filter(({ service }) => service === 'pinterest');
  if (ofPinterest.length === 0) return { boards: {}, fetchedAt: context.clock.now(), isStale: false };
  const wanted = {
    channelIds: ofPinterest.map(({ id }) => id),
    organizationIds: [...new Set(ofPinterest.map(({ organizationId }) => organizationId))],
  };
  const name = { grantId: grant.id, what: 'boards' };
  const parsed = keptBoards.safeParse((await keptAnswer(context, name)).answer).data;
  // Cached boards are worthless once the account has a new Pinterest channel.
  const isWhole = parsed && wanted.channelIds.every((id) => Object.hasOwn(parsed.boards, id));
  const kept = isWhole ? parsed : undefined;
  const age = kept ? context.clock.now() - kept.fetchedAt : Number.POSITIVE_INFINITY;
  if (kept && age < freshFor(context, grant)) return { ...kept, isStale: false };
  const lastKnown = kept && age < context.settings.profilesStale ? { ...kept, isStale: true } : undefined;
  const take = lastKnown ? takeRead : takeNeededRead;
  const read = () => fetchBoards(context, grant, { ...wanted, take });
  return freshOrLastKnown(context, { grant, key: `boards ${grant.id}`, read, lastKnown: () => lastKnown });
}
