import { sql } from 'kysely';
import type { MappingState } from '../../../src/store/tables/tables.ts';
import type { World } from './world.ts';

/** What is true, read by statements of the test alone: the tokens now, those of the last count, and the calls that were made. */

export interface Token {
  id: string;
  client_id: string;
  account_id: string | null;
  account_email: string | null;
  state: MappingState;
  hint_first: string | null;
  hint_last: string | null;
  owner: string | null;
  app: string;
}

/** Calls that the test made, by the digits of their tokens. */
export interface MadeCall {
  hint: string;
  endpoint: string;
  status: number;
}

/** Whether a call was refused: with its token, or because the old API has ended. */
export const isCallRefused = ({ status }: MadeCall): boolean => [401, 403, 410].includes(status);

export interface Ended {
  cause: string;
  at: number;
}

export interface Facts {
  tokens: readonly Token[];
  /** As the tokens were when they were last counted. */
  counted: readonly Token[];
  calls: ReadonlyArray<MadeCall & { token: Token }>;
  /** Connections that ended. */
  ended: readonly Ended[];
  now: number;
  /** Calls that failed in a rehearsal. */
  failed: number;
  /** Sign-ins of each account. */
  browsers: Readonly<Record<string, number>>;
}

/** Every token, by one statement. */
export async function readTokens({ system }: World): Promise<Token[]> {
  const { rows } = await sql<Token>`
    select m.id, m.client_id, m.account_id, m.account_email, m.state, m.hint_first, m.hint_last,
      a.owner_account_id as owner, a.name as app
    from mappings m join apps a on a.client_id = m.client_id`.execute(system.bridge.context.store.durable);
  return rows;
}

/** Connections that ended, each with its cause and its moment. */
export async function readEnded({ system }: World): Promise<Ended[]> {
  const { rows } = await sql<{ cause: string; at: number | string }>`
    select dead_cause as cause, dead_at as at from grants where state = 'dead'`.execute(
    system.bridge.context.store.durable,
  );
  return rows.map(({ cause, at }) => ({ cause, at: Number(at) }));
}

/** Where every person of this world lives, by what the new API says of the account. */
const ZONE_OF_READERS = 'America/New_York';

const dayIn = (timeZone: string, at: number) => new Intl.DateTimeFormat('en-CA', { timeZone }).format(at);

/** How many connections the new API ended on the day that an address names: today without a day, of the reader without a zone. */
export function refusedOnDay({ ended, now }: Facts, path: string): number {
  const query = new URL(path, 'http://any').searchParams;
  const zone = query.get('zone') ?? ZONE_OF_READERS;
  const day = query.get('day') ?? dayIn(zone, now);
  return ended.filter(({ cause, at }) => cause === 'refused' && dayIn(zone, at) === day).length;
}

/** How many connections the new API ended. */
export const refused = ({ ended }: Facts) => ended.filter(({ cause }) => cause === 'refused').length;

export const hintOf = ({ hint_first: first, hint_last: last }: Token) => `${first}…${last}`;

/** What the label of a state stands for. */
export const LABELS: Record<string, MappingState> = {
  waiting: 'unmapped',
  // While the owner rehearses.
  interrupted: 'unmapped',
  connected: 'active',
  stopped: 'reauthorization_required',
  revoked: 'revoked',
  moved: 'migrated',
};

export const waits = ({ state }: Token) => state === 'unmapped' || state === 'reauthorization_required';
export const isDone = ({ state }: Token) => state === 'active' || state === 'migrated';
export const isAlive = (token: Token) => waits(token) || isDone(token);

/** How many people have one of these tokens that waits; an account is one, and so is an address. */
export function peopleIn(tokens: readonly Token[], besides?: string | null): number {
  const people = tokens
    .filter((token) => waits(token) && (besides === undefined || token.account_id !== besides))
    .flatMap(({ client_id: app, account_id: id, account_email: email }) => {
      const person = id ?? email;
      return person === null ? [] : [`${app} ${person}`];
    });
  return new Set(people).size;
}
