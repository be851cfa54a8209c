import { SECOND } from '../../../src/shared/lifetimes.ts';
import { type RawAnswer, sendRaw } from '../../support/callers/raw-request.ts';
import {
  answeredBy,
  door,
  learn,
  makePost,
  oldOf,
  post,
  reader,
  withTwoGenerations,
} from '../support/two-generations.ts';

/** Reads that the new API does not answer, beside a call whose program waits for twenty seconds. */

withTwoGenerations();

const MEDIA = { text: 'With a picture', 'media[photo]': 'https://images.example/a.png' };

/** The answer to a call, and how long it took, while the new API keeps these reads to itself. */
async function whileSilent(kind: string, call: () => Promise<RawAnswer>) {
  const held: Array<() => void> = [];
  door.proxy.onOtherCall = ({ body }) =>
    body.includes(`"query":"query ${kind}`)
      ? new Promise<void>((resolve) => held.push(resolve))
      : Promise.resolve();
  const began = performance.now();
  const answer = await call();
  const seconds = (performance.now() - began) / SECOND;
  door.proxy.onOtherCall = undefined;
  for (const release of held) release();
  expect(held).toHaveLength(1);
  return { answer, seconds };
}

/** A post that the old API showed by an id of its own; that id. */
async function learnedId(): Promise<string> {
  const shown = oldOf(await makePost());
  await learn(shown);
  await answeredBy('new');
  return shown.id;
}

/** Past the time that other tests give every answer. */
const read = (id: string) =>
  sendRaw(door.bridgeUrl, {
    path: `/1/updates/${id}.json`,
    headers: { authorization: `Bearer ${reader.token}` },
  });

test.each<[string, string, (id: string) => Promise<RawAnswer>]>([
  ['the post before an update with media', 'Look', (id) => post(`updates/${id}/update.json`, MEDIA)],
  ['the posts among which the one of an old id is', 'Posts', (id) => post(`updates/${id}/share.json`)],
  ['those posts for a call that reads', 'Posts', read],
])('a caller is told in time that the new API does not say %s', async (_which, kind, call) => {
  const id = await learnedId();
  const { answer, seconds } = await whileSilent(kind, () => call(id));
  expect([answer.status, answer.json]).toMatchObject([503, { code: 1000 }]);
  expect(answer.headers['retry-after']).toBeDefined();
  expect(seconds).toBeLessThan(13);
});
