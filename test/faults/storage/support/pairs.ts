import type { Context } from '../../../../src/domain/context.ts';
import type { Grant } from '../../../../src/store/tables/tables.ts';
import { openRefreshToken } from '../../../../src/domain/grants/sealed-pair.ts';
import type { RecordingProxy } from '../../../support/servers/recording-proxy.ts';
import {
  digestOf,
  type Note,
  type Presentation,
  type Received,
} from '../../../verification/shared/checker/history.ts';

/** What became of every refresh token that the new API gave out: held, spent or revoked, and none presented twice. */
export interface PairWatch {
  presentations: Presentation[];
  received: Received[];
  /** Every pair that was seen in the database. */
  notes: Note[];
  /** Looks which grant holds which pair: the end of a grant erases its pair. */
  note(context: Context): Promise<void>;
  /** In words, everything that is wrong by now. */
  findHarm(context: Context): Promise<string[]>;
}

const tokenIn = (body: Buffer): unknown =>
  (JSON.parse(body.toString()) as { refresh_token?: unknown }).refresh_token;

/** The refresh tokens that grants hold, with their grants. */
async function heldBy(context: Context): Promise<Map<string, Grant>> {
  const grants = await context.store.durable.selectFrom('grants').selectAll().execute();
  const holding = grants.filter((grant) => grant.refresh_token_sealed !== null);
  return new Map(holding.map((grant) => [openRefreshToken(context, grant), grant]));
}

const noteOf = (token: string, { id, version }: Grant): Note => ({
  at: Date.now(),
  pid: process.pid,
  process: 0,
  what: 'received',
  grantId: id,
  version,
  token: digestOf(token),
});

/** Whether an account holder ended a grant, by a newer consent too, or its app has its pair: then it is erased here. */
async function wasEnded(context: Context, grantId: string | undefined): Promise<boolean> {
  if (grantId === undefined) return false;
  const grant = await context.store.durable
    .selectFrom('grants')
    .select('dead_cause')
    .where('id', '=', grantId)
    .executeTakeFirst();
  return ['deauthorized', 'replaced', 'handed_over'].includes(grant?.dead_cause ?? '');
}

/** Records what the token endpoint gets and gives. */
function record(proxy: RecordingProxy) {
  const [presentations, received, issued] = [[] as Presentation[], [] as Received[], new Set<string>()];
  proxy.onTokenAnswer = (call, answer) => {
    const next = answer.status === 200 ? tokenIn(answer.body) : undefined;
    if (typeof next === 'string') issued.add(next);
    const { at, refreshToken } = call;
    const token = refreshToken === undefined ? {} : { token: digestOf(refreshToken) };
    if (refreshToken !== undefined) presentations.push({ at, token: digestOf(refreshToken) });
    received.push({
      at,
      kind: refreshToken === undefined ? 'code' : 'refresh',
      ...token,
      repeated: false,
      status: answer.status,
      answeredAt: Date.now(),
      ...(typeof next === 'string' && { next: digestOf(next) }),
    });
    return answer;
  };
  return { presentations, received, issued };
}

/** Watches the token endpoint from here on. */
export function watchPairs(proxy: RecordingProxy): PairWatch {
  const { presentations, received, issued } = record(proxy);
  const grantOf = new Map<string, string>();
  const notes: Note[] = [];
  async function findLost(context: Context): Promise<string[]> {
    const spent = new Set([...proxy.refreshes().map(({ refreshToken }) => refreshToken), ...proxy.revoked()]);
    const held = await heldBy(context);
    const gone = [...issued].filter((token) => !spent.has(token) && !held.has(token));
    const lost: string[] = [];
    for (const token of gone) if (!(await wasEnded(context, grantOf.get(token)))) lost.push(token);
    // What is wrong is told once.
    for (const token of gone) issued.delete(token);
    return lost;
  }
  return {
    presentations,
    received,
    notes,
    async note(context) {
      for (const [token, grant] of await heldBy(context)) {
        if (!grantOf.has(token)) notes.push(noteOf(token, grant));
        grantOf.set(token, grant.id);
      }
    },
    async findHarm(context) {
      const tokens = presentations.map(({ token }) => token);
      const twice = tokens.filter((token, at) => tokens.indexOf(token) !== at);
      const { entries } = await context.spill.list();
      return [
        ...twice.map(() => 'a refresh token was presented twice'),
        ...(await findLost(context)).map(() => 'a pair that the new API gave is held by nobody'),
        ...entries.map(() => 'a pair still waits in the spill'),
      ];
    },
  };
}
