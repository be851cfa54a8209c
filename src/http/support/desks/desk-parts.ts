import { mayAct, type StaffRole } from '../../../domain/accounts/staff.ts';

/** What the rows of the desks are made of, and what they depend on beside the row itself. */

/** When a row is shown, and to whom. */
export interface Seen {
  now: number;
  role: StaffRole;
  /** Whether the old API has ended for an app: connecting makes nothing of it work any more. */
  isEnded: (clientId: string) => boolean;
}

export interface Part {
  text?: string;
  /** A time, in Unix milliseconds. */
  time?: number;
  href?: string;
  kind?: 'badge' | 'badge warning' | 'muted' | 'nowrap';
}

interface Cell {
  label: string;
  parts: Part[];
}

/** Cells; the first one heads its row. */
export type ShownRow = Cell[];

/** A cell of parts. */
export const cell = (label: string, ...parts: Part[]): Cell => ({ label, parts });

interface Action {
  text: string;
  href: string;
  needs: StaffRole;
}

/** The way to an action; to whom it is not allowed, which role it takes. */
export function actionPart({ role }: Seen, { text, href, needs }: Action): Part {
  return mayAct(role, needs) ? { text, href } : { text: `${text} (takes “${needs}”)`, kind: 'muted' };
}

/** To whom a mail is: `account:ID`, with the name of the account where it has one, or `email:ADDRESS`. */
export function personPart({ person, name }: { person: string; name: string | null }) {
  const id = person.slice(person.indexOf(':') + 1);
  return person.startsWith('account:')
    ? { text: name ?? `Account ${id}`, href: `/support/accounts/${encodeURIComponent(id)}` }
    : { text: id };
}
