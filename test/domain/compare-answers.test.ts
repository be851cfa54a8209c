import { compareObjects, compareProfiles } from '../../src/domain/reads/compare-answers.ts';

/** Which differences between an answer of the older generation and ours are named. */

const profile = (changes: Record<string, unknown> = {}) => ({
  id: '4eb854340acb04e870000010',
  service_username: 'skinny',
  counts: { pending: 0 },
  schedules: [{ days: ['mon'], times: ['12:00'] }],
  statistics: {},
  disconnected: null,
  ...changes,
});

const inProfile = (old: Record<string, unknown>, ours: Record<string, unknown>) =>
  compareProfiles([profile(old)], [profile(ours)]);

test('equal answers differ nowhere', () => {
  expect(inProfile({}, {})).toEqual([]);
  expect(compareObjects(profile(), profile(), 'profile')).toEqual([]);
});

test.each([
  ['another value', { service_username: 'fat' }, ['profiles[].service_username', 'value']],
  ['another type', { service_username: 7 }, ['profiles[].service_username', 'type']],
  ['null for text', { disconnected: 'true' }, ['profiles[].disconnected', 'type']],
  ['a field that only the old answer has', { verb: 'tweet' }, ['profiles[].verb', 'missing']],
  [
    'a value deep inside',
    { schedules: [{ days: ['tue'], times: ['12:00'] }] },
    ['profiles[].schedules[].days[]', 'value'],
  ],
  ['a list that is longer', { schedules: [] }, ['profiles[].schedules', 'value']],
])('%s is named', (_what, old, [field, difference]) => {
  expect(inProfile(old, {})).toEqual([{ field, difference }]);
});

test('an undefined field of ours is absent from the answer: it is no addition, and missing where the old answer has it', () => {
  expect(inProfile({}, { verb: undefined })).toEqual([]);
  const missing = [{ field: 'profiles[].verb', difference: 'missing' }];
  expect(inProfile({ verb: 'tweet' }, { verb: undefined })).toEqual(missing);
});

test('a field that only our answer has is named', () => {
  expect(inProfile({}, { paused: false })).toEqual([{ field: 'profiles[].paused', difference: 'added' }]);
});

test('what is expected to differ is compared by its type alone', () => {
  expect(inProfile({ counts: { sent: 9 }, statistics: { followers: 2 } }, {})).toEqual([]);
  expect(inProfile({ counts: 'many' }, {})).toEqual([{ field: 'profiles[].counts', difference: 'type' }]);
});

test('an empty list where we send an empty map is what PHP sent for one', () => {
  expect(inProfile({ statistics: [] }, {})).toEqual([]);
  expect(inProfile({ statistics: [] }, { statistics: { followers: undefined } })).toEqual([]);
  expect(inProfile({ media: [] }, { media: { link: undefined } })).toEqual([]);
});

test('profiles are matched by id in whatever order, and those that only one side has are named', () => {
  const other = profile({ id: 'b'.repeat(24), service_username: 'other' });
  expect(compareProfiles([other, profile()], [profile(), other])).toEqual([]);
  expect(compareProfiles([other], [profile()])).toEqual([
    { field: 'profiles[]', difference: 'missing' },
    { field: 'profiles[]', difference: 'added' },
  ]);
});

test('a difference in many profiles counts once', () => {
  const two = ['a', 'b'].map((id) => profile({ id }));
  const fat = two.map((one) => ({ ...one, service_username: 'fat' }));
  expect(compareProfiles(two, fat)).toEqual([{ field: 'profiles[].service_username', difference: 'value' }]);
});

test('an answer that is no list of profiles is named as such', () => {
  for (const old of [{ error: 'no', code: 1000 }, null, 'text'])
    expect(compareProfiles(old, [profile()])).toEqual([{ field: 'profiles', difference: 'type' }]);
  expect(compareProfiles([null, 7], [profile()])).toHaveLength(2);
});

test('a name that is no ordinary one is not kept, and a hostile answer names a hundred fields at most', () => {
  const hostile = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`field${index}`, 1]));
  expect(compareObjects(hostile, {}, 'user')).toHaveLength(100);
  const personal = { 'someone@example.org': 1 };
  expect(compareObjects(personal, {}, 'user')).toEqual([{ field: 'user.(other)', difference: 'missing' }]);
});
