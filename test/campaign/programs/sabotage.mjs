// The three builds that the campaign must catch: each is wrong in one of the ways that this bridge excludes by design.

/** A claim that writes nothing: every process may present what it has read. */
const noPresentingRecord = { claimPresenting: () => async () => true };

const LEASE_MS = 400;

const hasEnded = (grant) => grant.state === 'presenting' && Date.now() - grant.presented_at > LEASE_MS;

/** A lock with a time limit is all that keeps two processes apart, and who comes last is stored. */
const leaseInsteadOfVersion = {
  findGrant: (original) => async (db, id) => {
    const grant = await original(db, id);
    return grant && hasEnded(grant) ? { ...grant, state: 'ready', retry_at: 0 } : grant;
  },
  claimPresenting:
    () =>
    async (db, { id }, { claimId, now }) => {
      const { numUpdatedRows } = await db
        .updateTable('grants')
        .set({ state: 'presenting', claim_id: claimId, presented_at: now })
        .where('id', '=', id)
        .where((eb) => eb.or([eb('state', '<>', 'presenting'), eb('presented_at', '<', now - LEASE_MS)]))
        .executeTakeFirst();
      return numUpdatedRows === 1n;
    },
  storeRotation:
    () =>
    async (db, { id, version }, pair) => {
      const { numUpdatedRows } = await db
        .updateTable('grants')
        .set({
          state: 'ready',
          version: version + 1,
          access_token_sealed: pair.accessTokenSealed,
          refresh_token_sealed: pair.refreshTokenSealed,
          access_expires_at: pair.accessExpiresAt,
          refresh_at: pair.refreshAt,
          retry_at: 0,
        })
        .where('id', '=', id)
        .executeTakeFirst();
      return numUpdatedRows === 1n;
    },
};

/** What a library's automatic retry does: an answer that did not come is asked for once more, at once. */
const secondSend = {
  server: (server) => ({
    ...server,
    refresh: async (connection, presented) => {
      try {
        return await server.refresh(connection, presented);
      } catch (error) {
        if (error.name !== 'InDoubt') throw error;
        return server.refresh(await server.connect(), presented);
      }
    },
  }),
};

const BUILDS = {
  'no-presenting-record': noPresentingRecord,
  'lease-instead-of-version': leaseInsteadOfVersion,
  'second-send': secondSend,
};

/** What this process's build does wrong; nothing, unless the campaign asked for it. */
export const sabotage = BUILDS[process.env.CAMPAIGN_SABOTAGE] ?? {};
