import type { Store } from '../driver/store.ts';
import type { Grant } from '../tables/tables.ts';

/** By their names: a migration may add a column while this process serves. */
const COLUMNS = Object.keys({
  id: true,
  client_id: true,
  account_id: true,
  modern_client_id: true,
  state: true,
  version: true,
  access_token_sealed: true,
  refresh_token_sealed: true,
  scope: true,
  access_expires_at: true,
  refresh_at: true,
  attempts: true,
  presented_at: true,
  doubt_since: true,
  retry_at: true,
  suspect_count: true,
  suspect_until: true,
  dead_at: true,
  dead_cause: true,
  created_at: true,
  updated_at: true,
  claim_id: true,
  rotated_at: true,
  restored_at: true,
  doubted_at: true,
  put_off_at: true,
  consented_at: true,
} satisfies Record<keyof Grant, true>);

const BY_ID = `select ${COLUMNS.join(', ')} from grants where id = $1`;

/** A grant by id, as it was last committed, for the path of every old call. */
export function readGrant(store: Store, id: string): Promise<Grant | undefined> {
  return store.first<Grant>(BY_ID, [id]);
}
