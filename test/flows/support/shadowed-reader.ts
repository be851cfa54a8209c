import { clearShadow } from '../../../src/domain/reads/shadow.ts';
import { newHexId } from '../../../src/shared/ids.ts';
import { type Door, openDoor } from '../../endpoints/support/door.ts';
import { CHANNEL, connectReader, type Reader } from '../../posts/support/reader.ts';
import type { Answer } from '../../support/servers/forward.ts';
import { type OldAccount, type OldBackend, startOldBackend } from '../../support/servers/old-backend.ts';
import { SettableClock } from '../../support/bridge/settable-clock.ts';
import { mappingOf } from '../../support/bridge/waiting-token.ts';

export const DAY = 86_400_000;
export const PENDING = `/1/profiles/${CHANNEL}/updates/pending.json`;

/** What the new API says of one window: how much is left of how much, for how many seconds. */
export type Budget = [left: number, quota: number, seconds: number];

export const headersOf = (windows: readonly Budget[]) => ({
  ratelimit: windows.map(([left, , seconds]) => `"w${seconds}";r=${left};t=${seconds}`).join(', '),
  'ratelimit-policy': windows.map(([, quota, seconds]) => `"w${seconds}";q=${quota};w=${seconds}`).join(', '),
});

interface Parts {
  clock: SettableClock;
  old: OldBackend;
  door: Door;
  reader: Reader;
  account: OldAccount;
}

/** A connected token whose reads the old API still answers, with LEGACY_SHADOW on. */
export class ShadowedReader {
  readonly clock: SettableClock;
  readonly old: OldBackend;
  readonly door: Door;
  readonly reader: Reader;
  readonly account: OldAccount;

  constructor({ clock, old, door, reader, account }: Parts) {
    [this.clock, this.old, this.account] = [clock, old, account];
    [this.door, this.reader] = [door, reader];
  }

  volatile() {
    return this.door.bridge.context.store.volatile;
  }

  /** The new API says from now on that so much is left, and the bridge has heard so. */
  async leave(...windows: Budget[]): Promise<void> {
    this.door.proxy.onOtherAnswer = (_call, answer: Answer) => ({
      ...answer,
      headers: { ...answer.headers, ...headersOf(windows) },
    });
    await this.reader.get('/1/profiles.json');
    await this.door.bridge.untilShared();
  }

  /** Nothing is counted, and comparisons of the test before have ended. */
  async reset(): Promise<void> {
    this.clock.advance(2 * DAY);
    this.account.updates = [];
    await this.volatile().deleteFrom('shadow_requests').execute();
    await this.volatile().deleteFrom('post_answers').execute();
    await this.leave([100_000, 100_000, 900]);
    await clearShadow(this.door.bridge.context, { actor: 'test', requestId: null });
  }

  async passMany(times: number, path = PENDING): Promise<void> {
    for (let call = 0; call < times; call += 1) expect((await this.reader.get(path)).status).toBe(200);
  }

  async stop(): Promise<void> {
    await this.door.stop();
    await this.old.close();
  }
}

export async function startShadowedReader(): Promise<ShadowedReader> {
  const clock = new SettableClock();
  const account: OldAccount = { tokens: [], user: { id: newHexId() }, profiles: [], updates: [] };
  const old = await startOldBackend({ accounts: [account] });
  const env = { LEGACY_BACKEND_URL: old.url, LEGACY_SHADOW: 'on', PROFILES_FRESH_SECONDS: '0' };
  const door = await openDoor({ clock, accessTokenSeconds: 400 * 86_400, env });
  const reader = await connectReader(door);
  account.profiles = (await reader.get('/1/profiles.json')).json as NonNullable<OldAccount['profiles']>;
  account.tokens.push(reader.token);
  const { id } = (await mappingOf(door.bridge, reader.token))!;
  await door.bridge.context.store.durable
    .updateTable('mappings')
    .set({ source: 'imported' })
    .where('id', '=', id)
    .execute();
  return new ShadowedReader({ clock, old, door, reader, account });
}
