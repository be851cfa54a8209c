import { z } from 'zod';
import { unconfirmedPage } from '../../../domain/handover/unconfirmed.ts';
import { describeLifecycle } from '../../../domain/lifecycle/changes/describe.ts';
import {
  datesWithSetters,
  exemptionsInForce,
  extensionsInForce,
} from '../../../domain/lifecycle/changes/granted-times.ts';
import {
  count,
  cursorQuery,
  named,
  nextCursor,
  text,
  textOrNull,
  time,
  timeOrNull,
  toTime,
  toTimeOrNull,
  yesNo,
} from '../answers/parts.ts';
import { afterId } from '../answers/list-cursor.ts';
import { operation } from '../operation.ts';

/** The dates, the brownouts, and what single apps were given; the hand-overs that nobody confirmed. */

const granted = z.object({
  client_id: text,
  app_name: text,
  until: time,
  is_over: yesNo,
  reason: text,
  granted_by: text,
});

type GrantedRow = Awaited<ReturnType<typeof exemptionsInForce>>[number];

const grantedOf = (one: GrantedRow): z.output<typeof granted> => ({
  client_id: one.clientId,
  app_name: one.appName,
  until: toTime(one.until),
  is_over: one.isOver,
  reason: one.reason,
  granted_by: one.grantedBy,
});

const brownout = named(
  'Brownout',
  z.object({
    brownout_id: text,
    rehearses: z.enum(['retirement', 'sunset']),
    starts_at: time,
    ends_at: time,
    state: z.enum(['planned', 'running', 'over', 'cancelled']),
    text,
  }),
);

export const DATE_OPERATIONS = [
  operation({
    id: 'listDates',
    method: 'get',
    path: '/dates',
    needs: 'reader',
    tag: 'dates',
    summary: 'Every date, and the apps that have more time',
    answer: z.object({
      dates: z.array(
        z.object({ name: text, at: timeOrNull, changed_at: timeOrNull, changed_by: textOrNull }),
      ),
      extensions: z.array(granted.extend({ date: text })),
    }),
    async run(context) {
      const [dates, extensions] = await Promise.all([datesWithSetters(context), extensionsInForce(context)]);
      return {
        dates: dates.map(({ name, at, changedAt, changedBy }) => ({
          name,
          at: toTimeOrNull(at),
          changed_at: toTimeOrNull(changedAt),
          changed_by: changedBy ?? null,
        })),
        extensions: extensions.map((one) => ({ ...grantedOf(one), date: one.name ?? '' })),
      };
    },
  }),
  operation({
    id: 'listBrownouts',
    method: 'get',
    path: '/brownouts',
    needs: 'reader',
    tag: 'dates',
    summary: 'Planned and running brownouts, those of the last 90 days, and the apps that they leave out',
    answer: z.object({ brownouts: z.array(brownout), exemptions: z.array(granted) }),
    async run(context) {
      const [{ brownouts }, exemptions] = await Promise.all([
        describeLifecycle(context),
        exemptionsInForce(context),
      ]);
      return {
        brownouts: brownouts.map((one) => ({
          brownout_id: one.id,
          rehearses: one.rehearses,
          starts_at: toTime(one.startsAt),
          ends_at: toTime(one.endsAt),
          state: one.state,
          text: one.text,
        })),
        exemptions: exemptions.map(grantedOf),
      };
    },
  }),
  operation({
    id: 'listHandovers',
    method: 'get',
    path: '/handovers',
    needs: 'reader',
    tag: 'tokens',
    summary:
      'Token pairs that an app has taken over, where it has confirmed neither the pair nor a later one of the account. Without retired apps',
    query: cursorQuery,
    answer: z.object({
      handovers: z.array(
        z.object({
          grant_id: text,
          client_id: text,
          app_name: text,
          account_id: text,
          handed_at: time,
          tokens: count,
          is_kept: yesNo,
        }),
      ),
      next_cursor: nextCursor,
    }),
    async run(context, { query }) {
      const { pairs, next } = await unconfirmedPage(context, afterId(query.cursor));
      return {
        handovers: pairs.map((pair) => ({
          grant_id: pair.grantId,
          client_id: pair.clientId,
          app_name: pair.appName,
          account_id: pair.accountId,
          handed_at: toTime(pair.handedAt),
          tokens: pair.migratedTokens,
          is_kept: pair.isKept,
        })),
        next_cursor: next ?? null,
      };
    },
  }),
];
