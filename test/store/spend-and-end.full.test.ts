import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { openContext, type OpenContext } from '../../src/app/open-context.ts';
import { readConfig } from '../../src/config/config.ts';
import { exchangeCode } from '../../src/domain/authorization/exchange-code.ts';
import { createLogger } from '../../src/shared/log/logger.ts';
import { newLegacyCode } from '../../src/shared/ids.ts';
import { findLiveGrant, insertGrant } from '../../src/store/grants/grants.ts';
import { insertCode } from '../../src/store/authorization/legacy-codes.ts';
import { ACCOUNT, APP, CALLBACK, codeRow, grantRow, keepAppAndAccount } from './support/rows.ts';
import { choosePlace, databaseKinds, type Place } from './support/stores.ts';

/**
 * A code is spent in this process while another one ends its app for its account: whoever is faster, afterwards no token
 * serves. With less than serializable transactions each could miss what the other writes.
 */

const ROUNDS = 60;
const PAIR = { clientId: APP, accountId: ACCOUNT };

const program = join(import.meta.dirname, 'programs', 'deauthorizer.ts');
const NOWHERE = 'http://127.0.0.1:9';

async function afterSome<T>(work: () => Promise<T>): Promise<T> {
  await delay(Math.random() * 4);
  return work();
}

describe.each(databaseKinds)('on %s', (kind) => {
  const varDir = mkdtempSync(join(tmpdir(), 'spend-'));
  let place: Place;
  let opened: OpenContext;
  let other: ChildProcess;

  const database = () => opened.context.store.durable;

  beforeAll(async () => {
    place = await choosePlace(kind);
    const { location } = place;
    const settings = {
      VAR_DIR: varDir,
      DATABASE_URL: location.kind === 'sqlite' ? `sqlite:${location.file}` : location.url,
      MODERN_AUTH_URL: NOWHERE,
      MODERN_API_URL: NOWHERE,
      MODERN_CLIENT_ID: 'bridge',
    };
    const config = readConfig(settings);
    if (!config.upstream) throw new Error('the settings name a modern side');
    const logger = createLogger({ level: 'error', name: 'test', stream: new PassThrough().resume() });
    opened = await openContext(config, config.upstream, { logger });
    await keepAppAndAccount(database());
    other = fork(program, [JSON.stringify(settings)], { execArgv: ['--import', 'tsx'] });
    expect(await once(other, 'message')).toEqual(['ready', undefined]);
  });

  afterAll(async () => {
    other.disconnect();
    await once(other, 'exit');
    await opened.close();
    await place.remove();
    rmSync(varDir, { recursive: true, force: true });
  });

  async function keepCode(round: number): Promise<string> {
    const [code, now] = [newLegacyCode(), opened.context.clock.now()];
    await insertGrant(database(), grantRow(`g${round}`));
    await insertCode(database(), {
      ...codeRow,
      grant_id: `g${round}`,
      code_digest: opened.context.vault.digest(code),
      created_at: now,
      expires_at: now + 30_000,
    });
    return code;
  }

  const spend = (code: string) =>
    exchangeCode(
      opened.context,
      { clientId: APP, code, redirectUri: CALLBACK },
      { actor: 'test', requestId: null },
    ).then(
      () => 'a token' as const,
      ({ code: refusal, message }: { code?: string; message: string }) => refusal ?? message,
    );

  async function end(): Promise<unknown> {
    const ended = once(other, 'message');
    other.send(PAIR);
    return (await ended)[0];
  }

  const countServing = async () => {
    const serving = database().selectFrom('mappings').select('id').where('state', '<>', 'revoked');
    return (await serving.execute()).length;
  };

  test(`after ${ROUNDS} races no token serves, and both have been the faster one`, async () => {
    const outcomes: string[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const code = await keepCode(round);
      const endsFirst = round % 2 === 0;
      const spending = endsFirst ? afterSome(() => spend(code)) : spend(code);
      const ending = endsFirst ? end() : afterSome(end);
      const [outcome, ended] = await Promise.all([spending, ending]);
      outcomes.push(outcome);
      expect([ended, await countServing()]).toEqual(['ended', 0]);
      expect(await findLiveGrant(database(), APP, ACCOUNT)).toBeUndefined();
    }
    expect(new Set(outcomes)).toEqual(new Set(['a token', 'invalid_grant']));
  });
});
