import type { ColumnType } from 'kysely';

/** The rows of what can be taken back. */

type Nullable<T> = ColumnType<T | null, T | null | undefined, T | null>;

/** What was done. */
export type DeedKind =
  | 'revoke'
  | 'assign'
  | 'pin'
  | 'give'
  | 'retire'
  | 'cut_over'
  | 'extend'
  | 'unextend'
  | 'confirm';

/** Why a deed could not be taken back from its beginning on. */
export type DeedLoss = 'connection_ended' | 'too_many';

/** What a part of a deed changed. */
export type DeedThing =
  | 'token'
  | 'owner'
  | 'app'
  | 'old_id'
  | 'share'
  | 'cut_over'
  | 'extension'
  | 'handover';

interface DeedsTable {
  id: string;
  kind: DeedKind;
  done_at: number;
  /** An actor of the history. */
  actor: string;
  lost: Nullable<DeedLoss>;
  back_at: Nullable<number>;
  back_by: Nullable<string>;
}

interface DeedPartsTable {
  /** The `uid` of the entry of the history that tells this change. */
  entry_uid: string;
  deed_id: string;
  thing: DeedThing;
  subject: string;
  client_id: Nullable<string>;
  /** JSON: the thing as it was before. */
  was: string;
  /** JSON: the thing as the deed left it. */
  left_as: string;
}

/** The durable database. */
export interface DeedTables {
  deeds: DeedsTable;
  deed_parts: DeedPartsTable;
}
