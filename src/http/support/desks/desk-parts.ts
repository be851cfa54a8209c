import { mayAct, type StaffRole } from '../../../domain/accounts/staff.ts';

/** The parts of the rows on the desks, and the facts that the rows need besides their own data. */

/** When a row is shown, and to whom. */
export interface DeskView {
  now: number;
  role: StaffRole;
  /** Whether the old API has ended for an app. After this end, a connection makes no token of the app work. */
  isEnded: (clientId: string) => boolean;
}

export interface CellPart {
  text?: string;
  /** A time, in Unix milliseconds. */
  time?: number;
  href?: string;
  kind?: 'badge' | 'badge warning' | 'muted' | 'nowrap';
}

interface Cell {
  label: string;
  parts: CellPart[];
}

/** Cells of a row. The first cell is the heading of the row. */
export type ShownRow = Cell[];

/** A cell made of parts. */
export const cell = (label: string, ...parts: CellPart[]): Cell => ({ label, parts });

interface ActionLink {
  text: string;
  href: string;
  needs: StaffRole;
}

/** A link to an action. A reader who may not do the action sees the role that it needs. */
export function actionPart({ role }: DeskView, { text, href, needs }: ActionLink): CellPart {
  return mayAct(role, needs) ? { text, href } : { text: `${text} (takes “${needs}”)`, kind: 'muted' };
}

/** The recipient of a mail: `account:ID`, with the name of the account where known, or `email:ADDRESS`. */
export function personPart({ person, name }: { person: string; name: string | null }) {
  const id = person.slice(person.indexOf(':') + 1);
  return person.startsWith('account:')
    ? { text: name ?? `Account ${id}`, href: `/support/accounts/${encodeURIComponent(id)}` }
    : { text: id };
}
