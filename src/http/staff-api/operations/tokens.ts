import { z } from 'zod';
import { describeMapping, type MappingDescription } from '../../../domain/support/describe-mapping.ts';
import { timelineOfMapping } from '../../../domain/support/timeline.ts';
import { mappingStanding, tokenDeed } from '../../support/token/mapping-facts.ts';
import type { HttpStaffApiDeps } from '../deps.ts';
import { entryOf, entrySchema } from '../answers/entry.ts';
import {
  count,
  cursorQuery,
  idIn,
  nextCursor,
  text,
  textOrNull,
  time,
  timeOrNull,
  toTime,
  toTimeOrNull,
} from '../answers/parts.ts';
import {
  callsOfToken,
  callsSchema,
  grantOf,
  grantSchema,
  leakAnswer,
  leakSchema,
  mailOf,
  mailSchema,
  writeOf,
  writeSchema,
} from '../answers/token-parts.ts';
import { tokenOf, tokenSchema } from '../answers/token.ts';
import { operation } from '../operation.ts';
import { nothingThere } from '../problems/problems.ts';
import { beforeOf } from '../answers/history-cursor.ts';

/** One token, as support sees it. */

export const tokenPath = z.strictObject({ token_id: idIn });

const answer = z.object({
  token: tokenSchema,
  status: z.object({
    kind: z.enum(['ok', 'warning', 'error', '']),
    sentence: text,
    next: text,
    side: textOrNull,
    ends_at: timeOrNull,
    until: timeOrNull,
  }),
  account: z.object({ account_id: text, name: textOrNull, email: textOrNull, zone: textOrNull }).nullable(),
  claimed_app: z.object({ client_id: text, name: text }).nullable(),
  grant: grantSchema.nullable(),
  handover: z.object({ grant_id: text, handed_at: time, confirmed_at: timeOrNull }).nullable(),
  link: z.object({ made_at: time, used_at: timeOrNull }).nullable(),
  leak: leakSchema.nullable(),
  mails: z.array(mailSchema),
  writes: z.object({ total: count, newest: z.array(writeSchema) }),
  calls: callsSchema,
});

/** @throws {ApiProblem} */
async function described(context: HttpStaffApiDeps, id: string): Promise<MappingDescription> {
  const found = await describeMapping(context, id);
  if (found) return found;
  throw nothingThere('No token has this id.');
}

async function statusOf(context: HttpStaffApiDeps, all: MappingDescription) {
  const deed = await tokenDeed(context, all);
  const { kind, sentence, next, side, endsAt, until } = mappingStanding(context, all, deed);
  return {
    kind,
    sentence,
    next,
    side: side ?? null,
    ends_at: toTimeOrNull(endsAt),
    until: toTimeOrNull(until),
  };
}

function holderOf({ mapping: { account_id: id }, account }: MappingDescription) {
  if (id === null) return null;
  const { name = null, email = null, timezone: zone = null } = account ?? {};
  return { account_id: id, name, email, zone };
}

function handoverOf({ handover }: MappingDescription) {
  if (!handover) return null;
  const { grant_id, handed_at, confirmed_at } = handover;
  return { grant_id, handed_at: toTime(handed_at), confirmed_at: toTimeOrNull(confirmed_at) };
}

async function describedAnswer(
  context: HttpStaffApiDeps,
  all: MappingDescription,
): Promise<z.output<typeof answer>> {
  const { mapping, claimed, grant, isOwnGrant, isClientKnown, link, leak, mails, writes } = all;
  return {
    token: tokenOf(context, mapping),
    status: await statusOf(context, all),
    account: holderOf(all),
    claimed_app: claimed ? { client_id: claimed.client_id, name: claimed.name } : null,
    grant: grant ? grantOf(context, { grant, isOwnGrant, isClientKnown }) : null,
    handover: handoverOf(all),
    link: link ? { made_at: toTime(link.created_at), used_at: toTimeOrNull(link.used_at) } : null,
    leak: leak ? leakAnswer(leak) : null,
    mails: mails.map(mailOf),
    writes: { total: writes.total, newest: writes.writes.map(writeOf) },
    calls: callsOfToken(all),
  };
}

export const TOKEN_OPERATIONS = [
  operation({
    id: 'readToken',
    method: 'get',
    path: '/tokens/{token_id}',
    needs: 'reader',
    tag: 'tokens',
    summary: 'A token: how it stands and why, its holder, grant, mails, writes and calls',
    parameters: tokenPath,
    answer,
    problems: ['not-found'],
    run: async (context, { path }) => describedAnswer(context, await described(context, path.token_id)),
  }),
  operation({
    id: 'listTokenHistory',
    method: 'get',
    path: '/tokens/{token_id}/history',
    needs: 'reader',
    tag: 'tokens',
    summary: 'The history of a token, its grants and its app and account together, the newest entry first',
    parameters: tokenPath,
    query: cursorQuery,
    answer: z.object({ entries: z.array(entrySchema), next_cursor: nextCursor }),
    problems: ['not-found'],
    async run(context, { path, query }) {
      const { mapping, pair } = await described(context, path.token_id);
      const of = { mappingId: mapping.id, pair, grantId: mapping.grant_id };
      const page = await timelineOfMapping(context, of, beforeOf(query.cursor));
      return { entries: page.events.map(entryOf), next_cursor: page.before?.toString() ?? null };
    },
  }),
];
