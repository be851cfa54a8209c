import { callDaysOf } from '../../../domain/usage/calls-per-day.ts';
import { type CallsQuery } from '../../../domain/usage/callers.ts';
import { carrierWords } from '../../../domain/usage/calls-of.ts';
import type { FileRow } from '../../pages/row-files.ts';
import type { OwnersDeps } from '../deps.ts';

/** The calls of an app as rows of a file: by day, endpoint, and where the token stood. */

export const CALL_COLUMNS = ['day', 'endpoint', 'token_sent_in', 'calls', 'refused'] as const;

/** The rows of the last `days`. A day without a call has no row. */
export async function* callRows(
  context: OwnersDeps,
  who: CallsQuery['who'],
  days: number,
): AsyncGenerator<FileRow> {
  for (const { day, endpoint, carrier, calls, refused } of await callDaysOf(context, who, { days }))
    yield { day, endpoint, token_sent_in: carrierWords(carrier), calls, refused };
}
