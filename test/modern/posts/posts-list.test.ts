import { BAKERY, channel, DAY, ids, iso, nodes, RECORDS, RUNNERS, TWITTER } from '../support/posts.ts';
import { ground, withPosts } from '../support/running-posts.ts';

let mine: string;
withPosts();
beforeAll(() => {
  mine = ground.addChannel({ organizationId: RUNNERS });
});

describe('filters', () => {
  test('without one there are all posts of the organization, newest first, and no others', async () => {
    const all = await ground.list();
    const times = nodes(all).map(({ createdAt }) => createdAt);
    expect(times).toEqual(times.toSorted().toReversed());
    expect(all.edges).toHaveLength(28);
    expect((await ground.list({}, { organizationId: RUNNERS })).edges).toHaveLength(12);
  });

  test.each([
    ['channelIds', { channelIds: [TWITTER] }, 9],
    ['several channelIds', { channelIds: [TWITTER, channel('3d0b')] }, 11],
    ['an empty list of channels', { channelIds: [] }, 0],
    ['channels of another organization of the account', { channelIds: [channel('3d05')] }, 0],
    ['channels of another account', { channelIds: [channel('3d08')] }, 0],
    ['an id that reads like a property', { channelIds: ['__proto__', 'constructor'] }, 0],
    ['status', { status: ['draft'] }, 3],
    ['several statuses', { status: ['needs_approval', 'error'] }, 4],
    ['an empty list of statuses', { status: [] }, 0],
    ['status and channel together', { status: ['sent'], channelIds: [TWITTER] }, 4],
    ['a tag', { tags: { in: ['5e1f0c9a7b3d4e2f8a6c6e05'] } }, 3],
    ['no tag at all', { tags: { in: [], isEmpty: true } }, 4],
    ['a tag or none', { tags: { in: ['5e1f0c9a7b3d4e2f8a6c6e05'], isEmpty: true } }, 7],
    ['no tag that is named', { tags: { in: [] } }, 0],
    ['tagIds', { tagIds: ['5e1f0c9a7b3d4e2f8a6c6e05', '5e1f0c9a7b3d4e2f8a6c6e04'] }, 5],
    ['no time', { dueAtPresence: 'absent' }, 3],
    ['a time', { dueAtPresence: 'present' }, 25],
    ['null everywhere', { channelIds: null, status: null, tags: null, dueAt: null, startDate: null }, 28],
    ['an empty comparator', { dueAt: {}, createdAt: {} }, 28],
  ])('%s', async (_what, filter, count) => {
    expect((await ground.list(filter)).edges).toHaveLength(count);
  });

  test('dueAt and createdAt count both ends, and one end may be open', async () => {
    const all = nodes(await ground.list());
    const [some] = all
      .filter(({ dueAt }) => dueAt !== null)
      .toSorted((a, b) => (a.dueAt ?? '').localeCompare(b.dueAt ?? ''));
    const dueAt = some?.dueAt;
    expect(ids(await ground.list({ dueAt: { start: dueAt, end: dueAt } }))).toEqual([some?.id]);
    expect(ids(await ground.list({ dueAt: { end: dueAt } }))).toEqual([some?.id]);
    expect(ids(await ground.list({ createdAt: { start: some?.createdAt, end: some?.createdAt } }))).toEqual([
      some?.id,
    ]);
    const later = await ground.list({ dueAt: { start: dueAt } });
    expect(later.edges).toHaveLength(25);
  });

  test('a time with another offset is the same time', async () => {
    const [first] = nodes(await ground.list({ status: ['sent'] }, { first: 1 }));
    const shifted = new Date(Date.parse(first?.createdAt ?? '') + 2 * 3_600_000)
      .toISOString()
      .replace('Z', '+02:00');
    expect(ids(await ground.list({ createdAt: { start: shifted, end: shifted } }))).toEqual([first?.id]);
  });

  test('startDate and endDate find what was made or is due in between', async () => {
    const window = { startDate: iso(Date.now()), endDate: iso(Date.now() + 30 * DAY) };
    const found = nodes(await ground.list(window));
    expect(found.map(({ status }) => status).toSorted()).toEqual([
      ...Array<string>(2).fill('needs_approval'),
      ...Array<string>(6).fill('scheduled'),
    ]);
    const made = nodes(await ground.list({ endDate: iso(Date.now() - 10 * DAY) }));
    expect(made.length).toBeGreaterThan(3);
    expect(made.every(({ createdAt }) => createdAt < iso(Date.now() - 10 * DAY))).toBe(true);
  });

  test('what has no time cannot be asked to have one in a window', async () => {
    const filter = { dueAtPresence: 'absent', dueAt: { start: iso(Date.now()) } };
    const { errors } = await ground.list(filter);
    expect([errors[0].extensions.code, errors[0].message]).toEqual([
      'BAD_USER_INPUT',
      '"dueAtPresence: absent" cannot be combined with "dueAt"',
    ]);
    expect((await ground.list({ ...filter, dueAt: null })).edges).toBeDefined();
  });

  test('an organization that is not there and one of another account are not found', async () => {
    for (const organizationId of [RECORDS, 'unknown', '__proto__', '']) {
      // oxlint-disable-next-line no-await-in-loop
      const { data, errors } = await ground.list({}, { organizationId });
      expect([data, errors[0].extensions.code, errors[0].message]).toEqual([
        null,
        'NOT_FOUND',
        'Organization not found',
      ]);
    }
  });
});

describe('times that are none', () => {
  const query = 'query($input: PostsInput!) { posts(input: $input) { edges { cursor } } }';
  test.each([
    '2026-11-21',
    '2026-11-21T10:00:00',
    '2026-02-30T10:00:00Z',
    '1969-12-31T23:59:59Z',
    '3000-01-01T00:00:00Z',
    '+275760-09-13T00:00:00Z',
    'tomorrow',
    '',
    1_795_000_000_000,
    null,
    {},
    '2026-11-21T10:00:00.0000000000000000000000Z',
    '2026-11-21T10:00:00+99:99',
    '2026-11-21T10:00:00+15:00',
    '2026-11-21T10:00:00+14:60',
  ])('%j is refused before anything is run', async (time) => {
    const input = { organizationId: BAKERY, filter: { dueAt: { start: time } } };
    const { status, body } = await ground.ask(query, { input });
    if (time === null) return expect(status).toBe(200);
    return expect([status, body.data, body.errors[0].extensions.code]).toEqual([
      400,
      undefined,
      'BAD_USER_INPUT',
    ]);
  });

  test.each(['+14:00', '-0930', '-11', 'z'])('but not one with the offset %s', async (offset) => {
    const filter = { dueAt: { start: `2026-11-21T10:00:00${offset}` } };
    const { status, body } = await ground.ask(query, { input: { organizationId: BAKERY, filter } });
    expect([status, body.errors]).toEqual([200, undefined]);
  });

  test('and so is one in the text of the query', async () => {
    const text = `{ posts(input: { organizationId: "${BAKERY}", filter: { startDate: "2026" } }) { edges { cursor } } }`;
    const { status, body } = await ground.ask(text);
    expect([status, body.errors[0].extensions.code]).toEqual([400, 'GRAPHQL_VALIDATION_FAILED']);
  });
});

describe('what is due', () => {
  test('is sent before anything is read, at the time it was due', async () => {
    const { id } = await ground.made({ channelId: mine });
    const time = Date.now() - 5000;
    ground.makeDue(id, time);
    expect(await ground.post(id)).toMatchObject({
      status: 'sent',
      sentAt: iso(time),
      dueAt: iso(time),
      error: null,
    });
    await ground.remove(id);
  });

  test('by notification is marked as notified', async () => {
    const { id, notificationStatus } = await ground.made({ channelId: mine, schedulingType: 'notification' });
    ground.makeDue(id);
    const sent = await ground.post(id);
    expect([notificationStatus, sent.notificationStatus]).toEqual([null, 'notified']);
    await ground.remove(id);
  });

  test('waits as long as the queue is paused', async () => {
    const paused = ground.addChannel({ organizationId: RUNNERS, isQueuePaused: true });
    const { id } = await ground.made({ channelId: paused });
    ground.makeDue(id);
    expect(await ground.post(id)).toMatchObject({ status: 'scheduled', sentAt: null });
    ground.changeChannel(paused, { isQueuePaused: false });
    expect(await ground.post(id)).toMatchObject({ status: 'sent' });
    await ground.remove(id);
  });

  test('waits as long as the channel is locked', async () => {
    const locked = ground.addChannel({ organizationId: RUNNERS });
    const { id } = await ground.made({ channelId: locked });
    ground.changeChannel(locked, { isLocked: true, isDisconnected: true });
    ground.makeDue(id);
    expect(await ground.post(id)).toMatchObject({ status: 'scheduled', sentAt: null, error: null });
    ground.changeChannel(locked, { isLocked: false, isDisconnected: false });
    expect(await ground.post(id)).toMatchObject({ status: 'sent' });
    await ground.remove(id);
  });

  test('fails where the channel has been disconnected meanwhile', async () => {
    const lost = ground.addChannel({ organizationId: RUNNERS });
    const { id } = await ground.made({ channelId: lost });
    ground.changeChannel(lost, { isDisconnected: true });
    ground.makeDue(id);
    const { status, sentAt, error } = await ground.post(id);
    expect([status, sentAt, error.message]).toEqual(['error', null, expect.stringMatching(/disconnected/)]);
    await ground.remove(id);
  });
});
