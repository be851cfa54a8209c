import { read } from '../../../support/callers/legacy-calls.ts';
import { rawForm, sendRaw } from '../../../support/callers/raw-request.ts';
import { endOf, type Flow, wrong } from './flow.ts';
import type { CallStage } from './stage.ts';

/** A post. What was answered with 503 was not posted, and nothing is posted twice. */
export function createFlow({ door, connected }: CallStage): Flow {
  let [made, text, profileId] = [0, '', ''];
  const sent = () =>
    door.proxy.readings().filter(({ body }) => body.includes('createPost') && body.includes(text)).length;
  const create = () => {
    const fields = { access_token: connected.token, text, 'profile_ids[]': profileId };
    const body = new URLSearchParams(fields).toString();
    return sendRaw(door.bridgeUrl, { method: 'POST', path: '/1/updates/create.json', ...rawForm(body) });
  };
  return {
    name: 'create',
    async prepare() {
      const { json } = await read(door, '/1/profiles.json', connected.token);
      const profiles = json as Array<{ id: string; service: string }>;
      profileId = profiles.find(({ service }) => service === 'twitter')?.id ?? '';
      text = `post ${(made += 1)} of faults`;
    },
    async run() {
      const end = endOf(await create());
      const count = sent();
      if (end.kind === 'unavailable' && count > 0) return wrong(`503 although it was posted: ${end.said}`);
      return end.kind === 'done' && count !== 1 ? wrong(`${count} requests for one post`) : end;
    },
    async again({ kind }) {
      if (kind === 'done') return { kind: 'done', said: '' };
      const end = endOf(await create());
      return end.kind === 'done' && sent() !== 1 ? wrong(`${sent()} requests for one post`) : end;
    },
  };
}
