import { addStaff, type StaffRole } from '../../../src/domain/accounts/staff.ts';
import { newHexId } from '../../../src/shared/ids.ts';
import { pressIn, SAM } from '../../owners/support/people.ts';
import type { CookieWalker, Page } from '../../support/callers/cookie-walker.ts';
import type { System } from '../../support/bridge/system.ts';

/** What the tests of staff's actions need. */

/** Gives SAM a role, from the next request on. */
export async function becomes(system: System, role: StaffRole): Promise<void> {
  const origin = { actor: 'command', requestId: null };
  await addStaff(system.bridge.context, { account: SAM.accountId, role, ...origin });
}

/** What came of a form, before any redirect is followed. */
export async function act(
  browser: CookieWalker,
  url: string,
  entries: Record<string, string> = {},
): Promise<Page> {
  const page = await browser.get(url);
  return pressIn(browser, page, /^(?!Sign out|Search$|Find$)/, { reason: 'ticket 4711', ...entries });
}

/** The history of one token, newest last. */
export async function eventsOf(system: System, mappingId: string) {
  const { durable } = system.bridge.context.store;
  return durable
    .selectFrom('events')
    .select(['action', 'actor', 'reason', 'request_id', 'client_id', 'account_id'])
    .where('mapping_id', '=', mappingId)
    .orderBy('id')
    .execute();
}

/** A program that nobody registered. */
export async function unidentifiedApp(system: System): Promise<string> {
  const { store, clock } = system.bridge.context;
  const id = newHexId();
  await store.durable
    .insertInto('apps')
    .values({ client_id: id, name: 'curl/8.0', source: 'observed', created_at: clock.now() })
    .execute();
  return id;
}

/** A mail that reached nobody, about the system's app or others. */
export async function unreachedMail(
  system: System,
  person: string,
  clientIds = [system.app.clientId],
): Promise<string> {
  const { store, clock } = system.bridge.context;
  const [id, at] = [newHexId(), clock.now()];
  const day = new Date(at).toISOString().slice(0, 10);
  await store.durable
    .insertInto('mails')
    .values({
      id,
      person,
      day,
      replaces: '',
      state: 'undeliverable',
      attempts: 1,
      next_at: at,
      failure: 'no address is known',
      created_at: at,
      ended_at: at,
    })
    .execute();
  const reminder = { mail_id: id, person, role: 'holder' as const, stage: '30', created_at: at };
  await store.durable
    .insertInto('reminders')
    .values(
      clientIds.map((client_id) => ({
        ...reminder,
        id: newHexId(),
        client_id,
        planned_for: 'retirement:2099-01-01',
      })),
    )
    .execute();
  return id;
}
