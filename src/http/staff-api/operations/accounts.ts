import { z } from 'zod';
import { describeAccount } from '../../../domain/support/describe-account.ts';
import { describeRequest } from '../../../domain/support/request/describe-request.ts';
import { tokensOfAccountById } from '../../../domain/support/tokens-by-id.ts';
import { entryOf, entrySchema } from '../answers/entry.ts';
import { beforeOf } from '../answers/history-cursor.ts';
import { count, cursorQuery, idIn, nextCursor, text, textOrNull, yesNo } from '../answers/parts.ts';
import { mailOf, mailSchema, writeOf, writeSchema } from '../answers/token-parts.ts';
import { afterId } from '../answers/list-cursor.ts';
import { STATES, tokenOf, tokenSchema } from '../answers/token.ts';
import { operation } from '../operation.ts';
import { nothingThere } from '../problems/problems.ts';

/** An account, and one request, as support sees them. */

const accountAnswer = z.object({
  account: z.object({ account_id: text, name: textOrNull, email: textOrNull, zone: textOrNull }),
  role: z.enum(['reader', 'agent', 'lead']).nullable(),
  browsers: count.meta({ description: 'In how many browsers the account is signed in here.' }),
  apps: z.array(
    z.object({ client_id: text, name: text, waiting: count, tokens: z.partialRecord(z.enum(STATES), count) }),
  ),
  tokens: z
    .array(tokenSchema)
    .meta({ description: 'The first fifty, those first that need somebody. listAccountTokens tells all.' }),
  has_more_tokens: yesNo,
  owned_apps: z.array(z.object({ client_id: text, name: text })),
  waiting_under_email: z.object({ tokens: count, apps: count }),
  mails: z.array(mailSchema),
});

const requestAnswer = z.object({
  entries: z.array(entrySchema),
  writes: z.array(writeSchema),
  tokens: z.array(tokenSchema),
  next_cursor: nextCursor,
});

/** The first page of all its tokens, those first that need somebody. */
const ALL_TOKENS = { tab: 'all', sort: 'need', position: undefined } as const;

const noAccount = () => nothingThere('No account with this id was ever met here.');

export const ACCOUNT_OPERATIONS = [
  operation({
    id: 'readAccount',
    method: 'get',
    path: '/accounts/{account_id}',
    needs: 'reader',
    tag: 'accounts',
    summary: 'An account: its tokens, its own apps, its mails, and what waits under its address',
    parameters: z.strictObject({ account_id: idIn }),
    answer: accountAnswer,
    problems: ['not-found'],
    async run(context, { path }) {
      const found = await describeAccount(context, path.account_id, ALL_TOKENS);
      if (!found) throw noAccount();
      const { account_id, name, email, timezone: zone } = found.account;
      return {
        account: { account_id, name, email, zone },
        role: found.role ?? null,
        browsers: found.browsers,
        apps: found.apps.map((app) => ({
          client_id: app.clientId,
          name: app.name,
          waiting: app.waiting,
          tokens: app.counts,
        })),
        tokens: found.tokens.map(({ row }) => tokenOf(context, row)),
        has_more_tokens: found.page.next !== undefined,
        owned_apps: found.owned.map(({ clientId, name: of }) => ({ client_id: clientId, name: of })),
        waiting_under_email: found.waiting,
        mails: found.mails.map(mailOf),
      };
    },
  }),
  operation({
    id: 'listAccountTokens',
    method: 'get',
    path: '/accounts/{account_id}/tokens',
    needs: 'reader',
    tag: 'accounts',
    summary: 'All tokens of an account, in the order of their ids',
    parameters: z.strictObject({ account_id: idIn }),
    query: cursorQuery,
    answer: z.object({ tokens: z.array(tokenSchema), next_cursor: nextCursor }),
    problems: ['not-found'],
    async run(context, { path, query }) {
      const page = await tokensOfAccountById(context, path.account_id, afterId(query.cursor));
      if (!page) throw noAccount();
      return { tokens: page.rows.map((row) => tokenOf(context, row)), next_cursor: page.next ?? null };
    },
  }),
  operation({
    id: 'readRequest',
    method: 'get',
    path: '/requests/{request_id}',
    needs: 'reader',
    tag: 'history',
    summary:
      'What one request changed and wrote, by its X-Request-Id, a hundred entries at a time; the writes on the first page',
    parameters: z.strictObject({ request_id: idIn }),
    query: cursorQuery,
    answer: requestAnswer,
    problems: ['not-found'],
    async run(context, { path, query: { cursor } }) {
      const found = await describeRequest(context, path.request_id, beforeOf(cursor));
      if (!found) throw nothingThere('A request that changed nothing is kept in the log alone.');
      return {
        entries: found.events.map(entryOf),
        writes: found.writes.map(writeOf),
        tokens: found.tokens.map((row) => tokenOf(context, row)),
        next_cursor: found.next?.toString() ?? null,
      };
    },
  }),
];
