import { addSecret } from '../../../src/domain/apps/app-secrets.ts';
import { askForBulk, stopBulk } from '../../../src/domain/bulk/bulk-jobs.ts';
import { exemptApp } from '../../../src/domain/lifecycle/changes/exempt-app.ts';
import { extendApp } from '../../../src/domain/lifecycle/changes/extend-app.ts';
import { planBrownout } from '../../../src/domain/lifecycle/changes/plan-brownout.ts';
import { revokeByHand } from '../../../src/domain/tokens/revoke-token.ts';
import { newHexId } from '../../../src/shared/ids.ts';
import { DAY, HOUR } from '../../../src/shared/lifetimes.ts';
import { insertStopped } from '../../../src/store/reminders/stopped-addresses.ts';
import type { MappingSource } from '../../../src/store/tables/tables.ts';
import { connectApp } from '../../endpoints/support/connected.ts';
import { type Door, type DoorOptions, openDoor } from '../../endpoints/support/door.ts';
import { unidentifiedApp, unreachedMail } from '../../staff/support/actions.ts';
import { addWaitingToken, mappingOf } from '../../support/bridge/waiting-token.ts';
import { holdJobs } from '../../support/bridge/hold-jobs.ts';
import { freshDatabase } from '../../support/database/database.ts';
import type { databaseKinds } from '../../support/jest/test-mode.ts';

/** A bridge with an old API behind it and a retirement ahead, and things that an operation can act on. */

export interface ApiGround extends Door {
  /** A token that the new API serves. */
  connected: { token: string; mappingId: string };
}

const HELD_JOBS = ['bulk-jobs', 'leaked-tokens', 'plan-reminders', 'send-reminders'];

const BY = { actor: 'test', requestId: null, reason: 'for the test' };

export async function openGround(
  kind: (typeof databaseKinds)[number],
  options: Pick<DoorOptions, 'log' | 'clock'> = {},
): Promise<ApiGround> {
  const database = kind === 'postgres' ? await freshDatabase() : undefined;
  const retirement = new Date(Date.now() + 60 * DAY).toISOString();
  const old = { LEGACY_BACKEND_URL: 'http://127.0.0.1:9', LEGACY_RETIREMENT_AT: retirement };
  const env = { ...old, REMINDER_CRON: '0 0 1 1 *', ...(database && { DATABASE_URL: database.url }) };
  const door = await openDoor({ env, ...options });
  // Tests run jobs on many things by hand, and a mail that is planned or leaves meanwhile would be taken for a change.
  const release = await holdJobs(door.bridge.context, HELD_JOBS);
  const { token } = await connectApp(door);
  const mapping = await mappingOf(door.bridge, token);
  const stop = async () => {
    release();
    await door.stop();
    await database?.drop();
  };
  return { ...door, stop, connected: { token, mappingId: mapping?.id ?? '' } };
}

const rows = ({ bridge }: ApiGround) => bridge.context.store.durable;

/** An app that nobody owns: one owner has no more than fifty. */
export async function someApp(ground: ApiGround): Promise<string> {
  const app = { client_id: newHexId(), name: 'Some app', source: 'imported' as const, created_at: 0 };
  await rows(ground).insertInto('apps').values(app).execute();
  return app.client_id;
}

/** A token that waits, of an account with an address. */
export async function waitingIn(ground: ApiGround, source: MappingSource = 'imported') {
  const accountId = newHexId();
  const clientId = source === 'observed' ? await unidentifiedApp(ground) : ground.app.clientId;
  const made = await addWaitingToken(ground.bridge, { clientId, accountId, source });
  const person = { email: `${accountId}@people.example`, name: 'Pat' };
  await rows(ground).updateTable('accounts').set(person).where('account_id', '=', accountId).execute();
  return { ...made, accountId };
}

/** A token that waits under an address alone, and an account that is known here. */
export async function underAddress(ground: ApiGround) {
  const { accountId } = await waitingIn(ground);
  const { mappingId } = await addWaitingToken(ground.bridge, { clientId: ground.app.clientId });
  const email = `${mappingId}@waits.example`;
  await rows(ground)
    .updateTable('mappings')
    .set({ account_email: email })
    .where('id', '=', mappingId)
    .execute();
  return { mappingId, email, accountId };
}

export async function extendedApp(ground: ApiGround): Promise<string> {
  const clientId = await someApp(ground);
  const until = Date.now() + 90 * DAY;
  await extendApp(ground.bridge.context, { clientId, name: 'retirement', until, ...BY });
  return clientId;
}

export async function exemptedApp(ground: ApiGround): Promise<string> {
  const clientId = await someApp(ground);
  await exemptApp(ground.bridge.context, { clientId, until: Date.now() + DAY, ...BY });
  return clientId;
}

export async function appWithTwoSecrets(ground: ApiGround) {
  const clientId = await someApp(ground);
  const secretId = newHexId();
  for (const id of [secretId, newHexId()])
    await addSecret(ground.bridge.context, { clientId, actor: 'test', requestId: null, id });
  return { clientId, secretId };
}

let windows = 0;

/** A window that no other brownout has. */
export function freeWindow() {
  windows += 1;
  const startsAt = Date.now() + DAY + windows * 2 * HOUR;
  return { startsAt, endsAt: startsAt + HOUR };
}

export async function plannedBrownout(ground: ApiGround): Promise<string> {
  const asked = { rehearses: 'retirement' as const, text: 'A rehearsal', ...freeWindow(), ...BY };
  return (await planBrownout(ground.bridge.context, asked)).id;
}

/** The entry of a token that an agent revoked. */
export async function revokedEntry(ground: ApiGround): Promise<number> {
  const { mappingId } = await waitingIn(ground);
  await revokeByHand(ground.bridge.context, { mappingId, ...BY });
  const entry = rows(ground).selectFrom('events').select('id').where('mapping_id', '=', mappingId);
  return (await entry.where('action', '=', 'token_revoked').executeTakeFirstOrThrow()).id;
}

export const mailOfNobody = (ground: ApiGround): Promise<string> =>
  unreachedMail(ground, `account:${newHexId()}`);

export async function stoppedAddress(ground: ApiGround): Promise<string> {
  const [address, mailId] = [`${newHexId()}@stopped.example`, await mailOfNobody(ground)];
  await insertStopped(rows(ground), { address, mailId, now: Date.now() });
  return address;
}

/** A job of one token that waits to be done, as an agent may ask for it. */
export async function waitingJob(ground: ApiGround): Promise<string> {
  const { mappingId } = await waitingIn(ground, 'observed');
  const input = { clientId: ground.app.clientId };
  const asked = { action: 'assign_tokens' as const, input, subjects: [mappingId], ...BY };
  return (await askForBulk(ground.bridge.context, asked)).job.id;
}

export async function stoppedJob(ground: ApiGround): Promise<string> {
  const id = await waitingJob(ground);
  await stopBulk(ground.bridge.context, { id, ...BY });
  return id;
}
