import { ANCHORS } from '../../../src/domain/new-calls/call-pairs.ts';
import { OLD_CALL_NAMES, type OldCallName } from '../../../src/domain/old-calls/old-calls.ts';
import { BAKERY, CHANNELS } from '../../posts/support/posts.ts';
import { type ExamplesWorld, startExamplesWorld } from './examples-world.ts';
import { missingFor, runCode } from './run-code.ts';
import { codeAt, type ExampleKind, languageFor, setUpOf } from './shown-code.ts';

/** Runs every example of the public page, old and new, as it stands there, and looks at what it has done. */

let world: ExamplesWorld;

type Ids = Partial<Record<'POST_ID' | 'NEXT_POST_ID' | 'UPDATE_ID' | 'NEXT_UPDATE_ID', string>>;

/** The page with a language in front; what it needs for its calls is added to each of them. */
async function run(language: ExampleKind, code: string, html: string, ids: Ids): Promise<string> {
  return runCode(language, `${setUpOf(html, language)}\n${code}`, { ...world.env, ...ids });
}

async function pageIn(language: ExampleKind): Promise<string> {
  return (await fetch(`${world.system.bridgeUrl}/migrate/calls?language=${languageFor(language)}`)).text();
}

const CREATED = 'Fresh bread from six o’clock.';
const CHANGED = 'Fresh bread from seven o’clock.';

/** What an example does, and how one sees that it did. */
interface Expectation {
  /** What it needs. */
  ids?: () => Promise<Ids>;
  /** What it prints, in any language. */
  prints: RegExp;
  /** Looks at what is there afterwards. */
  did?: (ids: Ids) => Promise<void>;
}

const onePost = async (): Promise<Ids> => {
  const id = await world.newPost('One post');
  return { POST_ID: id, UPDATE_ID: id };
};

/** Two that are the last ones of the queue, in this order. */
async function twoPosts(): Promise<Ids> {
  const [first, second] = [await world.newPost('One post'), await world.newPost('Another post')];
  return { POST_ID: second, NEXT_POST_ID: first, UPDATE_ID: second, NEXT_UPDATE_ID: first };
}

async function expectFirst(...ids: Array<string | undefined>): Promise<void> {
  const queue = await world.queue();
  expect(queue.slice(0, ids.length).map(({ id }) => id)).toEqual(ids);
}

const expectPost = async ({ POST_ID = '' }: Ids, expected: object | undefined) => {
  const post = await world.postOf(POST_ID);
  if (expected === undefined) expect(post).toBeUndefined();
  else expect(post).toMatchObject(expected);
};

const created = async () => (await world.queue()).filter(({ text }) => text === CREATED).length;

/** One more than there were, whoever made those. */
function oneCreated(): Pick<Expectation, 'ids' | 'did'> {
  let before = 0;
  return {
    async ids() {
      before = await created();
      return {};
    },
    did: async () => expect(await created()).toBe(before + 1),
  };
}

const moved: Pick<Expectation, 'ids' | 'did'> = {
  ids: twoPosts,
  did: ({ POST_ID, NEXT_POST_ID }) => expectFirst(POST_ID, NEXT_POST_ID),
};

const shared: Pick<Expectation, 'ids' | 'did'> = {
  ids: onePost,
  did: (ids) => expectPost(ids, { status: expect.stringMatching(/^(sending|sent)$/) }),
};

/** The steps of each new call; where there are several, what each prints. */
const NEW: Partial<Record<OldCallName, Expectation[]>> = {
  user: [{ prints: /demo@grantbridge\.example/ }],
  profiles: [{ prints: new RegExp(BAKERY) }, { prints: new RegExp(`${CHANNELS.twitter}[^]*twitter`) }],
  profile: [{ prints: new RegExp(`${CHANNELS.twitter}[^]*serviceId`) }],
  schedules: [{ prints: /postingSchedule[^]*mon[^]*\d\d:\d\d/ }],
  pendingUpdates: [{ ids: onePost, prints: /One post[^]*dueAt[^]*hasNextPage/ }],
  sentUpdates: [{ prints: /edges[^]*hasNextPage/ }],
  reorderUpdates: [{ prints: /second[^]*dueAt[^]*first[^]*dueAt/, ...moved }],
  shuffleUpdates: [
    { ids: onePost, prints: /edges[^]*[0-9a-f]{24}/ },
    { prints: /second[^]*dueAt[^]*first[^]*dueAt/, ...moved },
  ],
  createUpdate: [{ prints: /createPost[^]*scheduled/, ...oneCreated() }],
  update: [{ ids: onePost, prints: /One post[^]*channelService[^]*twitter/ }],
  changeUpdate: [
    { ids: onePost, prints: /editPost[^]*seven/, did: (ids) => expectPost(ids, { text: CHANGED }) },
  ],
  shareUpdate: [{ prints: /editPost[^]*(?:sending|sent)/, ...shared }],
  destroyUpdate: [
    { ids: onePost, prints: /deletePost[^]*[0-9a-f]{24}/, did: (ids) => expectPost(ids, undefined) },
  ],
  moveUpdateToTop: [
    { ids: onePost, prints: /movePostInQueue[^]*dueAt/, did: ({ POST_ID }) => expectFirst(POST_ID) },
  ],
};

const OLD: Partial<Record<OldCallName, Expectation>> = {
  user: { prints: /demo@grantbridge\.example|timezone/ },
  profiles: { prints: new RegExp(`${CHANNELS.twitter}[^]*formatted_service`) },
  profile: { prints: new RegExp(`${CHANNELS.twitter}[^]*formatted_service`) },
  schedules: { prints: /days[^]*mon[^]*times/ },
  updateSchedules: { prints: /1012/ },
  pendingUpdates: { ids: onePost, prints: /total[^]*One post[^]*due_time/ },
  sentUpdates: { prints: /total/ },
  reorderUpdates: { prints: /success[^]*One post/, ...moved },
  shuffleUpdates: { ids: onePost, prints: /success[^]*One post/ },
  createUpdate: { prints: /success[^]*Fresh bread/, ...oneCreated() },
  update: { ids: onePost, prints: /profile_service[^]*twitter[^]*One post/ },
  interactions: { ids: onePost, prints: /interactions/ },
  changeUpdate: {
    ids: onePost,
    prints: /success[^]*seven/,
    did: (ids) => expectPost(ids, { text: CHANGED }),
  },
  shareUpdate: { prints: /success/, ...shared },
  destroyUpdate: { ids: onePost, prints: /success/, did: (ids) => expectPost(ids, undefined) },
  moveUpdateToTop: { ids: onePost, prints: /due_at/, did: ({ POST_ID }) => expectFirst(POST_ID) },
  shares: { prints: /shares[^]*0/ },
  configuration: { prints: /character_limit/ },
};

async function runNew(language: ExampleKind, name: OldCallName): Promise<void> {
  const html = await pageIn(language);
  const { steps } = codeAt(html, ANCHORS[name], language);
  const expected = NEW[name] ?? [];
  expect(steps).toHaveLength(expected.length);
  for (const [place, { ids, prints, did }] of expected.entries()) {
    const own = (await ids?.()) ?? {};
    expect(await run(language, steps[place] ?? '', html, own)).toMatch(prints);
    await did?.(own);
  }
}

async function runOld(language: ExampleKind, name: OldCallName): Promise<void> {
  const html = await pageIn(language);
  const { ids, prints, did } = OLD[name] ?? { prints: /^never$/ };
  const own = (await ids?.()) ?? {};
  expect(await run(language, codeAt(html, ANCHORS[name], language).old, html, own)).toMatch(prints);
  await did?.(own);
}

const statusOf = async (address: string, token: string) =>
  (await fetch(address, { method: 'POST', headers: { authorization: `Bearer ${token}` } })).status;

/** Ends both connections, so that it comes last. */
async function endBoth(language: ExampleKind): Promise<void> {
  const html = await pageIn(language);
  const { old, steps } = codeAt(html, ANCHORS.deauthorize, language);
  expect(await run(language, old, html, {})).toContain('Access successfully revoked!');
  expect(steps).toHaveLength(1);
  await run(language, steps[0] ?? '', html, {});
  const { OLD_TOKEN = '', ACCESS_TOKEN = '' } = world.env;
  const { bridgeUrl, proxy } = world.system;
  expect(await statusOf(`${bridgeUrl}/1/user.json`, OLD_TOKEN)).toBe(401);
  expect(await statusOf(proxy.origin, ACCESS_TOKEN)).toBe(401);
}

const named = (table: object) => OLD_CALL_NAMES.filter((name) => Object.hasOwn(table, name));

/** Declares the tests of one language; they are skipped where the machine cannot run it. */
export function describeExamples(language: ExampleKind): void {
  const missing = missingFor(language);
  if (missing !== undefined)
    process.stderr.write(`The examples in ${language} are not run: there is no ${missing} here.\n`);
  (missing === undefined ? describe : describe.skip)(`in ${language}`, () => {
    beforeAll(async () => {
      world = await startExamplesWorld();
    });
    afterAll(() => world.system.stop());

    test.each(named(NEW))('the new call for %s does what the page says', (name) => runNew(language, name));

    test.each(named(OLD))('the old call %s is answered as ever', (name) => runOld(language, name));

    test('both ends of a connection end it', () => endBoth(language));
  });
}
