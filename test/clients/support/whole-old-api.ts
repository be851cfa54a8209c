import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { newHexId } from '../../../src/shared/ids.ts';
import { bodyOf } from '../../support/servers/forward.ts';
import { portOf } from '../../support/servers/free-port.ts';

/**
 * A stand-in for the old API with all nineteen calls, in the recorded shapes, over a real socket. It keeps the updates that
 * it is sent, and marks every object of its answers, so that a test sees which side a client was answered by.
 */

export const OLD_MARK = { answered_by: 'the old API' };

type Fields = URLSearchParams;

interface Update {
  id: string;
  profile_id: string;
  user_id: string;
  text: string;
  status: 'buffer' | 'sent';
  created_at: number;
}

/** What one account has there. */
export interface OldWorld {
  /** All that stand for this account. */
  tokens: Set<string>;
  user: { id: string } & Record<string, unknown>;
  profiles: Array<{ id: string } & Record<string, unknown>>;
}

export interface WholeOldApi {
  url: string;
  /** `METHOD path` of every request, without the query. */
  seen: string[];
  close(): Promise<void>;
}

interface Answer {
  status: number;
  body: unknown;
}

interface Call {
  world: OldWorld;
  updates: Update[];
  /** What stands in the path for `:id`. */
  id: string;
  fields: Fields;
  token: string;
}

const ok = (body: unknown): Answer => ({ status: 200, body });
const refuse = (status: number, code: number, error: string): Answer => ({ status, body: { error, code } });

const NO_UPDATE = refuse(404, 1020, 'Update could not be found.');
const NO_PROFILE = refuse(404, 1010, 'Profile could not be found.');

const shown = (update: Update) => ({ _id: update.id, ...update, ...OLD_MARK });

const listOf = (fields: Fields, name: string) =>
  [...fields].filter(([key]) => key.startsWith(`${name}[`)).map(([, value]) => value);

const withProfile = (act: (call: Call) => Answer) => (call: Call) =>
  call.world.profiles.some(({ id }) => id === call.id) ? act(call) : NO_PROFILE;

const withUpdate = (act: (call: Call, update: Update) => Answer) => (call: Call) => {
  const update = call.updates.find(({ id }) => id === call.id);
  return update ? act(call, update) : NO_UPDATE;
};

const inStatus = (status: Update['status']) =>
  withProfile(({ updates, id }) => {
    const found = updates.filter((one) => one.profile_id === id && one.status === status);
    return ok({ total: found.length, updates: found.map(shown), ...OLD_MARK });
  });

function create({ world, updates, fields }: Call): Answer {
  const ids = listOf(fields, 'profile_ids').filter((id) => world.profiles.some((one) => one.id === id));
  if (ids.length === 0)
    return { status: 400, body: { success: false, message: 'Parameter missing.', code: 1004 } };
  const made = ids.map((profile_id): Update => {
    const text = fields.get('text') ?? '';
    const created_at = Math.floor(Date.now() / 1000);
    return { id: newHexId(), profile_id, user_id: world.user.id, text, status: 'buffer', created_at };
  });
  updates.push(...made);
  return ok({ success: true, buffer_count: 1, buffer_percentage: 10, updates: made.map(shown), ...OLD_MARK });
}

const DONE = { success: true, ...OLD_MARK };

const reordered = withProfile(({ updates, id }) =>
  ok({ ...DONE, updates: updates.filter((one) => one.profile_id === id).map(shown) }),
);

const CALLS: Record<string, (call: Call) => Answer> = {
  'GET user': ({ world }) => ok({ _id: world.user.id, ...world.user, ...OLD_MARK }),
  'GET profiles': ({ world }) => ok(world.profiles.map((profile) => ({ ...profile, ...OLD_MARK }))),
  'GET profiles/:id': withProfile(({ world, id }) =>
    ok({ ...world.profiles.find((one) => one.id === id), ...OLD_MARK }),
  ),
  'GET profiles/:id/schedules': withProfile(() => ok([{ days: ['mon'], times: ['09:00'], ...OLD_MARK }])),
  'POST profiles/:id/schedules/update': withProfile(() => ok(DONE)),
  'GET profiles/:id/updates/pending': inStatus('buffer'),
  'GET profiles/:id/updates/sent': inStatus('sent'),
  'POST profiles/:id/updates/reorder': reordered,
  'POST profiles/:id/updates/shuffle': reordered,
  'POST updates/create': create,
  'GET updates/:id': withUpdate((_call, update) => ok(shown(update))),
  'GET updates/:id/interactions': withUpdate(() => ok({ total: 0, interactions: [], ...OLD_MARK })),
  'POST updates/:id/update': withUpdate(({ fields }, update) => {
    update.text = fields.get('text') ?? '';
    return ok({ ...DONE, update: shown(update) });
  }),
  'POST updates/:id/share': withUpdate((_call, update) => {
    update.status = 'sent';
    return ok(DONE);
  }),
  'POST updates/:id/destroy': withUpdate(({ updates }, update) => {
    updates.splice(updates.indexOf(update), 1);
    return ok({ ...DONE, message: 'Update deleted.' });
  }),
  'POST updates/:id/move_to_top': withUpdate((_call, update) => ok(shown(update))),
  'POST user/deauthorize': ({ world, token }) => {
    world.tokens.delete(token);
    return ok({ success: true, message: 'Access successfully revoked!', ...OLD_MARK });
  },
  'GET info/configuration': () => ok({ services: {}, media: {}, ...OLD_MARK }),
};

const SHARES = ok({ shares: 47348, ...OLD_MARK });

const ID = /(?<=^(?:profiles|updates)\/)[0-9a-f]{24}(?=\/|$)/;

function answerTo(
  world: OldWorld,
  updates: Update[],
  asked: { call: string; token: string; fields: Fields },
) {
  const { token, fields } = asked;
  const [method = '', path = ''] = asked.call.split(' ');
  if (path === 'links/shares') return SHARES;
  const id = ID.exec(path)?.[0] ?? '';
  const act = CALLS[`${method} ${path.replace(ID, ':id')}`];
  if (!act) return refuse(404, 404, 'The endpoint you requested was not found.');
  if (!world.tokens.has(token)) return refuse(401, 401, 'The provided access token is invalid');
  return act({ world, updates, id, fields, token });
}

/** Starts it on loopback for one account; its tokens may be changed while it runs. */
export async function startWholeOldApi(world: OldWorld): Promise<WholeOldApi> {
  const seen: string[] = [];
  const updates: Update[] = [];
  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(incoming.url ?? '/', 'http://old.invalid');
    const call = `${incoming.method} ${pathname.replace(/^\/1\//, '').replace(/\.json$/, '')}`;
    seen.push(call);
    const fields = new URLSearchParams((await bodyOf(incoming)).toString());
    const header = incoming.headers.authorization?.replace(/^Bearer /, '');
    const token = header ?? searchParams.get('access_token') ?? fields.get('access_token') ?? '';
    const { status, body } = answerTo(world, updates, { call, token, fields });
    // PHP puts a backslash before every slash.
    const text = Buffer.from(JSON.stringify(body).replaceAll('/', '\\/'));
    const headers = { 'Content-Type': 'application/json;charset=UTF-8', 'Content-Length': text.length };
    response.writeHead(status, headers).end(text);
  }
  const server: Server = createServer((incoming, response) => {
    serve(incoming, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${portOf(server)}`,
    seen,
    async close() {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
