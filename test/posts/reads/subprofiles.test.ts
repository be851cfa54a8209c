import { type Door, openDoor } from '../../endpoints/support/door.ts';
import { knock } from '../../endpoints/support/knock.ts';
import { rawForm } from '../../support/callers/raw-request.ts';
import { connectReader, type Reader, TWITTER } from '../support/reader.ts';

/** Boards of Pinterest profiles, which an old program reads before it makes a pin. */

const PINTEREST = '5e1f0c9a7b3d4e2f8a6c3d09';

let door: Door;
let reader: Reader;

beforeEach(async () => {
  door = await openDoor();
  reader = await connectReader(door);
});

afterEach(async () => {
  door.proxy.insteadOfOther = undefined;
  await door.stop();
});

type Profiles = Array<{ id: string; subprofiles?: Array<{ id: string; name: string; service: string }> }>;

async function profiles(query = ''): Promise<Profiles> {
  const { status, json } = await reader.get(`/1/profiles.json${query}`);
  expect(status).toBe(200);
  return json as Profiles;
}

const BOARDS = [
  { id: 'breads', name: 'Breads', service: 'pinterest' },
  { id: 'cakes', name: 'Cakes for feasts', service: 'pinterest' },
  { id: 'shop', name: 'In the shop', service: 'pinterest' },
];

/** How many requests the new API gets while `work` runs. */
async function requests(work: () => Promise<unknown>): Promise<number> {
  const before = door.proxy.readings().length;
  await work();
  return door.proxy.readings().length - before;
}

test.each(['1', 'true'])(
  'subprofiles=%s tells the boards of Pinterest alone, for one request',
  async (flag) => {
    await profiles();
    let told: Profiles = [];
    expect(await requests(async () => (told = await profiles(`?subprofiles=${flag}&locked=true`)))).toBe(1);
    expect(told.find(({ id }) => id === PINTEREST)?.subprofiles).toEqual(BOARDS);
    expect(told.find(({ id }) => id === TWITTER)).not.toHaveProperty('subprofiles');
    const again = requests(async () => {
      expect(await profiles(`?subprofiles=${flag}`)).toEqual(told);
      const { json } = await reader.get(`/1/profiles/${PINTEREST}.json?subprofiles=${flag}`);
      expect(json).toMatchObject({ id: PINTEREST, subprofiles: BOARDS });
    });
    expect(await again).toBe(0);
  },
);

test.each(['', '?subprofiles=0', '?subprofiles=what'])('nobody asks for boards with "%s"', async (query) => {
  const plain = await profiles();
  let told: Profiles = [];
  expect(await requests(async () => (told = await profiles(query)))).toBe(0);
  expect(told).toEqual(plain);
  for (const profile of told) expect(profile).not.toHaveProperty('subprofiles');
});

/** The new API answers so to who asks for boards. */
function answerBoards(answer: object): void {
  door.proxy.insteadOfOther = ({ body }) =>
    body.includes('boards')
      ? {
          status: 200,
          headers: { 'content-type': 'application/json' },
          body: Buffer.from(JSON.stringify(answer)),
        }
      : undefined;
}

const FAILED = [{ message: 'The query costs too much.' }];

test('boards that the new API does not tell are absent, and asked for no more often', async () => {
  answerBoards({ data: { o0: [{ id: PINTEREST, metadata: null }] }, errors: FAILED });
  const told = await profiles('?subprofiles=1');
  expect(told.find(({ id }) => id === PINTEREST)).not.toHaveProperty('subprofiles');
  expect(await requests(() => profiles('?subprofiles=1'))).toBe(0);
});

test('an answer without the channels says nothing about boards', async () => {
  answerBoards({ data: null, errors: FAILED });
  expect((await reader.get('/1/profiles.json?subprofiles=1')).status).toBe(503);
  door.proxy.insteadOfOther = undefined;
  const told = await profiles('?subprofiles=1');
  expect(told.find(({ id }) => id === PINTEREST)?.subprofiles).toEqual(BOARDS);
});

test('the id of a board is what a create takes', async () => {
  const told = await profiles('?subprofiles=1');
  const id = told.find((profile) => profile.id === PINTEREST)?.subprofiles?.[1]?.id ?? '';
  const form = new URLSearchParams({
    'profile_ids[]': PINTEREST,
    text: 'Three tiers',
    'media[photo]': 'https://bakery.example/cake.jpg',
    'subprofile_ids[]': id,
  }).toString();
  const headers = { authorization: `Bearer ${reader.token}` };
  const sent = { method: 'POST', path: '/1/updates/create.json', ...rawForm(form, headers) };
  expect((await knock(door, sent)).json).toMatchObject({ success: true });
});
