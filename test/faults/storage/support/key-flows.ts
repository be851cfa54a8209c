import { dirname, join } from 'node:path';
import { openRefreshToken } from '../../../../src/domain/grants/sealed-pair.ts';
import { countToReseal, resealAll } from '../../../../src/domain/keys/reseal.ts';
import { addKeyToFile } from '../../../../src/store/files/keys-file.ts';
import { activateBySql } from '../../../support/bridge/key-door.ts';
import { issueToken } from '../../../support/callers/legacy-calls.ts';
import { type Flow, wrong } from './flow.ts';
import type { Stage } from './stage.ts';
import { endOfWork } from './work-flows.ts';

/** Everything that is sealed is sealed again under another key. Every value opens at every moment, to what it was. */
export function resealFlow({ system }: Pick<Stage, 'system'>): Flow {
  const { context } = system.bridge;
  const { durable } = context.store;
  let [keyId, kept] = ['', [] as string[]];
  const reseal = () => resealAll(context, { keyId, onProgress: () => undefined });
  const refreshTokens = async () => {
    const grants = await durable.selectFrom('grants').selectAll().orderBy('id').execute();
    const holding = grants.filter((grant) => grant.refresh_token_sealed !== null);
    return holding.map((grant) => openRefreshToken(context, grant));
  };
  const begin = async () => {
    await issueToken(system);
    addKeyToFile(join(dirname(context.anchorsFile), 'keys.json'), 'k2');
    await context.keyring.turn();
  };
  return {
    name: 'seal again',
    async prepare() {
      if (keyId === '') await begin();
      keyId = keyId === 'k2' ? 'k1' : 'k2';
      await activateBySql(context.store, keyId);
      await context.keyring.turn();
      kept = await refreshTokens();
    },
    run: () => endOfWork(reseal),
    async again() {
      const between = await refreshTokens();
      const { unreadable } = await reseal();
      const left = await countToReseal(context, keyId);
      const isSame = [between, await refreshTokens()].every((found) => String(found) === String(kept));
      const isWhole = kept.length > 0 && isSame && unreadable.length + left === 0;
      return isWhole ? { kind: 'done', said: '' } : wrong(`${left} left, ${unreadable.length} unreadable`);
    },
  };
}
