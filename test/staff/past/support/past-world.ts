import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { findTokenCommand } from '../../../../src/cli/commands/tokens/token-actions.ts';
import { pastOfTokens } from '../../../../src/cli/commands/tokens/tokens-at.ts';
import { findTokens } from '../../../../src/domain/support/find-tokens.ts';
import { importFile } from '../../../../src/domain/import/reading/import-file.ts';
import { DAY } from '../../../../src/shared/lifetimes.ts';
import type { Mapping } from '../../../../src/store/tables/tables.ts';
import { browserOf, consentAt, DANA, pressIn } from '../../../owners/support/people.ts';
import { SettableClock } from '../../../support/bridge/settable-clock.ts';
import { startSystem, type System, type SystemOptions } from '../../../support/bridge/system.ts';
import type { LegacyApp } from '../../../support/callers/authorize.ts';
import type { CookieWalker } from '../../../support/callers/cookie-walker.ts';
import { issueToken, read } from '../../../support/callers/legacy-calls.ts';
import { until } from '../../../support/servers/held-answer.ts';
import { type OldBackend, startOldBackend } from '../../../support/servers/old-backend.ts';
import { act } from '../../support/actions.ts';
import { staffBrowser } from '../../support/staff-browser.ts';

/** A bridge in which much happens to tokens, by its own addresses and commands. */

const OLD_USER = '4f0c0a06512f7ef214000009';
const MAIL = 'waits@box.example';

const oldToken = (number: number) => `1/${String(number).padStart(32, '0')}`;

interface KnownToken {
  id: string;
  token: string;
}

interface StaffStep {
  name: string;
  entries?: Record<string, string>;
  isFit?: (mapping: Mapping) => boolean;
}

export class PastWorld {
  readonly clock = new SettableClock(Date.now() - 10 * DAY);
  readonly folder = mkdtempSync(join(tmpdir(), 'past-'));
  system!: System;
  apps: LegacyApp[] = [];
  secrets: string[] = [];
  dana!: CookieWalker;
  lead!: CookieWalker;
  #old!: OldBackend;
  #made = 0;
  readonly #env = process.env;

  async start({ env = {}, ownClients }: Pick<SystemOptions, 'env' | 'ownClients'> = {}): Promise<void> {
    const user = { id: OLD_USER, name: 'Dana' };
    this.#old = await startOldBackend({ accounts: [{ tokens: [], user }] });
    this.system = await startSystem({
      clock: this.clock,
      accessTokenSeconds: 30,
      env: { LEGACY_BACKEND_URL: this.#old.url, ...env },
      ...(ownClients && { ownClients }),
    });
    this.apps = [this.system.app, await this.system.registerApp('https://other.example/callback')];
    this.dana = await browserOf(this.system, DANA);
    this.lead = await staffBrowser(this.system, 'lead');
    await this.#import({ type: 'account', legacy_id: OLD_USER, modern_id: DANA.accountId });
  }

  async stop(): Promise<void> {
    process.env = this.#env;
    await this.system.stop();
    await this.#old.close();
    rmSync(this.folder, { recursive: true });
  }

  at = (path: string) => `${this.system.bridgeUrl}${path}`;

  async #import(...rows: object[]): Promise<void> {
    const file = join(this.folder, 'rows.ndjson');
    writeFileSync(file, rows.map((row) => JSON.stringify(row)).join('\n'));
    const origin = { actor: 'command', requestId: null };
    const asked = { file, folder: this.folder, isDryRun: false, origin, onProgress: () => undefined };
    await importFile(this.system.bridge.context, asked);
  }

  #newToken(): string {
    const token = oldToken(++this.#made);
    this.secrets.push(token);
    return token;
  }

  async rows() {
    const { durable } = this.system.bridge.context.store;
    return durable.selectFrom('mappings').selectAll().orderBy('id').execute();
  }

  /** Every kind of entry about a token. */
  async kinds(): Promise<string[]> {
    const { durable } = this.system.bridge.context.store;
    const kinds = durable
      .selectFrom('events')
      .select('action')
      .distinct()
      .where('mapping_id', 'is not', null);
    return (await kinds.execute()).map(({ action }) => action);
  }

  async known(pick: number): Promise<KnownToken | undefined> {
    const { vault } = this.system.bridge.context;
    if (this.secrets.length === 0) return undefined;
    const token = this.secrets[pick % this.secrets.length] ?? '';
    const digests = vault.digests(token);
    const row = (await this.rows()).find(({ token_digest: digest }) => digests.includes(digest ?? ''));
    return row && { id: row.id, token };
  }

  /** An old call, and the early refreshes that its answer does not wait for. */
  async #call(path: string, pick: number): Promise<void> {
    const one = await this.known(pick);
    if (!one) return;
    await read(this.system, path, one.token);
    const { flights, store } = this.system.bridge.context;
    const grants = await store.durable.selectFrom('grants').select('id').execute();
    await Promise.allSettled(grants.map(({ id }) => flights.run(id, async () => undefined)));
  }

  app(pick: number): LegacyApp {
    return this.apps[pick % this.apps.length] as LegacyApp;
  }

  /** Everything that may happen, by name. `pick` chooses among the tokens and apps. */
  readonly actions: Record<string, (pick: number) => Promise<unknown>> = {
    issue: async (pick) => this.secrets.push(await issueToken(this.system, { app: this.app(pick) })),
    import: (pick) =>
      this.#import({
        type: 'token',
        access_token: this.#newToken(),
        client_id: this.app(pick).clientId,
        ...(pick % 3 === 0 ? { account_email: MAIL } : { account_id: DANA.accountId }),
      }),
    importAgain: async (pick) => {
      const one = await this.known(pick);
      const row = { type: 'token', access_token: one?.token, client_id: this.app(pick >> 3).clientId };
      return one && this.#import({ ...row, account_id: DANA.accountId });
    },
    observe: async () => {
      const token = this.#newToken();
      this.#old.addToken(OLD_USER, token);
      await read(this.system, '/1/user.json', token);
      // It is stored after the answer; above a limit of new tokens it is not.
      const last = this.secrets.length - 1;
      await until(async () => (await this.known(last)) !== undefined, 2000).catch(() => undefined);
    },
    assign: (pick) =>
      this.#act(pick, {
        name: 'assign',
        entries: { client_id: this.app(pick >> 3).clientId },
        isFit: ({ source }) => source === 'observed',
      }),
    revoke: (pick) => this.#act(pick, { name: 'revoke' }),
    pin: (pick) =>
      this.#act(pick, {
        name: 'pin',
        entries: { account_id: DANA.accountId },
        isFit: ({ account_id: accountId, account_email: email }) => accountId === null && email !== null,
      }),
    read: (pick) => this.#call('/1/user.json', pick),
    refuse: async (pick) => {
      const { proxy } = this.system;
      proxy.onTokenAnswer = () => ({
        status: 400,
        headers: { 'content-type': 'application/json' },
        body: Buffer.from('{"error":"invalid_grant"}'),
      });
      await this.actions['read']?.(pick);
      proxy.onTokenAnswer = undefined;
    },
    deauthorize: (pick) => this.#call('/1/user/deauthorize.json', pick),
    connect: async (pick) => {
      const page = await this.dana.get(this.at(`/apps/${this.app(pick).clientId}`));
      if (!/<button[^>]*>\s*Connect\s*</.test(page.body)) return;
      const left = await pressIn(this.dana, page, /^Connect$/);
      if (left.location?.includes('/auth'))
        await this.dana.get(await consentAt(this.system, left, { person: DANA }));
    },
  };

  /** Acts as staff on one of the tokens for which the action makes sense. */
  async #act(pick: number, { name, entries = {}, isFit = () => true }: StaffStep): Promise<void> {
    const fit = (await this.rows()).filter(isFit);
    const one = fit[pick % Math.max(1, fit.length)];
    const url = one && this.at(`/support/mappings/${one.id}/${name}`);
    if (url !== undefined && (await this.lead.get(url)).status === 200) await act(this.lead, url, entries);
  }

  /** What `tokens find --at` says of a token, by the context of the bridge that runs. */
  async pastOf(id: string, at: number) {
    const { context } = this.system.bridge;
    const { tokens } = await findTokens(context, id);
    const { ok, json, lines } = await pastOfTokens(
      context,
      tokens.map(({ row }) => row),
      at,
    );
    return { ok, lines, json: (json['tokens'] as Array<Record<string, unknown>>)[0] ?? {} };
  }

  /** Runs a command on the database of the bridge. */
  async command<T>(run: () => Promise<T>): Promise<T> {
    const { anchorsFile } = this.system.bridge.context;
    const { database } = this.system.bridge;
    process.env = {
      VAR_DIR: dirname(anchorsFile),
      DATABASE_URL: database.kind === 'sqlite' ? `sqlite:${database.file}` : database.url,
      MODERN_AUTH_URL: this.system.proxy.origin,
      MODERN_API_URL: this.system.proxy.origin,
      MODERN_CLIENT_ID: 'bridge',
      LOG_LEVEL: 'error',
    };
    try {
      return await run();
    } finally {
      process.env = this.#env;
    }
  }

  /** What the command `tokens find` says of a token. */
  async find(id: string, at?: string) {
    const found = await this.command(() => findTokenCommand(at === undefined ? {} : { at }, [id]));
    return { ...found, token: (found.json['tokens'] as Array<Record<string, unknown>>)[0] ?? {} };
  }
}
