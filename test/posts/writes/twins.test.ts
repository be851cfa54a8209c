import { openAccessToken } from '../../../src/domain/grants/sealed-pair.ts';
import { expectRefusal } from '../../endpoints/support/expectations.ts';
import { sendRaw } from '../../support/callers/raw-request.ts';
import { cut, isWrite } from '../support/bakery.ts';
import {
  answeredBy,
  door,
  get,
  learn,
  makePost,
  oldOf,
  pendingIds,
  post,
  reader,
  withTwoGenerations,
  writes,
} from '../support/two-generations.ts';

/** A post that says the same at the same time as the one that an id means: a write by that id never reaches it. */

withTwoGenerations();

afterEach(() => {
  door.proxy.onOtherAnswer = undefined;
});

/** A post and its twin, of which the old API showed the post, under its id unless another is given. */
async function withTwin(oldId?: string) {
  const real = await makePost();
  const twin = await makePost({ text: real.text, dueAt: real.dueAt });
  await learn(oldOf(real, oldId ?? real.id));
  return { real, twin };
}

/** A person deletes a post at the new API, past the bridge. */
async function removePast(id: string): Promise<void> {
  const accessToken = openAccessToken(door.bridge.context, await reader.grant());
  const headers = { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' };
  const query = 'mutation($input: DeletePostInput!) { deletePost(input: $input) { __typename } }';
  const body = JSON.stringify({ query, variables: { input: { id } } });
  const { status } = await sendRaw(door.proxy.origin, { method: 'POST', path: '/', headers, body });
  expect(status).toBe(200);
}

function loseNextAnswer(): void {
  let isLost = false;
  door.proxy.onOtherAnswer = (call, answer) => {
    if (!isWrite(call) || isLost) return answer;
    isLost = true;
    return cut();
  };
}

const destroy = (id: string) => post(`updates/${id}/destroy.json`);

/** Nothing that the caller may do by the id of a post that is gone reaches its twin. */
async function expectUntouched({ real, twin }: Awaited<ReturnType<typeof withTwin>>): Promise<void> {
  expectRefusal(await get(real.id), 404, 1020);
  expect((await pendingIds()).includes(twin.id)).toBe(true);
  expectRefusal(await destroy(real.id), 404, 1020);
  expect((await get(twin.id)).json).toMatchObject({ id: twin.id, text: twin.text });
}

test('a delete whose answer is lost is sent once, and never for the twin', async () => {
  const both = await withTwin();
  await answeredBy('new');
  loseNextAnswer();
  let answer: Awaited<ReturnType<typeof post>> | undefined;
  expect(await writes(async () => (answer = await destroy(both.real.id)))).toEqual(['deletePost']);
  expect(answer?.status).toBe(404);
  await expectUntouched(both);
});

test('a delete of a post that a person deleted before finds nothing', async () => {
  const both = await withTwin();
  await removePast(both.real.id);
  await answeredBy('new');
  expect(await writes(() => destroy(both.real.id))).toEqual(['deletePost']);
  expect((await get(both.twin.id)).status).toBe(200);
});

test('where the generations have other ids, too', async () => {
  const both = await withTwin('5e1f0c9a7b3d4e2f8a6cffff');
  await removePast(both.real.id);
  await answeredBy('new');
  expectRefusal(await destroy('5e1f0c9a7b3d4e2f8a6cffff'), 404, 1020);
  expect((await get(both.twin.id)).status).toBe(200);
});

describe('where a post of the account was met under its old id', () => {
  const meetings = {
    'a read': (id: string) => get(id),
    'a change': (id: string) => post(`updates/${id}/update.json`, { text: 'Met' }),
    'a list': () => pendingIds(),
  };

  test.each(Object.entries(meetings))('by %s, no id leads to a twin', async (_how, meet) => {
    const met = await makePost();
    await learn(oldOf(met, met.id));
    const both = await withTwin();
    await removePast(both.real.id);
    await answeredBy('new');
    await meet(met.id);
    for (const call of ['share', 'move_to_top', 'update', 'destroy'])
      expectRefusal(await post(`updates/${both.real.id}/${call}.json`, { text: 'Changed' }), 404, 1020);
    await expectUntouched(both);
  });

  test('a pair that was made before is of no account any more', async () => {
    const met = await makePost();
    await learn(oldOf(met, met.id));
    const both = await withTwin();
    await removePast(both.real.id);
    await answeredBy('new');
    expect((await get(both.real.id)).status).toBe(200);
    await get(met.id);
    expectRefusal(await destroy(both.real.id), 404, 1020);
    expect((await get(both.twin.id)).status).toBe(200);
  });
});
