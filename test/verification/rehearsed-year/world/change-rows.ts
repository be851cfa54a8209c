import type { Store } from '../../../../src/store/driver/store.ts';
import { accountRow, grantRow } from './rows.ts';
import type { Change, Human, World } from './world.ts';

/** What changes during the year, written as it would stand in the database afterwards. */

export interface WorldHand {
  apply(change: Change): Promise<void>;
}

type Of<K extends Change['kind']> = Extract<Change, { kind: K }>;

const WAITING = ['unmapped', 'reauthorization_required'] as const;
const MOVABLE = [...WAITING, 'active'] as const;

interface Hand {
  durable: Store['durable'];
  humans: Map<string, Human>;
  count: number;
}

async function endGrant(
  { durable }: Hand,
  pair: { app: string; accountId?: string },
  { at, cause }: { at: number; cause: Of<'die'>['cause'] },
): Promise<void> {
  let query = durable
    .updateTable('grants')
    .set({ state: 'dead', dead_at: at, dead_cause: cause, updated_at: at })
    .where('client_id', '=', pair.app)
    .where('state', '<>', 'dead');
  if (pair.accountId !== undefined) query = query.where('account_id', '=', pair.accountId);
  await query.execute();
}

/** A person consents: all tokens of the account at the app stand on the new grant. */
async function act(hand: Hand, { human, app, at }: Of<'act'>): Promise<void> {
  const accountId = hand.humans.get(human)?.accountId;
  if (accountId === undefined) return;
  await endGrant(hand, { app, accountId }, { at, cause: 'replaced' });
  const grant = grantRow(`grant-${(hand.count += 1)}`, { app, accountId }, at);
  await hand.durable.insertInto('grants').values(grant).execute();
  await hand.durable
    .updateTable('mappings')
    .set({ state: 'active', grant_id: grant.id, updated_at: at })
    .where('client_id', '=', app)
    .where('account_id', '=', accountId)
    .where('state', 'in', MOVABLE)
    .execute();
}

async function die(hand: Hand, { human, app, at, cause }: Of<'die'>): Promise<void> {
  const accountId = hand.humans.get(human)?.accountId;
  if (accountId === undefined) return;
  await endGrant(hand, { app, accountId }, { at, cause });
  await hand.durable
    .updateTable('mappings')
    .set({ state: 'reauthorization_required', reason: `grant_${cause}`, updated_at: at })
    .where('client_id', '=', app)
    .where('account_id', '=', accountId)
    .where('state', '=', 'active')
    .execute();
}

async function revoke({ durable }: Hand, { token, at }: Of<'revoke'>): Promise<void> {
  await durable
    .updateTable('mappings')
    .set({ state: 'revoked', updated_at: at })
    .where('id', '=', token)
    .where('state', '<>', 'migrated')
    .execute();
}

/** An app moves over with everybody whose account is known. */
async function migrate(hand: Hand, { app, at }: Of<'migrate'>): Promise<void> {
  await endGrant(hand, { app }, { at, cause: 'handed_over' });
  await hand.durable
    .updateTable('mappings')
    .set({ state: 'migrated', updated_at: at })
    .where('client_id', '=', app)
    .where('account_id', 'is not', null)
    .where('state', 'in', MOVABLE)
    .execute();
}

async function signUp(hand: Hand, { human, accountId, zone, at }: Of<'sign-up'>): Promise<void> {
  const known = hand.humans.get(human);
  if (!known) return;
  const signedUp = { ...known, accountId, zone };
  hand.humans.set(human, signedUp);
  await hand.durable.insertInto('accounts').values(accountRow(signedUp, at)).execute();
}

async function pin({ durable, humans }: Hand, { human, at }: Of<'pin'>): Promise<void> {
  const { accountId, email } = humans.get(human) ?? {};
  if (accountId === undefined || email === undefined) return;
  await durable
    .updateTable('mappings')
    .set({ account_id: accountId, updated_at: at })
    .where('account_email', '=', email.toLowerCase())
    .where('account_id', 'is', null)
    .execute();
  await durable
    .updateTable('apps')
    .set({ owner_account_id: accountId })
    .where('owner_email', '=', email.toLowerCase())
    .where('owner_account_id', 'is', null)
    .execute();
}

async function setDate({ durable }: Hand, { name, value, at }: Of<'date'>): Promise<void> {
  const row = { at: value, changed_at: at, changed_by: 'rehearsal' };
  await durable
    .insertInto('lifecycle_dates')
    .values({ name, ...row })
    .onConflict((conflict) => conflict.column('name').doUpdateSet(row))
    .execute();
}

async function endExtension({ durable }: Hand, change: Of<'extend' | 'end-extension'>): Promise<void> {
  await durable
    .updateTable('extensions')
    .set({ ended_at: change.at, ended_by: 'rehearsal' })
    .where('client_id', '=', change.app)
    .where('name', '=', change.name)
    .where('ended_at', 'is', null)
    .execute();
}

async function extend(hand: Hand, change: Of<'extend'>): Promise<void> {
  await endExtension(hand, change);
  await hand.durable
    .insertInto('extensions')
    .values({
      id: `extension-${(hand.count += 1)}`,
      client_id: change.app,
      name: change.name,
      until: change.until,
      reason: 'more time was asked for',
      granted_by: 'rehearsal',
      granted_at: change.at,
    })
    .execute();
}

/** The hand that changes the rows of one world. */
export function createHand({ durable }: Store, world: World): WorldHand {
  const hand: Hand = {
    durable,
    humans: new Map(world.humans.map((human) => [human.id, human])),
    count: 0,
  };
  return {
    async apply(change) {
      switch (change.kind) {
        case 'act':
          return act(hand, change);
        case 'die':
          return die(hand, change);
        case 'revoke':
          return revoke(hand, change);
        case 'migrate':
          return migrate(hand, change);
        case 'sign-up':
          return signUp(hand, change);
        case 'pin':
          return pin(hand, change);
        case 'date':
          return setDate(hand, change);
        case 'extend':
          return extend(hand, change);
        case 'end-extension':
          return endExtension(hand, change);
      }
    },
  };
}
