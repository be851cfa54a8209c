import { z } from 'zod';
import type { DeskPage, DeskQuery } from '../../../domain/support/desks-pages.ts';
import { deskCounts, DESKS } from '../../../domain/support/desks.ts';
import {
  doubtful,
  endingExtensions,
  nobodysTokens,
  unconfirmed,
  undeliverable,
  unprovenTokens,
  waitingApps,
} from '../../../domain/support/desks-lists.ts';
import type { HttpStaffApiDeps } from '../deps.ts';
import {
  count,
  cursorQuery,
  nextCursor,
  text,
  textOrNull,
  time,
  timeOrNull,
  toTime,
  toTimeOrNull,
  yesNo,
} from '../answers/parts.ts';
import { type ApiOperation, operation } from '../operation.ts';
import { cursorOf, positionOf } from '../answers/list-cursor.ts';

/** What waits for somebody: how much, and each list page by page. */

interface DeskList<Row, Shape extends z.ZodObject> {
  /** The end of its address, and of the name of its operation. */
  desk: string;
  id: string;
  summary: string;
  row: Shape;
  list: (context: HttpStaffApiDeps, query: DeskQuery) => Promise<DeskPage<Row>>;
  tell: (row: Row) => z.output<Shape>;
}

function deskOperation<Row, Shape extends z.ZodObject>(one: DeskList<Row, Shape>): ApiOperation {
  const { desk, id, summary, row, list, tell } = one;
  return operation({
    id,
    method: 'get',
    path: `/desks/${desk}`,
    needs: 'reader',
    tag: 'desks',
    summary,
    query: cursorQuery,
    answer: z.object({ rows: z.array(row), next_cursor: nextCursor }),
    async run(context, { query }) {
      const page = await list(context, { position: positionOf(query.cursor), find: undefined });
      return { rows: page.rows.map(tell), next_cursor: cursorOf(page.next) };
    },
  });
}

const app = { client_id: text, app_name: text };
const holder = { account_id: textOrNull, account_name: textOrNull, email: textOrNull };
const hint = { token_id: textOrNull, hint_first: textOrNull, hint_last: textOrNull };

const appIn = (row: { client_id: string; app_name: string }) => ({
  client_id: row.client_id,
  app_name: row.app_name,
});

const holderIn = (row: { account_id: string | null; name: string | null; email: string | null }) => ({
  account_id: row.account_id,
  account_name: row.name,
  email: row.email,
});

const hintIn = (row: { mapping_id: string | null; hint_first: string | null; hint_last: string | null }) => ({
  token_id: row.mapping_id,
  hint_first: row.hint_first,
  hint_last: row.hint_last,
});

export const DESK_OPERATIONS = [
  operation({
    id: 'countDesks',
    method: 'get',
    path: '/desks',
    needs: 'reader',
    tag: 'desks',
    summary: 'How much waits on each desk; a day is that of UTC',
    answer: z.object({
      desks: z.array(z.object({ desk: z.enum(DESKS), count, has_more: yesNo, counted_at: timeOrNull })),
    }),
    async run(context) {
      const counts = await deskCounts(context, 'UTC');
      return {
        desks: counts.map(({ desk, count: n, isMore, countedAt }) => ({
          desk,
          count: n,
          has_more: isMore,
          counted_at: toTimeOrNull(countedAt),
        })),
      };
    },
  }),
  deskOperation({
    desk: 'in-doubt',
    id: 'listGrantsInDoubt',
    summary: 'Grants in doubt',
    row: z.object({
      grant_id: text,
      state: text,
      doubt_since: timeOrNull,
      quiet_until: time,
      ...app,
      ...holder,
      ...hint,
    }),
    list: doubtful,
    tell: (row) => ({
      grant_id: row.id,
      state: row.state,
      doubt_since: toTimeOrNull(row.doubt_since),
      quiet_until: toTime(row.quietUntil),
      ...appIn(row),
      ...holderIn(row),
      ...hintIn(row),
    }),
  }),
  deskOperation({
    desk: 'undeliverable',
    id: 'listUndeliverableMails',
    summary: 'Mails that reached nobody and that nobody has dealt with',
    row: z.object({
      mail_id: text,
      person: text,
      account_name: textOrNull,
      address: textOrNull,
      failure: textOrNull,
      at: time,
      reminders: z.array(z.object({ ...app, role: text, stage: text, token_id: textOrNull })),
    }),
    list: undeliverable,
    tell: (row) => ({
      mail_id: row.id,
      person: row.person,
      account_name: row.name,
      address: row.address,
      failure: row.failure,
      at: toTime(row.ended_at ?? row.created_at),
      reminders: row.reminders.map((one) => ({
        ...appIn(one),
        role: one.role,
        stage: one.stage,
        token_id: one.mapping_id,
      })),
    }),
  }),
  deskOperation({
    desk: 'no-account',
    id: 'listPeopleWithoutAccount',
    summary: 'People without a known account, each with one token',
    row: z.object({ email: textOrNull, legacy_account_id: textOrNull, tokens: count, ...app, ...hint }),
    list: nobodysTokens,
    tell: (row) => ({
      email: row.email ?? null,
      legacy_account_id: row.legacyAccountId ?? null,
      tokens: row.count,
      ...appIn(row),
      ...hintIn(row),
    }),
  }),
  deskOperation({
    desk: 'hand-overs',
    id: 'listOpenHandovers',
    summary: 'Hand-overs of the last days that their app has not confirmed',
    row: z.object({ grant_id: text, handed_at: time, tokens: count, ...app, ...holder }),
    list: unconfirmed,
    tell: (row) => ({
      grant_id: row.id,
      handed_at: toTime(row.handed_at),
      tokens: row.migrated_tokens,
      ...appIn(row),
      ...holderIn(row),
    }),
  }),
  deskOperation({
    desk: 'waiting',
    id: 'listWaitingApps',
    summary: 'Apps for which people wait, those that are refused first',
    row: z.object({ ...app, source: text, connected: count, waiting: count, people: count }),
    list: waitingApps,
    tell: (row) => ({
      ...appIn(row),
      source: row.source,
      connected: row.active,
      waiting: row.waiting,
      people: row.people,
    }),
  }),
  deskOperation({
    desk: 'extensions',
    id: 'listEndingExtensions',
    summary: 'Extensions that end soon or are over',
    row: z.object({ date: text, until: time, reason: text, date_of_all: timeOrNull, ...app }),
    list: endingExtensions,
    tell: (row) => ({
      date: row.milestone,
      until: toTime(row.until),
      reason: row.reason,
      date_of_all: toTimeOrNull(row.ofAll),
      ...appIn(row),
    }),
  }),
  deskOperation({
    desk: 'unproven',
    id: 'listUnprovenTokens',
    summary: 'Connected tokens of which only a claim says which app they are',
    row: z.object({ tokens_of_grant: count, exists_since: time, ...app, ...holder, ...hint }),
    list: unprovenTokens,
    tell: (row) => ({
      tokens_of_grant: row.sharing ?? 0,
      exists_since: toTime(row.created_at),
      ...appIn(row),
      ...holderIn(row),
      ...hintIn(row),
    }),
  }),
];
