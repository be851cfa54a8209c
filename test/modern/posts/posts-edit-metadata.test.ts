import { channel, DAY, image, iso, video } from '../support/posts.ts';
import { ground, withPosts } from '../support/running-posts.ts';

withPosts();

const later = (days: number) => iso(Date.now() + days * DAY);

async function edited(input: object): Promise<void> {
  expect((await ground.edit(input)).__typename).toBe('PostActionSuccess');
}

async function said(id: string, selection: string) {
  const query = `query($id: PostId!) { post(input: { id: $id }) { metadata { ${selection} } } }`;
  const { body } = await ground.ask(query, { id });
  return body.data.post.metadata;
}

describe('what every post of a service must have stays when an edit leaves it out', () => {
  test('the title and the category of a film', async () => {
    const film = await ground.made({
      channelId: channel('3d0b'),
      assets: [video],
      metadata: { youtube: { title: 'Rolls', categoryId: '26', madeForKids: true } },
    });
    await edited({ id: film.id, metadata: { youtube: { privacy: 'unlisted' } } });
    expect(
      await said(film.id, '... on YoutubePostMetadata { title privacy madeForKids category { categoryId } }'),
    ).toEqual({ title: 'Rolls', privacy: 'unlisted', madeForKids: false, category: { categoryId: '26' } });
  });

  test('the board of a pin', async () => {
    const pin = await ground.made({
      channelId: channel('3d09'),
      assets: [image],
      metadata: { pinterest: { boardServiceId: 'cakes', title: 'Cake' } },
    });
    await edited({ id: pin.id, metadata: { pinterest: { url: 'https://bakery.example/' } } });
    expect(await said(pin.id, '... on PinterestPostMetadata { title url board { serviceId } }')).toEqual({
      title: null,
      url: 'https://bakery.example/',
      board: { serviceId: 'cakes' },
    });
    const refused = await ground.edit({ id: pin.id, metadata: { pinterest: { boardServiceId: null } } });
    expect(refused.message).toMatch(/require a board/);
  });

  test('each field of Google’s details', async () => {
    const channelId = ground.addChannel({ service: 'googlebusiness' });
    const dates = { startDate: later(2), endDate: later(3) };
    const detailsEvent = { title: 'Open oven', ...dates, isFullDayEvent: true, button: 'book' };
    const event = await ground.made({ channelId, metadata: { google: { type: 'event', detailsEvent } } });
    const changed = { title: 'Open ovens', isFullDayEvent: false };
    await edited({ id: event.id, metadata: { google: { type: 'event', detailsEvent: changed } } });
    expect(
      await said(
        event.id,
        `... on GoogleBusinessPostMetadata { details { ... on GoogleBusinessEventMetaData {
        title startDate endDate isFullDayEvent button startTime endTime } } }`,
      ),
    ).toEqual({ details: { ...detailsEvent, ...changed, startTime: null, endTime: null } });
  });
});
