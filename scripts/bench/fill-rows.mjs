// The rows of the bridge behind one token of a benchmark, and behind one code.
import { pairPlace } from '../../dist/domain/keys/sealing-context.js';
import {
  accountIdOf,
  accountOf,
  CALLBACK,
  channelIdOf,
  channelsOf,
  clientIdOf,
  codeOf,
  idOf,
  organizationIdOf,
  postsOf,
  tokenOf,
} from './rows.mjs';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** The grant of an index. */
export const grantIdOf = (index) => idOf(`grant ${index}`);

/** A sealed pair as the stub of the new API gives the first of a grant, where one is wanted. */
function pairOf(index, { vault, pairs }) {
  if (!pairs) return {};
  const id = grantIdOf(index);
  return {
    access_token_sealed: vault.seal(pairPlace(id, 1, 'access_token'), `a${index}.1`),
    refresh_token_sealed: vault.seal(pairPlace(id, 1, 'refresh_token'), `r${index}.1`),
  };
}

/** The first `live` grants have an access token for a day; the token of every other has ended. */
function grantRow(index, filling) {
  const { now, pairs } = filling;
  const until = pairs && index >= pairs.live ? now : now + DAY;
  return {
    id: grantIdOf(index),
    client_id: clientIdOf(index),
    account_id: accountIdOf(index),
    modern_client_id: 'bridge',
    state: 'ready',
    version: 1,
    scope: 'account:read posts:read',
    access_expires_at: until,
    refresh_at: until,
    created_at: now,
    updated_at: now,
    rotated_at: now,
    ...pairOf(index, filling),
  };
}

function mappingRow(index, { now, vault }) {
  const token = tokenOf(index);
  return {
    id: idOf(`mapping ${index}`),
    token_digest: vault.digest(token),
    hint_first: token.slice(2, 6),
    hint_last: token.slice(-4),
    client_id: clientIdOf(index),
    account_id: accountIdOf(index),
    grant_id: grantIdOf(index),
    state: 'active',
    source: 'issued',
    created_at: now,
    updated_at: now,
  };
}

function accountRow(index, { now }) {
  const { id, name, email, timezone } = accountOf(index);
  return { account_id: id, name, email, timezone, updated_at: now };
}

/** The last answer of the new API, as the bridge keeps it. */
const answerRow = (index, { now }) => ({
  grant_id: grantIdOf(index),
  body: JSON.stringify({ account: accountOf(index), channels: channelsOf(index) }),
  organization_ids: JSON.stringify([organizationIdOf(index)]),
  fetched_at: now,
});

/** A whole list of the first channel, as the bridge keeps it after a first call. */
function listRow(index, list, { now }) {
  const posts = postsOf(index, list);
  const kept = {
    startedAt: now,
    pages: [{ offset: 0, posts, readAt: now }],
    marks: [],
    length: posts.length,
  };
  return {
    id: `${grantIdOf(index)} ${list} ${channelIdOf(index, 0)}`,
    grant_id: grantIdOf(index),
    body: JSON.stringify(kept),
    length: posts.length,
    fetched_at: now,
  };
}

const toldRows = (index, { now }) =>
  [['account', accountIdOf(index)], ...channelsOf(index).map(({ id }) => ['profile', id])].map(
    ([kind, id]) => ({
      client_id: clientIdOf(index),
      kind,
      modern_id: id,
      told_id: id,
      told_at: now,
    }),
  );

/** Everything that stands behind one token: the rows of the durable database, and of the volatile one. */
export function rowsOf(index, filling) {
  const lists = filling.lists ? ['pending', 'sent'] : [];
  return {
    durable: {
      accounts: [accountRow(index, filling)],
      grants: [grantRow(index, filling)],
      mappings: [mappingRow(index, filling)],
      told_ids: toldRows(index, filling),
    },
    volatile: {
      answers: [answerRow(index, filling)],
      post_answers: lists.map((list) => listRow(index, list, filling)),
    },
  };
}

/** A code of the person behind a token. It lives longer than a real one, so that all can be made beforehand. */
export function codeRow(index, { now, vault, tokens }) {
  const of = index % tokens;
  return {
    code_digest: vault.digest(codeOf(index)),
    client_id: clientIdOf(of),
    redirect_uri: CALLBACK,
    redirect_uri_given: 1,
    account_id: accountIdOf(of),
    grant_id: grantIdOf(of),
    created_at: now,
    expires_at: now + HOUR,
  };
}
