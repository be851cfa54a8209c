import { readTarget, type TargetRow } from '../../../store/support/action-target.ts';
import { findApp } from '../../../store/apps/apps.ts';
import type { Database } from '../../../store/driver/store.ts';
import type { MappingState } from '../../../store/tables/tables.ts';
import type { SupportDeps } from '../deps.ts';
import { isAssignable } from '../../tokens/assign-token.ts';
import { statesOf } from '../../grants/mapping-state.ts';

/** The targets of staff actions: tokens and apps as they are at this moment. */

export interface MappingTarget {
  mappingId: string;
  clientId: string;
  appName: string;
  /** Whether the app is a program that nobody registered or imported. */
  isUnidentified: boolean;
  /**
   * Whether support may assign the token to an app: the token was first seen in use, or belongs to an unidentified
   * program.
   */
  isAssignable: boolean;
  state: MappingState;
  /** Whether a consent would connect the token. No consent helps once the app is retired. */
  isWaiting: boolean;
  /** Whether the token has ended for good. */
  isOver: boolean;
  /** The first and last characters of the token; null where they are not known. */
  hint_first: string | null;
  hint_last: string | null;
  accountId: string | null;
  accountName: string | null;
  /** The address of the account. Without a known account: the address under which the token waits. */
  email: string | null;
  /** The address under which the token waits for an account. */
  waitsUnder: string | null;
  grantId: string | null;
  /** The owner of the app. */
  owner: { accountId: string | null; email: string | null };
}

function targetOf(row: TargetRow): MappingTarget {
  const waitsUnder = row.account_id === null ? row.account_email : null;
  const isOver = !statesOf('revoked').includes(row.state);
  return {
    mappingId: row.id,
    clientId: row.client_id,
    appName: row.app_name,
    isUnidentified: row.app_source === 'observed',
    isAssignable: isAssignable(row, { source: row.app_source }),
    state: row.state,
    isWaiting: !isOver && row.state !== 'active' && row.app_retired_at === null,
    isOver,
    hint_first: row.hint_first,
    hint_last: row.hint_last,
    accountId: row.account_id,
    accountName: row.account_name,
    email: row.email ?? waitsUnder,
    waitsUnder,
    grantId: row.grant_id,
    owner: { accountId: row.owner_account_id, email: row.owner_email },
  };
}

/** The token of a mapping, read inside or outside a transaction; undefined where there is no mapping. */
export async function readMappingTarget(db: Database, mappingId: string): Promise<MappingTarget | undefined> {
  const row = await readTarget(db, mappingId);
  return row && targetOf(row);
}

/** The token of a mapping, read outside a transaction. */
export function mappingTarget({ store }: SupportDeps, mappingId: string): Promise<MappingTarget | undefined> {
  return readMappingTarget(store.durable, mappingId);
}

/** An app, and its owner: by account, or by the address under which the app waits. */
export interface AppTarget {
  clientId: string;
  name: string;
  owner: MappingTarget['owner'];
}

/** An app that was registered or imported and is not retired; undefined for other client ids. */
export async function appTarget(context: SupportDeps, clientId: string): Promise<AppTarget | undefined> {
  const app = await findApp(context.store.durable, clientId);
  if (!app || app.source === 'observed') return undefined;
  const { name, owner_account_id: accountId, owner_email: email } = app;
  return { clientId, name, owner: { accountId, email } };
}
