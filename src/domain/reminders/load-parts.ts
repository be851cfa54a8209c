import {
  type HolderRow,
  type NamedPerson,
  type OwnerRow,
  readHolderRows,
  readOwnerRows,
} from '../../store/reminders/reminder-people.ts';
import type { RemindersDeps } from './deps.ts';
import type { HolderPart, OwnerPart, AppPart } from './people.ts';
import { yieldToEventLoop } from '../work/yield-to-event-loop.ts';

/** The tokens that people hold and the apps that they own, app by app. */

function holderPart(row: HolderRow): HolderPart {
  return {
    role: 'holder',
    clientId: row.client_id,
    appName: row.app_name,
    waiting: row.waiting,
    lastUsedAt: row.last_used_at ?? undefined,
    wokenAt: row.woken_at ?? undefined,
    diedAt: row.died_at ?? undefined,
    knownSince: row.known_since ?? undefined,
  };
}

function ownerPart(row: OwnerRow, { oldBackend }: Pick<RemindersDeps, 'oldBackend'>): OwnerPart {
  return {
    role: 'owner',
    clientId: row.client_id,
    appName: row.app_name,
    tokens: { waiting: row.waiting, active: row.active },
    accounts: { waiting: row.accounts_waiting, active: row.accounts_active },
    lastUsedAt: row.last_used_at ?? undefined,
    waitingUsedAt: row.waiting_used_at ?? undefined,
    passedAt: oldBackend ? (row.passed_at ?? undefined) : undefined,
    knownSince: row.known_since ?? undefined,
  };
}

/** The parts of these people by name: first held tokens, then owned apps. People without parts are left out. */
export async function loadParts(
  context: Pick<RemindersDeps, 'store' | 'oldBackend'>,
  named: NamedPerson,
): Promise<Map<string, AppPart[]>> {
  const { durable } = context.store;
  const parts = new Map<string, AppPart[]>();
  const add = (person: string, part: AppPart) => {
    const known = parts.get(person);
    if (known) known.push(part);
    else parts.set(person, [part]);
  };
  if (named.names.length === 0) return parts;
  for (const row of await readHolderRows(durable, named)) add(row.person, holderPart(row));
  await yieldToEventLoop();
  for (const row of await readOwnerRows(durable, named)) add(row.person, ownerPart(row, context));
  await yieldToEventLoop();
  return parts;
}

function later(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.max(one, other);
}

function sumOf(one: HolderPart, other: HolderPart): HolderPart {
  return {
    ...one,
    waiting: one.waiting + other.waiting,
    lastUsedAt: later(one.lastUsedAt, other.lastUsedAt),
    wokenAt: later(one.wokenAt, other.wokenAt),
    diedAt: later(one.diedAt, other.diedAt),
    knownSince: later(one.knownSince, other.knownSince),
  };
}

/** Joins the parts that a person has under two names. All held tokens at one app become one part. */
export function joinParts(own: readonly AppPart[], others: readonly AppPart[]): AppPart[] {
  const joined = [...own];
  for (const other of others) {
    const at = joined.findIndex(({ role, clientId }) => role === other.role && clientId === other.clientId);
    const known = joined[at];
    if (known?.role === 'holder' && other.role === 'holder') joined[at] = sumOf(known, other);
    else joined.push(other);
  }
  return joined;
}
