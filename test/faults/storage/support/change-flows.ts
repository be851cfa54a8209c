import { realPosts, RUNNERS } from '../../../posts/support/posts.ts';
import { queueAt } from '../../../posts/support/queue.ts';
import { rawForm, sendRaw } from '../../../support/callers/raw-request.ts';
import { endOf, type Flow, type FlowEnd, wrong } from './flow.ts';
import type { CallStage } from './stage.ts';

/** Old calls that change one post: what was answered with 503 was not sent, and nothing is sent twice. */

/** A change of one post, in a queue that sends nothing while a test runs. */
interface Change {
  name: 'update' | 'destroy' | 'move_to_top';
  /** The post that is changed next, and what is sent of it. */
  begin(round: number): Promise<{ id: string; fields?: Record<string, string> }>;
  isDone(id: string, fields?: Record<string, string>): Promise<boolean>;
}

type ChangeName = Change['name'];

function changesOf({ door }: CallStage): Record<ChangeName, Omit<Change, 'name'>> {
  const from = { context: door.bridge.context, apiUrl: door.proxy.origin };
  const queue = queueAt(from);
  const textOf = async (id: string) => {
    const posts = await realPosts(from.context, { apiUrl: from.apiUrl, since: 0, organizationId: RUNNERS });
    return posts.find((post) => post.id === id)?.text;
  };
  return {
    update: {
      async begin(round) {
        const [id = ''] = round === 1 ? await queue.fill(1) : await queue.order();
        return { id, fields: { text: `changed ${round}` } };
      },
      isDone: async (id, fields) => (await textOf(id)) === fields?.['text'],
    },
    destroy: {
      begin: async () => ({ id: await queue.add() }),
      isDone: async (id) => !(await queue.order()).includes(id),
    },
    move_to_top: {
      async begin(round) {
        const ids = round === 1 ? await queue.fill(2) : await queue.order();
        return { id: ids.at(-1) ?? '' };
      },
      isDone: async (id) => (await queue.order())[0] === id,
    },
  };
}

/** A change of one post. */
export function changeFlow(stage: CallStage, name: ChangeName): Flow {
  const { door, connected } = stage;
  const { begin, isDone } = changesOf(stage)[name];
  let [round, before] = [0, 0];
  let next: Awaited<ReturnType<Change['begin']>> = { id: '' };
  const requests = () =>
    door.proxy.readings().filter(({ body }) => body.includes('mutation Write') && body.includes(next.id))
      .length;
  const sent = () => requests() - before;
  const change = async (): Promise<FlowEnd> => {
    const body = new URLSearchParams({ access_token: connected.token, ...next.fields }).toString();
    const path = `/1/updates/${next.id}/${name}.json`;
    return endOf(await sendRaw(door.bridgeUrl, { method: 'POST', path, ...rawForm(body) }));
  };
  return {
    name,
    async prepare() {
      next = await begin((round += 1));
      before = requests();
    },
    async run() {
      const end = await change();
      if (end.kind === 'unavailable' && sent() > 0) return wrong(`503 although it was sent: ${end.said}`);
      return end;
    },
    async again(first) {
      const end = first.kind === 'done' ? first : await change();
      if (end.kind !== 'done') return end;
      if (sent() !== 1) return wrong(`${sent()} requests for one change`);
      return (await isDone(next.id, next.fields)) ? end : wrong('it was told as done, and is not');
    },
  };
}
