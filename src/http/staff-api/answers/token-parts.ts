import { z } from 'zod';
import {
  type Leak,
  type MappingDescription,
  nextAttemptAt,
  type PostWriteRow,
  type ReminderMail,
  type ShownGrant,
} from '../../../domain/support/describe-mapping.ts';
import type { HttpStaffApiDeps } from '../deps.ts';
import { count, yesNo, named, text, textOrNull, time, toTime, timeOrNull, toTimeOrNull } from './parts.ts';

/** What belongs to one token: its grant, its mails, what it wrote, its calls. */

export const grantSchema = named(
  'Grant',
  z.object({
    grant_id: text,
    is_of_token: yesNo.meta({
      description:
        'Whether the token stands or stood on this grant. Otherwise it is the live, or else the last, grant of its app and account.',
    }),
    modern_client_id: text,
    is_client_known: yesNo.meta({
      description:
        "Whether the client is the bridge's or an app's own. A grant of another one is not renewed: MODERN_CLIENT_ID was changed.",
    }),
    state: z.enum(['ready', 'presenting', 'in_doubt', 'dead']),
    version: count,
    scope: textOrNull,
    access_expires_at: time,
    next_attempt_at: timeOrNull,
    died_at: timeOrNull,
    death_cause: textOrNull,
    made_at: time,
    rotated_at: timeOrNull,
  }),
);

/** A grant without its pair. */
export function grantOf(
  context: HttpStaffApiDeps,
  { grant, isOwnGrant, isClientKnown }: { grant: ShownGrant; isOwnGrant: boolean; isClientKnown: boolean },
): z.output<typeof grantSchema> {
  return {
    grant_id: grant.id,
    is_of_token: isOwnGrant,
    modern_client_id: grant.modern_client_id,
    is_client_known: isClientKnown,
    state: grant.state,
    version: grant.version,
    scope: grant.scope,
    access_expires_at: toTime(grant.access_expires_at),
    next_attempt_at: toTimeOrNull(nextAttemptAt(context, grant)),
    died_at: toTimeOrNull(grant.dead_at),
    death_cause: grant.dead_cause,
    made_at: toTime(grant.created_at),
    rotated_at: toTimeOrNull(grant.rotated_at),
  };
}

export const mailSchema = named(
  'Mail',
  z.object({
    mail_id: text,
    person: text,
    address: textOrNull,
    client_id: text,
    app_name: text,
    role: text,
    stage: text,
    state: text,
    failure: textOrNull,
    made_at: time,
    ended_at: timeOrNull,
    settled_at: timeOrNull,
    of_mail: count,
  }),
);

/** One reminder with its mail. */
export function mailOf(mail: ReminderMail): z.output<typeof mailSchema> {
  return {
    mail_id: mail.mail_id,
    person: mail.person,
    address: mail.address,
    client_id: mail.client_id,
    app_name: mail.app_name,
    role: mail.role,
    stage: mail.stage,
    state: mail.state,
    failure: mail.failure,
    made_at: toTime(mail.created_at),
    ended_at: toTimeOrNull(mail.ended_at),
    settled_at: toTimeOrNull(mail.settled_at),
    of_mail: mail.of_mail,
  };
}

export const writeSchema = named(
  'Write',
  z.object({
    call: text,
    state: text,
    refusal: textOrNull,
    post_id: textOrNull,
    channel_id: textOrNull,
    sent_at: time,
    request_id: textOrNull,
  }),
);

/** A write of a post, without its text. */
export function writeOf(row: PostWriteRow): z.output<typeof writeSchema> {
  const { call, state, refusal, post_id, channel_id, request_id } = row;
  return { call, state, refusal, post_id, channel_id, sent_at: toTime(row.sent_at), request_id };
}

export const leakSchema = z.object({
  reported_at: time,
  ends_at: time,
  ended_at: timeOrNull,
  places: z.array(z.object({ place: text, reported_at: time, reported_by: text })),
});

/** Where a token was found. */
export function leakAnswer(leak: Leak): z.output<typeof leakSchema> {
  return {
    reported_at: toTime(leak.reportedAt),
    ends_at: toTime(leak.endsAt),
    ended_at: toTimeOrNull(leak.endedAt),
    places: leak.places.map(({ place, at, by }) => ({ place, reported_at: toTime(at), reported_by: by })),
  };
}

/** How many kinds of calls are answered at most: callers choose the names of their user agents. */
const KINDS_MAX = 50;

export const callsSchema = z.object({
  days: count,
  is_partial: yesNo,
  last_at: timeOrNull,
  per_day: z.array(z.object({ day: text, endpoint: text, carrier: text, calls: count, refused: count })),
  kinds: z.array(
    z.object({
      endpoint: text,
      carrier: text,
      user_agent: text,
      calls: count,
      answered: count,
      last_at: time,
    }),
  ),
  has_more_kinds: yesNo.meta({
    description: `Whether there are more kinds of calls than the ${KINDS_MAX} most frequent, which \`kinds\` holds.`,
  }),
});

/** The calls of the last days. */
export function callsOfToken({ calls }: Pick<MappingDescription, 'calls'>): z.output<typeof callsSchema> {
  return {
    days: calls.days.length,
    is_partial: calls.counted.isPartial,
    last_at: toTimeOrNull(calls.last?.at),
    per_day: calls.perDay.map(({ day, endpoint, carrier, calls: n, refused }) => ({
      day,
      endpoint,
      carrier,
      calls: n,
      refused,
    })),
    kinds: calls.kinds.slice(0, KINDS_MAX).map((kind) => ({
      endpoint: kind.endpoint,
      carrier: kind.carrier,
      user_agent: kind.user_agent,
      calls: kind.calls,
      answered: kind.answered,
      last_at: toTime(kind.last_at),
    })),
    has_more_kinds: calls.kinds.length > KINDS_MAX,
  };
}
