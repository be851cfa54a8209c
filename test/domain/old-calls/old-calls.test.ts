import {
  collapsedPath,
  HAND_OVER_PATH,
  isKnownRead,
  mayWriteThere,
  OLD_CALL_NAMES,
  OLD_CALLS,
  oldCallOf,
  type OldCallName,
  plainSpelling,
} from '../../../src/domain/old-calls/old-calls.ts';

/** The nineteen calls as the old API had them, and what a path and a method say of a call. */

const ID = '5e1f0c9a7b3d4e2f8a6c3d01';

const BOTH = ['GET', 'POST'];

const READS: ReadonlyArray<readonly [OldCallName, string]> = [
  ['user', '/1/user'],
  ['profiles', '/1/profiles'],
  ['profile', '/1/profiles/:id'],
  ['schedules', '/1/profiles/:id/schedules'],
  ['pendingUpdates', '/1/profiles/:id/updates/pending'],
  ['sentUpdates', '/1/profiles/:id/updates/sent'],
  ['update', '/1/updates/:id'],
  ['interactions', '/1/updates/:id/interactions'],
  ['shares', '/1/links/shares'],
  ['configuration', '/1/info/configuration'],
];

const WRITES: ReadonlyArray<readonly [OldCallName, string]> = [
  ['updateSchedules', '/1/profiles/:id/schedules/update'],
  ['reorderUpdates', '/1/profiles/:id/updates/reorder'],
  ['shuffleUpdates', '/1/profiles/:id/updates/shuffle'],
  ['createUpdate', '/1/updates/create'],
  ['changeUpdate', '/1/updates/:id/update'],
  ['shareUpdate', '/1/updates/:id/share'],
  ['destroyUpdate', '/1/updates/:id/destroy'],
  ['moveUpdateToTop', '/1/updates/:id/move_to_top'],
];

const ENDS: ReadonlyArray<readonly [OldCallName, string]> = [
  ['deauthorize', '/1/user/deauthorize'],
  ['deauthorize', '/user/deauthorize'],
];

const ACCOUNT = ['user', 'profiles', 'profile'];

const ALL = [...READS, ...WRITES, ...ENDS];

const called = (path: string) => path.replace(':id', ID);

test.each(ALL)('%s is the call at %s, with any suffix and with none', (name, path) => {
  for (const suffix of ['', '.json', '.xml', '.a.b'])
    expect([suffix, oldCallOf(called(path) + suffix)]).toEqual([suffix, name]);
});

test.each(READS)('%s reads, by GET and by POST', (name, path) => {
  const kind = ACCOUNT.includes(name) ? 'account' : 'queue';
  expect(OLD_CALLS[name]).toEqual({ paths: [path], kind, methods: BOTH, isRead: true });
  const ask = (method: string) => ({ method, path: called(path) });
  expect(['GET', 'POST', 'HEAD', 'PUT'].map((method) => isKnownRead(ask(method)))).toEqual([
    true,
    true,
    false,
    false,
  ]);
  expect(['GET', 'POST', 'HEAD', 'PUT'].map((method) => mayWriteThere(ask(method)))).toEqual([
    false,
    false,
    false,
    true,
  ]);
});

test.each(WRITES)('%s writes, by POST', (name, path) => {
  expect(OLD_CALLS[name]).toEqual({ paths: [path], kind: 'queue', methods: ['POST'], isRead: false });
  for (const method of ['GET', 'POST', 'HEAD']) {
    expect(isKnownRead({ method, path: called(path) })).toBe(false);
    expect(mayWriteThere({ method, path: called(path) })).toBe(true);
  }
});

test('deauthorize does no harm where it is done twice, and is no read', () => {
  const paths = ENDS.map(([, path]) => path);
  expect(OLD_CALLS.deauthorize).toEqual({ paths, kind: 'deauthorize', methods: BOTH, isRead: false });
  for (const path of paths)
    for (const method of BOTH)
      expect([isKnownRead({ method, path }), mayWriteThere({ method, path })]).toEqual([false, false]);
});

test('a pair is handed over at an address of its own', () => {
  expect([HAND_OVER_PATH, oldCallOf(HAND_OVER_PATH)]).toEqual(['/oauth2/exchange', undefined]);
});

test('there are no others', () => {
  expect(OLD_CALL_NAMES.toSorted()).toEqual([...new Set(ALL.map(([name]) => name))].toSorted());
});

test.each(['/1/updates/', '/1/updates//share', '/1/Profiles', '/1/users', '/user', `/1/updates/${ID}/`, '/'])(
  'no call is at %s',
  (path) => {
    expect(oldCallOf(path)).toBeUndefined();
  },
);

test('a name has at least one character before its suffix', () => {
  expect(oldCallOf('/1/profiles/.json')).toBe('profile');
  expect(oldCallOf(`/1/profiles/a.b/schedules`)).toBe('schedules');
});

test.each(['pending', `${ID}0`, ID.slice(1), `${ID}x.json`])(
  'what the word %s in the place of an id does, nobody knows',
  (word) => {
    for (const room of ['updates', 'profiles']) {
      const path = `/1/${room}/${word}`;
      expect(isKnownRead({ method: 'GET', path })).toBe(false);
      expect(['GET', 'HEAD', 'POST'].map((method) => mayWriteThere({ method, path }))).toEqual([
        false,
        false,
        true,
      ]);
    }
  },
);

test('of an unknown path only the method tells whether it writes', () => {
  const path = '/1/nothing.json';
  expect(isKnownRead({ method: 'GET', path })).toBe(false);
  expect(['GET', 'HEAD', 'POST', 'DELETE'].map((method) => mayWriteThere({ method, path }))).toEqual([
    false,
    false,
    true,
    true,
  ]);
});

test.each([
  ['//1///user//', '/1/user'],
  ['/1/user', '/1/user'],
  ['//', '/'],
  ['/', '/'],
])('%s has single slashes as %s', (path, collapsed) => {
  expect(collapsedPath(path)).toBe(collapsed);
});

test.each([
  ['//1//user.json/', '/1/user.json'],
  ['/1//oauth2/token.json', '/1/oauth2/token.json'],
  ['/1/oauth2/token/', '/1/oauth2/token'],
  [`/1/updates/update/${ID}`, `/1/updates/${ID}/update`],
  [`//1/updates/update/${ID}.json/`, `/1/updates/${ID}/update.json`],
])('the plain spelling of %s is %s', (path, plain) => {
  expect(plainSpelling(path)).toBe(plain);
});

test.each(['//1//oauth2/authorize', '//1/nothing/', '/1/user.json', `/1//updates/update/${ID}/share`])(
  '%s stays as it is',
  (path) => {
    expect(plainSpelling(path)).toBe(path);
  },
);
