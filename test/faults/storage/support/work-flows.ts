import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Context } from '../../../../src/domain/context.ts';
import { importFile } from '../../../../src/domain/import/reading/import-file.ts';
import { deliverReminders } from '../../../../src/domain/reminders/deliver.ts';
import { planReminders } from '../../../../src/domain/reminders/plan-reminders.ts';
import { isStorageFault } from '../../../../src/store/driver/storage-fault.ts';
import type { History } from '../../../domain/support/histories.ts';
import { addHolder } from '../../../reminders/support/delivery-ground.ts';
import type { SmtpDoor } from '../../../support/servers/smtp-server.ts';
import { type Flow, type FlowEnd, wrong } from './flow.ts';

/** Work that no caller waits for, and that runs again: a command, a job. */

const DONE: FlowEnd = { kind: 'done', said: '' };

/** Work that ends, or fails as the fault of the database. */
export async function endOfWork(work: () => Promise<unknown>): Promise<FlowEnd> {
  try {
    await work();
    return DONE;
  } catch (error) {
    return { kind: isStorageFault(error) ? 'unavailable' : 'wrong', said: String(error) };
  }
}

/** A file with an app and a token of it. A row is imported once, however often its file is. */
export function importFlow(place: History): Flow {
  let [number, clientId] = [0, ''];
  const file = join(place.varDir, 'import.ndjson');
  const importNow = () =>
    importFile(place.context, {
      file,
      folder: join(place.varDir, 'imports'),
      isDryRun: false,
      origin: { actor: 'test', requestId: null },
      onProgress: () => undefined,
    });
  return {
    name: 'import',
    async prepare() {
      number += 1;
      clientId = number.toString(16).padStart(24, 'a');
      const app = { type: 'app', client_id: clientId, name: 'An App', owner_email: 'owner@app.example' };
      const access_token = `1/${String(number).padStart(32, '0')}`;
      const token = { type: 'token', access_token, client_id: clientId, account_id: 'c'.repeat(24) };
      writeFileSync(file, [app, token].map((row) => `${JSON.stringify(row)}\n`).join(''));
    },
    run: () => endOfWork(importNow),
    async again() {
      const { new: added, known, changed, refused } = await importNow();
      const rows = await place.db
        .selectFrom('mappings')
        .select('id')
        .where('client_id', '=', clientId)
        .execute();
      const isWhole = added + known === 2 && changed + refused === 0 && rows.length === 1;
      return isWhole ? DONE : wrong(`${added} new, ${known} known, ${refused} refused, ${rows.length} rows`);
    },
  };
}

interface Reminding {
  context: Context;
  door: SmtpDoor;
}

const mailsOf = ({ store }: Context, address: string) =>
  store.durable.selectFrom('mails').select(['id', 'state']).where('address', '=', address).execute();

/** Everybody who is due is planned one mail. */
export function planFlow({ context }: Reminding): Flow {
  let [number, email] = [0, ''];
  return {
    name: 'plan reminders',
    async prepare() {
      email = `planned-${(number += 1)}@box.example`;
      await addHolder(context, email);
    },
    run: () => endOfWork(() => planReminders(context)),
    async again() {
      await planReminders(context);
      await deliverReminders(context);
      const mails = await mailsOf(context, email);
      return mails.length === 1 ? DONE : wrong(`${mails.length} mails are planned for one person`);
    },
  };
}

/** Every planned mail is sent once. */
export function deliverFlow({ context, door }: Reminding): Flow {
  let [number, email] = [0, ''];
  const sent = () => door.mails.filter(({ to }) => to.includes(email)).length;
  return {
    name: 'deliver reminders',
    async prepare() {
      email = `sent-${(number += 1)}@box.example`;
      await addHolder(context, email);
      await planReminders(context);
    },
    run: () => endOfWork(() => deliverReminders(context)),
    async again() {
      // A mail that failed rests a while, and so does one that a run has claimed which failed.
      const open = context.store.durable.updateTable('mails').where('state', 'in', ['due', 'sending']);
      const dueNow = () => open.set({ next_at: 0 }).execute();
      // The fault ended a connection, and the pool may hear of it only when it gives that one out again.
      await dueNow().catch(dueNow);
      await deliverReminders(context);
      return sent() === 1 ? DONE : wrong(`${sent()} mails reached one person`);
    },
  };
}
