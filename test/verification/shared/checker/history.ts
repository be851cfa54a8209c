import { createHash } from 'node:crypto';
import type { DeathCause, GrantState, MappingState } from '../../../../src/store/tables/tables.ts';
import type { Crossing } from '../faults/fault-proxy.ts';

/** What is recorded of a round, from every side; the checker reads nothing else. Times are Unix milliseconds. */

export type ReceivedKind = 'refresh' | 'code' | 'introspection' | 'revocation' | 'other';

/** One request as the modern side received it, with its answer once there was one. */
export interface Received {
  at: number;
  kind: ReceivedKind;
  /** Digest of the token that was presented, asked about or revoked. */
  token?: string;
  /** Made by the network, which delivered another request twice. */
  repeated: boolean;
  /** What became of its connection. */
  crossing?: Crossing;
  /** What the modern side answered, or the recorder in its place. */
  status?: number;
  /** When the answer set out on its way back. */
  answeredAt?: number;
  error?: string;
  hostile?: string;
  /** Digest of the refresh token of the answer. */
  next?: string;
  /** What introspection said. */
  active?: boolean;
}

/** A refresh token that left a bridge, seen where its first byte arrived on the network. */
export interface Presentation {
  at: number;
  token: string;
}

export type Operation = 'read' | 'exchange' | 'deauthorize';

/** One call of an old integration. */
export interface Call {
  operation: Operation;
  /** Which of the two processes. */
  process: number;
  startedAt: number;
  endedAt: number;
  /** Unset when no whole answer came; then `failure` says why. */
  status?: number;
  failure?: string;
  headers: Record<string, string | string[] | undefined>;
  body: string;
  isJson: boolean;
  /** Digest of the legacy token or code that was sent. */
  secret: string;
  /** Digest of the legacy token that an exchange answered with. */
  issued?: string;
  /** Milliseconds for which the processes that it went through waited for a processor, where that was looked at. */
  stood?: number;
  /** Whether the change that was answered with 200 stood in the database directly after the answer. */
  committed?: boolean;
}

/** What a bridge process wrote down of itself. */
export type Note = { at: number; pid: number; process: number } & (
  | { what: 'hit'; point: string; action: string }
  | { what: 'presented'; token: string }
  | { what: 'received'; grantId: string; version: number; token: string }
  | { what: 'kept' | 'spilled'; grantId: string; version: number }
  | { what: 'taken-back'; grantId: string }
);

/** A time in which a process could not answer: it was killed, or its database was away. */
export interface Outage {
  process: number;
  pid: number;
  from: number;
  until: number;
  /** Whether the campaign wanted it. */
  wanted: boolean;
}

/** A time in which a process was stopped by a signal, to go on afterwards. */
export interface Pause {
  process: number;
  pid: number;
  from: number;
  until: number;
}

export interface GrantRow {
  id: string;
  clientId: string;
  state: GrantState;
  version: number;
  deadAt: number | null;
  deadCause: DeathCause | null;
  accessExpiresAt: number;
  /** Digest of the stored refresh token; unset where it was erased. */
  token?: string;
}

export interface MappingRow {
  id: string;
  /** Digest of the legacy token, where the campaign knows it. */
  token?: string;
  clientId: string;
  grantId: string | null;
  state: MappingState;
}

export interface EventRow {
  at: number;
  action: string;
  grantId: string | null;
  mappingId: string | null;
}

/** When the campaign itself ended the life of a version's access token. */
export interface Expiry {
  at: number;
  grantId: string;
}

export interface RoundHistory {
  round: number;
  /** Whether the modern side answers introspection for the bridge's client. */
  introspects: boolean;
  /** Milliseconds that a version in doubt must rest. */
  quiet: number;
  /** What a claim may take until the first byte: the engine counts the quiet time from the claim. */
  claimToWrite: number;
  /** When the round began; presentations and what the modern side received reach further back. */
  since: number;
  presentations: Presentation[];
  received: Received[];
  calls: Call[];
  notes: Note[];
  outages: Outage[];
  pauses: Pause[];
  expiries: Expiry[];
  grants: GrantRow[];
  mappings: MappingRow[];
  events: EventRow[];
  /** Refresh tokens (digests) whose revocation is still owed. */
  owed: string[];
  /** Those whose revocation was owed when the round began. */
  owedBefore: string[];
  /** While the access token lived and the database was there: nothing that goes wrong may be seen by a caller. */
  served: { from: number; until: number } | undefined;
  /** While PostgreSQL was down, crashed by the campaign. */
  databaseAway: { from: number; until: number } | undefined;
  /** While one machine had no way to PostgreSQL, cut by the campaign. */
  cuts: Array<{ process: number; from: number; until: number }>;
  /** What an exchange with the modern side may take. */
  upstreamTimeout: number;
  /** What a caller may have to wait for an answer, with all that a busy machine adds. */
  callerLimit: number;
  /** Grants that had another live one of their account beside them. */
  withSibling: string[];
  /** Refresh tokens (digests) that the campaign itself revoked upstream. */
  revokedByCampaign: string[];
  /** Lines of a log in which a secret stood; only its beginning is left in them. */
  leaks: string[];
  /** For the people who look into a violation. */
  log: string[];
  /** The end of the round: faultless expiries, with the token requests and the answers that they caused. */
  calm: Array<{ requests: number; statuses: number[] }>;
  /** What could not be brought to an end within its time. */
  unsettled: string[];
}

/** A round in which nothing was seen, for those who fill in a part. */
export const emptyRound = (): RoundHistory => ({
  round: 0,
  introspects: false,
  quiet: 0,
  claimToWrite: 0,
  since: 0,
  presentations: [],
  received: [],
  calls: [],
  notes: [],
  outages: [],
  pauses: [],
  expiries: [],
  grants: [],
  mappings: [],
  events: [],
  owed: [],
  owedBefore: [],
  served: undefined,
  databaseAway: undefined,
  cuts: [],
  upstreamTimeout: 0,
  callerLimit: 0,
  withSibling: [],
  revokedByCampaign: [],
  leaks: [],
  log: [],
  calm: [],
  unsettled: [],
});

/** A short name for a secret, so that no history holds one. */
export function digestOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex').slice(0, 16);
}

/** The entries of a list under each of their keys, in their order. */
export function groupedBy<T>(list: readonly T[], keyOf: (entry: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const entry of list) groups.set(keyOf(entry), [...(groups.get(keyOf(entry)) ?? []), entry]);
  return groups;
}
