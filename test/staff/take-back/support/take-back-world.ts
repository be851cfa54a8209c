import { newAnchors } from '../../../../src/domain/history/anchor-history.ts';
import { verifyHistory } from '../../../../src/domain/history/verify-history.ts';
import { lookAtEntry } from '../../../../src/domain/take-back/look.ts';
import type { Page } from '../../../support/callers/cookie-walker.ts';
import { read } from '../../../support/callers/legacy-calls.ts';
import { freshDatabase } from '../../../support/database/database.ts';
import { until } from '../../../support/servers/held-answer.ts';
import { OWN_CLIENT } from '../../../exchange/support/own-client.ts';
import { browserOf, DANA, wordsOf } from '../../../owners/support/people.ts';
import { PastWorld } from '../../past/support/past-world.ts';
import { act } from '../../support/actions.ts';
import { staffBrowser } from '../../support/staff-browser.ts';

/** A bridge in which staff do things by mistake, and take them back. */
export class TakeBackWorld extends PastWorld {
  #drop: (() => Promise<void>) | undefined;

  async startOn(kind: 'sqlite' | 'postgres', env: Record<string, string> = {}): Promise<void> {
    const database = kind === 'postgres' ? await freshDatabase() : undefined;
    this.#drop = database && (() => database.drop());
    const retirement = new Date(Date.now() + 300 * 24 * 3600_000).toISOString();
    const own = database && { DATABASE_URL: database.url };
    await this.start({ env: { LEGACY_RETIREMENT_AT: retirement, ...env, ...own }, ownClients: [OWN_CLIENT] });
  }

  override async stop(): Promise<void> {
    await super.stop();
    await this.#drop?.();
  }

  /** Time passes, and whoever acts signs in anew: a session does not outlive a day. */
  async passes(time: number): Promise<void> {
    this.clock.advance(time);
    this.lead = await staffBrowser(this.system, 'lead');
    this.dana = await browserOf(this.system, DANA);
  }

  get context() {
    return this.system.bridge.context;
  }

  get db() {
    return this.context.store.durable;
  }

  async row(id: string) {
    return this.db.selectFrom('mappings').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  }

  /** A token that one action makes. */
  async made(action: string, pick = 1): Promise<{ id: string; token: string }> {
    await this.actions[action]?.(pick);
    const one = await this.known(this.secrets.length - 1);
    if (!one) throw new Error(`${action} made no token`);
    return one;
  }

  /** The newest entry of an action, of a token or of all. */
  async entry(action: string, mappingId?: string): Promise<number> {
    let query = this.db.selectFrom('events').select('id').where('action', '=', action);
    if (mappingId !== undefined) query = query.where('mapping_id', '=', mappingId);
    return (await query.orderBy('id', 'desc').executeTakeFirstOrThrow()).id;
  }

  entries() {
    return this.db.selectFrom('events').selectAll().orderBy('id').execute();
  }

  /** Staff act on a token by its page. */
  acts(id: string, name: string, entries: Record<string, string> = {}): Promise<Page> {
    this.clock.advance(1000);
    return act(this.lead, this.at(`/support/mappings/${id}/${name}`), entries);
  }

  formOf = (entryId: number) => this.at(`/support/history/${entryId}/take-back`);

  /** Takes an entry back by its page. */
  async takesBack(entryId: number): Promise<Page> {
    this.clock.advance(1000);
    return act(this.lead, this.formOf(entryId), { reason: 'the wrong one, ticket 4712' });
  }

  /** Why the page of an entry offers no form; undefined where it offers one. */
  async whyNot(entryId: number): Promise<string | undefined> {
    const [page, look] = [
      await this.lead.get(this.formOf(entryId)),
      await lookAtEntry(this.context, entryId),
    ];
    const offers = this.lead.forms(page).some(({ buttons }) => buttons.some(({ text }) => /back/.test(text)));
    if (offers !== (look?.whyNot === undefined)) throw new Error(`${page.status}: ${wordsOf(page)}`);
    if (!offers && page.status === 200) expect(wordsOf(page)).toContain(look?.whyNot);
    return look?.whyNot;
  }

  /** Sends the form of an entry although the page offers none: an old page, or another program. */
  async forces(entryId: number): Promise<Page> {
    const other = await this.lead.get(this.at('/apps/account'));
    const form = this.lead.forms(other).find(({ fields }) => fields.some(({ name }) => name === '_form'));
    const token = form?.fields.find(({ name }) => name === '_form')?.value ?? '';
    const fields = { _form: token, reason: 'force' };
    return this.lead.post(this.formOf(entryId), fields, { origin: this.system.bridgeUrl });
  }

  /** What an old call meets. */
  status = async (token: string): Promise<number> => (await read(this.system, '/1/user.json', token)).status;

  async chainIsWhole(): Promise<void> {
    const verdict = () => verifyHistory(this.context, newAnchors());
    await until(async () => (await verdict()).waiting === 0);
    expect((await verdict()).finding).toBeUndefined();
  }
}
