import { z } from 'zod';
import { standingOfRow } from '../../../domain/support/standing-of-row.ts';
import type { MappingRow } from '../../../domain/support/search/search.ts';
import { standingSentence } from '../../../domain/tokens/standing/words.ts';
import type { HttpStaffApiDeps } from '../deps.ts';
import { yesNo, named, text, textOrNull, time, toTime, timeOrNull, toTimeOrNull } from './parts.ts';

/** A token in lists. The token itself is in no answer: of it only its first and last characters are known. */

export const STATES = ['unmapped', 'active', 'reauthorization_required', 'revoked', 'migrated'] as const;

export const tokenSchema = named(
  'Token',
  z.object({
    token_id: text.meta({ description: 'The mapping id, as commands and pages show it.' }),
    hint_first: textOrNull,
    hint_last: textOrNull,
    client_id: text,
    app_name: text,
    is_app_proven: yesNo,
    account_id: textOrNull,
    email: textOrNull,
    waits_for_email: textOrNull,
    state: z.enum(STATES),
    standing: z.enum([
      'served',
      'passed',
      'interrupted',
      'refused',
      'stopped',
      'ended',
      'revoked',
      'moved',
      'orphaned',
    ]),
    standing_text: text.meta({
      description:
        'How the token stands by its state and the dates that are set. Whether its connection can be renewed is told by `status` of `readToken` alone.',
    }),
    can_connect: yesNo,
    ends_at: timeOrNull,
    reason: textOrNull,
    source: text,
    exists_since: time,
    changed_at: time,
    last_used_at: timeOrNull,
  }),
);

/** A token as answers tell it. */
export function tokenOf(context: HttpStaffApiDeps, row: MappingRow): z.output<typeof tokenSchema> {
  const standing = standingOfRow(context, row);
  return {
    token_id: row.id,
    hint_first: row.hint_first,
    hint_last: row.hint_last,
    client_id: row.client_id,
    app_name: row.app_name,
    is_app_proven: row.source !== 'observed' || row.app_proven === 1,
    account_id: row.account_id,
    email: row.email,
    waits_for_email: row.account_id === null ? row.account_email : null,
    state: row.state,
    standing: standing.is,
    standing_text: standingSentence(standing),
    can_connect: standing.canConnect,
    ends_at: toTimeOrNull(standing.endsAt),
    reason: row.reason,
    source: row.source,
    exists_since: toTime(row.created_at),
    changed_at: toTime(row.updated_at),
    last_used_at: toTimeOrNull(row.last_used_at),
  };
}
