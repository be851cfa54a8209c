import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { importFile } from '../../src/domain/import/reading/import-file.ts';
import { newHexId, newLegacyToken } from '../../src/shared/ids.ts';
import { DAY } from '../../src/shared/lifetimes.ts';
import type { MappingState } from '../../src/store/tables/tables.ts';
import { openHistory } from '../domain/support/histories.ts';
import { databaseKinds } from '../store/support/stores.ts';

/** Pages say from `updated_at` since when a token has stopped or ended: what an import learns later must not move it. */

const HOUR_AGO = 60 * 60 * 1000;

test.each(databaseKinds)(
  'on %s a stopped or ended token keeps its time when an import learns more',
  async (kind) => {
    const place = await openHistory(kind);
    const { context, varDir, db } = place;
    const [now, clientId, legacyId] = [context.clock.now(), newHexId(), 'old-account-1'];
    const tokens = { waiting: newLegacyToken(), stopped: newLegacyToken(), revoked: newLegacyToken() };

    const bring = async (rows: object[]) => {
      const file = join(varDir, 'file');
      writeFileSync(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
      const folder = join(varDir, 'imports');
      const request = {
        file,
        folder,
        isDryRun: false,
        origin: { actor: 'test', requestId: null },
        onProgress: () => {},
      };
      return importFile(context, request);
    };
    const row = (access_token: string, more: object) => ({
      type: 'token',
      access_token,
      client_id: clientId,
      account_id: legacyId,
      last_used_at: new Date(now - 9 * DAY).toISOString(),
      ...more,
    });
    const stop = async (token: string, state: MappingState) =>
      db
        .updateTable('mappings')
        .set({ state })
        .where('token_digest', 'in', context.vault.digests(token))
        .execute();
    const look = async (token: string) =>
      db
        .selectFrom('mappings')
        .select(['account_id', 'updated_at', 'last_used_at'])
        .where('token_digest', 'in', context.vault.digests(token))
        .executeTakeFirstOrThrow();

    await bring([
      { type: 'app', client_id: clientId, name: 'Imported', owner_account_id: newHexId() },
      ...Object.values(tokens).map((token) => row(token, {})),
    ]);
    await stop(tokens.stopped, 'reauthorization_required');
    await stop(tokens.revoked, 'revoked');
    await db
      .updateTable('mappings')
      .set({ updated_at: now - HOUR_AGO })
      .execute();

    const modernId = newHexId();
    const uses = Object.values(tokens).map((token) =>
      row(token, { last_used_at: new Date(now - DAY).toISOString() }),
    );
    expect(await bring(uses)).toMatchObject({ refused: 0 });
    const pair = { type: 'account', legacy_id: legacyId, modern_id: modernId };
    expect(await bring([pair])).toMatchObject({ new: 1, refused: 0 });
    const [waiting, stopped, revoked] = [
      await look(tokens.waiting),
      await look(tokens.stopped),
      await look(tokens.revoked),
    ];
    expect([waiting, stopped, revoked].map(({ account_id }) => account_id)).toEqual([
      modernId,
      modernId,
      modernId,
    ]);
    expect(stopped.last_used_at).toBe(waiting.last_used_at);
    expect(waiting.updated_at).toBeGreaterThanOrEqual(now);
    expect([stopped, revoked].map(({ updated_at }) => updated_at)).toEqual([now - HOUR_AGO, now - HOUR_AGO]);
    await place.close();
  },
);
