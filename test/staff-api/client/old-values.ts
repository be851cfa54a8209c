import { exchangeFields, freshCode, issueToken } from '../../support/callers/legacy-calls.ts';
import { rawForm, sendRaw } from '../../support/callers/raw-request.ts';
import type { System } from '../../support/bridge/system.ts';
import { OWN_CLIENT } from '../../exchange/support/own-client.ts';
import { CHANNELS } from '../../posts/support/posts.ts';
import type { CallValues } from './program-text.ts';

/** Good values for each address of the old API and of the exchange, with something new to act on. */

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

async function newPost({ bridgeUrl }: System, token: string): Promise<string> {
  const body = new URLSearchParams({ text: `Post ${Math.random()}`, 'profile_ids[]': CHANNELS.twitter });
  const answer = await sendRaw(bridgeUrl, {
    method: 'POST',
    path: '/1/updates/create.json',
    ...rawForm(body.toString(), bearer(token)),
  });
  return (answer.json as { updates: Array<{ id: string }> }).updates[0]?.id ?? '';
}

/** The calls that name nothing but their account. */
const plain = (token: string): Record<string, CallValues> =>
  Object.fromEntries(
    ['user', 'profiles', 'configuration', 'shares'].flatMap((name) => [
      [`old_${name}_get`, { parameters: {}, ...bearer(token) }],
      [`old_${name}_post`, { parameters: {}, body: {}, ...bearer(token) }],
    ]),
  );

/** The calls of one profile. */
function ofProfile(token: string): Record<string, CallValues> {
  const parameters = { id: CHANNELS.twitter };
  const reads = ['profile', 'schedules', 'pendingUpdates', 'sentUpdates'].flatMap((name) => [
    [`old_${name}_get`, { parameters, ...bearer(token) }],
    [`old_${name}_post`, { parameters, body: {}, ...bearer(token) }],
  ]);
  const writes = ['updateSchedules', 'shuffleUpdates'].map((name) => [
    `old_${name}_post`,
    { parameters, body: {}, ...bearer(token) },
  ]);
  return Object.fromEntries([...reads, ...writes]);
}

/** The calls of one post, each with a post of its own. */
async function ofPost(system: System, token: string): Promise<Record<string, CallValues>> {
  const on = async (body?: object) => ({
    parameters: { id: await newPost(system, token) },
    body,
    ...bearer(token),
  });
  return {
    old_createUpdate_post: {
      parameters: {},
      body: { text: 'A post of the client', 'profile_ids[]': CHANNELS.twitter },
      ...bearer(token),
    },
    old_reorderUpdates_post: {
      parameters: { id: CHANNELS.twitter },
      body: { 'order[]': await newPost(system, token) },
      ...bearer(token),
    },
    old_update_get: await on(),
    old_update_post: await on({}),
    old_interactions_get: await on(),
    old_interactions_post: await on({}),
    old_changeUpdate_post: await on({ text: 'Changed by the client' }),
    old_shareUpdate_post: await on({}),
    old_destroyUpdate_post: await on({}),
    old_moveUpdateToTop_post: await on({}),
  };
}

/** A token that the shared client serves. A call that ends it ends every token of its app and account. */
const tokenOfNewApp = async (system: System) =>
  issueToken(system, { app: await system.registerApp('https://old-app.example/callback') });

/** The calls that end a token, each of an app of its own. */
async function endings(system: System): Promise<Record<string, CallValues>> {
  const names = ['get', 'post', 'get_short', 'post_short'];
  const values = names.map(async (name) => [
    `old_deauthorize_${name}`,
    { parameters: {}, ...(name.startsWith('post') && { body: {} }), ...bearer(await tokenOfNewApp(system)) },
  ]);
  return Object.fromEntries(await Promise.all(values)) as Record<string, CallValues>;
}

/** The calls of the consent and of the exchange. */
async function tokenCalls(system: System): Promise<Record<string, CallValues>> {
  const { app } = system;
  const other = await system.registerApp('https://old-app.example/callback');
  const asked = { client_id: app.clientId, redirect_uri: app.callback, response_type: 'code', state: 'x' };
  const exchange = {
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    subject_token: await issueToken(system),
    subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
  };
  const { clientId, clientSecret } = OWN_CLIENT;
  const basic = Buffer.from(`${clientId}:${clientSecret}`).toString('base64');
  return {
    old_authorize: { parameters: asked },
    old_token: { parameters: {}, body: exchangeFields(other, await freshCode(system, { app: other })) },
    exchange_token: { parameters: {}, body: exchange, authorization: `Basic ${basic}` },
  };
}

/** The values by operation. */
export async function oldValues(system: System): Promise<Record<string, CallValues>> {
  const token = await tokenOfNewApp(system);
  return {
    ...plain(token),
    ...ofProfile(token),
    ...(await ofPost(system, token)),
    ...(await endings(system)),
    ...(await tokenCalls(system)),
  };
}

/** What is not answered with 200: a redirect of a person, and posting times, which no program changes any more. */
export const OTHER_STATUS: Readonly<Record<string, number>> = {
  old_authorize: 302,
  old_updateSchedules_post: 400,
};
