// `node sign-in.mjs` with the settings of a filled installation in the environment: signs in the people whose pages are
// measured, does once what staff can take back, and prints their cookies with the ids that addresses name.
import { createHmac } from 'node:crypto';
import { openContext } from '../../../dist/app/open-context.js';
import { readConfig } from '../../../dist/config/config.js';
import { saveSession } from '../../../dist/domain/accounts/sessions.js';
import { sealPair } from '../../../dist/domain/grants/sealed-pair.js';
import { revokeByHand } from '../../../dist/domain/tokens/revoke-token.js';
import { newOpaqueValue } from '../../../dist/shared/ids.js';
import { IDS } from './more-rows.mjs';
import * as rows from './rows.mjs';

const config = readConfig();
const { context, close } = await openContext(config, config.upstream);
const now = context.clock.now();

/** The cookie of a person who is signed in, as the library signs it. */
async function cookieOf(person) {
  const id = newOpaqueValue();
  const accountId = rows.accountIdOf(person);
  const signedIn = { accountId, email: rows.addressOf(person), name: rows.nameOf(person) };
  const content = JSON.stringify({
    cookie: { originalMaxAge: 43_200_000, path: '/' },
    person: signedIn,
    signedInAt: now,
  });
  await saveSession(context, id, { content, accountId, signedInAt: now });
  const secret = context.vault.session().active.secret.toString('base64url');
  const mark = createHmac('sha256', secret).update(id).digest('base64').replace(/=+$/, '');
  return `__Host-gb_session=${encodeURIComponent(`s:${id}.${mark}`)}`;
}

/** The entry of a token of the largest app that staff revoked. */
async function revokedEntry() {
  const { durable } = context.store;
  const { id: mappingId } = await durable
    .selectFrom('mappings')
    .select('id')
    .where('client_id', '=', rows.clientIdOf(0))
    .where('state', '=', 'unmapped')
    .where('account_id', 'is not', null)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow();
  await revokeByHand(context, { mappingId, reason: 'the wrong one', actor: 'command', requestId: null });
  const entry = durable
    .selectFrom('events')
    .select('id')
    .where('mapping_id', '=', mappingId)
    .orderBy('id', 'desc');
  return String((await entry.executeTakeFirstOrThrow()).id);
}

const idWhere = async (narrow) => {
  const found = narrow(
    context.store.durable.selectFrom('mappings').select('id').orderBy('id', 'desc').limit(1),
  );
  return (await found.executeTakeFirstOrThrow()).id;
};

/** Tokens with which an action of support has something to do. */
const tokens = {
  unproven: await idWhere((all) => all.where('source', '=', 'observed').where('state', '=', 'active')),
  nobodys: await idWhere((all) => all.where('account_id', 'is', null).where('account_email', 'is not', null)),
};

/** The connection of the person with thousands of tokens to the largest app has a pair, as after a consent. */
async function keepPair() {
  const { durable } = context.store;
  const { id } = await durable
    .selectFrom('grants')
    .select('id')
    .where('client_id', '=', rows.clientIdOf(0))
    .where('account_id', '=', rows.accountIdOf(rows.HOLDER))
    .where('state', '<>', 'dead')
    .executeTakeFirstOrThrow();
  const pair = {
    accessToken: newOpaqueValue(),
    refreshToken: newOpaqueValue(),
    lifetime: rows.DAY,
    scope: 'account:read',
  };
  const sealed = sealPair(context, { id, version: 1, sentAt: now }, pair);
  await durable
    .updateTable('grants')
    .set({
      state: 'ready',
      access_token_sealed: sealed.accessTokenSealed,
      refresh_token_sealed: sealed.refreshTokenSealed,
      access_expires_at: sealed.accessExpiresAt,
    })
    .where('id', '=', id)
    .execute();
}
await keepPair();

const cookies = {};
const { OWNER, HOLDER, STAFF } = rows;
for (const [name, person] of Object.entries({ OWNER, HOLDER, STAFF })) cookies[name] = await cookieOf(person);
process.stdout.write(JSON.stringify({ cookies, ids: { ...IDS, ...tokens, entry: await revokedEntry() } }));
await close();
