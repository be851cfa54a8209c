import { newHexId } from '../../../src/shared/ids.ts';
import type { NewMail } from '../../../src/store/reminders/reminders.ts';
import type { Page } from '../../support/callers/cookie-walker.ts';

/** Rows that stand on desks, and what a page shows of them. */

/** A mail that reached nobody. */
export const mail = (changes: Partial<NewMail>): NewMail => ({
  id: newHexId(),
  person: `email:${newHexId()}@example.com`,
  day: '2026-11-21',
  replaces: '',
  address: 'gone@example.com',
  state: 'undeliverable',
  attempts: 1,
  next_at: 0,
  failure: 'mailbox unknown',
  created_at: 0,
  ended_at: 1,
  ...changes,
});

/** How the tokens of an app were counted on a day. */
export const counted = (clientId: string, day: string, waiting_people: number) => ({
  client_id: clientId,
  day,
  unmapped: waiting_people,
  active: 1,
  reauthorization_required: 0,
  revoked: 0,
  migrated: 0,
  waiting_people,
});

/** What stands in the table of a page, row by row. */
export function linesOf(page: Page): string[] {
  const body = /<tbody>([\s\S]*)<\/tbody>/.exec(page.body)?.[1] ?? '';
  return body
    .split('</tr>')
    .map((row) =>
      row
        .replace(/<[^>]*>/g, ' ')
        .replace(/\s+/g, ' ')
        .trim(),
    )
    .filter((row) => row !== '');
}
