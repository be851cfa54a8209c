import { z } from 'zod';
import type { OwnedApp } from '../../../domain/support/describe-app.ts';
import { count, named, text, textOrNull, time, timeOrNull, toTime, toTimeOrNull } from './parts.ts';

/** An app of the old API. */

export const appSchema = named(
  'App',
  z.object({
    client_id: text,
    name: text,
    source: z.enum(['registered', 'imported', 'observed', 'demo']),
    owner_account_id: textOrNull,
    owner_name: textOrNull,
    owner_email: textOrNull,
    modern_client_id: textOrNull,
    cut_over_percent: count,
    made_at: time,
    retired_at: timeOrNull,
  }),
);

/** An app as answers tell it. */
export function appOf(app: OwnedApp): z.output<typeof appSchema> {
  return {
    client_id: app.client_id,
    name: app.name,
    source: app.source,
    owner_account_id: app.owner_account_id,
    owner_name: app.owner_name,
    owner_email: app.owner_address ?? app.owner_email,
    modern_client_id: app.modern_client_id,
    cut_over_percent: app.cut_over_percent,
    made_at: toTime(app.created_at),
    retired_at: toTimeOrNull(app.retired_at),
  };
}
