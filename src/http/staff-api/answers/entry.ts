import { z } from 'zod';
import type { ShownEvent } from '../../../domain/support/timeline.ts';
import { named, text, textOrNull, time, toTime } from './parts.ts';

/** An entry of the history. */

export const entrySchema = named(
  'Entry',
  z.object({
    entry_id: z.int(),
    at: time,
    actor: text,
    action: text,
    client_id: textOrNull,
    account_id: textOrNull,
    grant_id: textOrNull,
    token_id: textOrNull,
    reason: textOrNull,
    request_id: textOrNull,
  }),
);

/** An entry as answers tell it. */
export function entryOf(event: ShownEvent): z.output<typeof entrySchema> {
  const { id, at, actor, action, client_id, account_id, grant_id, mapping_id, reason, request_id } = event;
  const subject = { client_id, account_id, grant_id, token_id: mapping_id };
  return { entry_id: id, at: toTime(at), actor, action, ...subject, reason, request_id };
}
