import { z } from 'zod';
import { secretsOf } from '../../../domain/apps/app-secrets.ts';
import { describeApp, listAppsPage } from '../../../domain/support/describe-app.ts';
import { isAppThere, tokensOfAppById } from '../../../domain/support/tokens-by-id.ts';
import { timelineOfApp } from '../../../domain/support/timeline.ts';
import type { HttpStaffApiDeps } from '../deps.ts';
import { appOf, appSchema } from '../answers/app.ts';
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
import { STATES, tokenOf, tokenSchema } from '../answers/token.ts';
import { afterId } from '../answers/list-cursor.ts';
import { operation } from '../operation.ts';
import { nothingThere } from '../problems/problems.ts';
import { beforeOf } from '../answers/history-cursor.ts';

/** The apps, and one app as support sees it. */

export const appPath = z.strictObject({ client_id: idIn });

const extension = z.object({
  date: z.enum(['retirement', 'sunset']),
  until: time,
  reason: text,
  granted_by: text,
  granted_at: time,
  ended_at: timeOrNull,
  ended_by: textOrNull,
});

const appAnswer = z.object({
  app: appSchema,
  callbacks: z.array(text),
  contacts: z.array(text),
  secrets: z.array(z.object({ secret_id: text, exists_since: time })),
  extensions: z.array(extension),
  own_client: z.object({ modern_client_id: text, scopes: z.array(text), proven_at: time }).nullable(),
  tokens: z.partialRecord(z.enum(STATES), count),
  calls: z.array(z.object({ day: text, endpoint: text, carrier: text, calls: count, refused: count })),
});

type AppDescription = NonNullable<Awaited<ReturnType<typeof describeApp>>>;

const noApp = () => nothingThere('No app has this client id.');

/** @throws {ApiProblem} */
async function described(context: HttpStaffApiDeps, clientId: string): Promise<AppDescription> {
  const query = { tab: 'all', sort: 'used', find: undefined, position: undefined } as const;
  const found = await describeApp(context, clientId, query);
  if (found) return found;
  throw noApp();
}

const extensionOf = (row: AppDescription['extensions'][number]): z.output<typeof extension> => ({
  date: row.name,
  until: toTime(row.until),
  reason: row.reason,
  granted_by: row.granted_by,
  granted_at: toTime(row.granted_at),
  ended_at: toTimeOrNull(row.ended_at),
  ended_by: row.ended_by,
});

async function appAnswerOf(context: HttpStaffApiDeps, clientId: string): Promise<z.output<typeof appAnswer>> {
  const { app, callbacks, contacts, extensions, client, counts, calls } = await described(context, clientId);
  const secrets = await secretsOf(context, clientId);
  return {
    app: appOf(app),
    callbacks,
    contacts,
    secrets: secrets.map(({ id, createdAt }) => ({ secret_id: id, exists_since: toTime(createdAt) })),
    extensions: extensions.map(extensionOf),
    own_client: client
      ? { modern_client_id: client.id, scopes: client.scopes, proven_at: toTime(client.provenAt) }
      : null,
    tokens: counts,
    calls: calls.map(({ day, endpoint, carrier, calls: n, refused }) => ({
      day,
      endpoint,
      carrier,
      calls: n,
      refused,
    })),
  };
}

export const APP_OPERATIONS = [
  operation({
    id: 'listApps',
    method: 'get',
    path: '/apps',
    needs: 'reader',
    tag: 'apps',
    summary: 'All apps, in the order of their client ids',
    query: cursorQuery,
    answer: z.object({ apps: z.array(appSchema), next_cursor: nextCursor }),
    async run(context, { query }) {
      const { apps, next } = await listAppsPage(context, afterId(query.cursor));
      return { apps: apps.map(appOf), next_cursor: next ?? null };
    },
  }),
  operation({
    id: 'readApp',
    method: 'get',
    path: '/apps/{client_id}',
    needs: 'reader',
    tag: 'apps',
    summary: 'An app: owner, callbacks, secrets by their ids, extensions, tokens by state, calls by day',
    parameters: appPath,
    answer: appAnswer,
    problems: ['not-found'],
    run: (context, { path }) => appAnswerOf(context, path.client_id),
  }),
  operation({
    id: 'listAppTokens',
    method: 'get',
    path: '/apps/{client_id}/tokens',
    needs: 'reader',
    tag: 'apps',
    summary: 'The tokens of an app, in the order of their ids',
    parameters: appPath,
    query: cursorQuery,
    answer: z.object({ tokens: z.array(tokenSchema), next_cursor: nextCursor }),
    problems: ['not-found'],
    async run(context, { path, query }) {
      const page = await tokensOfAppById(context, path.client_id, afterId(query.cursor));
      if (!page) throw noApp();
      return { tokens: page.rows.map((row) => tokenOf(context, row)), next_cursor: page.next ?? null };
    },
  }),
  operation({
    id: 'listAppHistory',
    method: 'get',
    path: '/apps/{client_id}/history',
    needs: 'reader',
    tag: 'apps',
    summary: 'The history of an app itself, the newest entry first',
    parameters: appPath,
    query: cursorQuery,
    problems: ['not-found'],
    answer: z.object({ entries: z.array(entrySchema), next_cursor: nextCursor }),
    async run(context, { path, query }) {
      const page = await timelineOfApp(context, path.client_id, beforeOf(query.cursor));
      if (page.events.length === 0 && !(await isAppThere(context, path.client_id))) throw noApp();
      return { entries: page.events.map(entryOf), next_cursor: page.before?.toString() ?? null };
    },
  }),
];
