// The builds that the campaign must catch: each is wrong in one of the ways that this bridge excludes by design.

/** A claim that writes nothing: every process may present what it has read. */
const noPresentingRecord = { claimPresenting: () => async () => true };

const LEASE_MS = 400;

const hasEnded = (grant) => grant.state === 'presenting' && Date.now() - grant.presented_at > LEASE_MS;

const withoutEnded = (original) => async (db, id) => {
  const grant = await original(db, id);
  return grant && hasEnded(grant) ? { ...grant, state: 'ready', retry_at: 0 } : grant;
};

/** A lock with a time limit is all that keeps two processes apart, and who comes last is stored. */
const leaseInsteadOfVersion = {
  findGrant: withoutEnded,
  readGrant: withoutEnded,
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

/** An answer of the modern side as one that says that nothing was spent. */
const asUnspent = (answer) => ({ ...answer, status: 429, body: '{}' });

const isJson = ({ body }) => {
  try {
    return JSON.parse(body) instanceof Object;
  } catch {
    return false;
  }
};

/** Answers that `isWrong` picks out are taken for a proof. */
const believing = (isWrong) => ({
  processTokenAnswer: (original) => (answer, expected) =>
    original(isWrong(answer) ? asUnspent(answer) : answer, expected),
});

/** A refusal that nobody can read proves something. */
const unreadRefusalProves = believing((answer) => [400, 401, 403].includes(answer.status) && !isJson(answer));

/** So does a server that asks to come again, whatever it did before. */
const busyProves = believing(({ status, headers }) => status === 503 && 'retry-after' in headers);

/** A pair for a grant that was given up as lost is thrown away, and revoked. */
const latePairDropped = { reviveWithRotation: () => async () => false };

/** A pair that came is called stored, and is nowhere. */
const pairDropped = { storeRotation: () => async () => true };

/** A doubt is settled at once: whoever holds the answer may still be about to bring it. */
const quietTimeIgnored = {
  createClaimAge: (original) => (clock) => ({
    ...original(clock),
    seenFor: () => Number.MAX_SAFE_INTEGER,
  }),
  doubtEndsAt:
    () =>
    ({ access_expires_at: expiresAt }) =>
      expiresAt,
};

/** Another live grant of the account on the same client is no reason not to present again. */
const siblingsForgotten = {
  mayPresentAgain: () => (isLive) => isLive ?? true,
  claimPresenting: (original) => (db, version, decision) =>
    original(db, version, { ...decision, ifAlone: false }),
};

/** A presentation whose end nobody knows is taken for one that never left. */
const silenceProves = {
  markInDoubt:
    () =>
    async (db, { id, version }, { claimId }) => {
      const { numUpdatedRows } = await db
        .updateTable('grants')
        .set({ state: 'ready', retry_at: 0 })
        .where('id', '=', id)
        .where('version', '=', version)
        .where('state', '=', 'presenting')
        .where('claim_id', '=', claimId)
        .executeTakeFirst();
      return numUpdatedRows === 1n;
    },
};

/** A spilled pair is removed before the database has it. */
const spillRemovedFirst = {
  spill: (spill) => ({
    ...spill,
    async list() {
      const found = await spill.list();
      for (const entry of found.entries) await spill.remove(entry);
      return found;
    },
  }),
};

/** A code that was used is claimed again. */
const codeClaimedTwice = {
  findCode: (original) => async (db, digests) => {
    const code = await original(db, digests);
    return code && { ...code, used_at: null };
  },
  claimCode:
    () =>
    (tx, { codeDigest }) =>
      tx.selectFrom('legacy_codes').selectAll().where('code_digest', '=', codeDigest).executeTakeFirst(),
};

const BUILDS = {
  'no-presenting-record': noPresentingRecord,
  'lease-instead-of-version': leaseInsteadOfVersion,
  'second-send': secondSend,
  'unread-refusal-proves': unreadRefusalProves,
  'busy-proves': busyProves,
  'late-pair-dropped': latePairDropped,
  'pair-dropped': pairDropped,
  'quiet-time-ignored': quietTimeIgnored,
  'siblings-forgotten': siblingsForgotten,
  'silence-proves': silenceProves,
  'spill-removed-first': spillRemovedFirst,
  'code-claimed-twice': codeClaimedTwice,
};

/** What this process's build does wrong; nothing, unless the campaign asked for it. */
export const sabotage = BUILDS[process.env.CAMPAIGN_SABOTAGE] ?? {};
