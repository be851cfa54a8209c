import { bindsText, editInput, timedFor } from '../../src/domain/translation/edits/edit-input.ts';
import type { EditedPost } from '../../src/domain/translation/edits/edited-post.ts';
import { changedUpdate } from '../../src/domain/translation/new-update.ts';
import type { PostInput } from '../../src/domain/translation/post-input.ts';
import type { WholeAsset } from '../../src/upstream/posts/post-to-edit.ts';

/** What an edit sends again, replaces and tells, by what the call names and what the post has. */

const NOW = Date.UTC(2026, 10, 1, 12);

const changed = (text: string) => changedUpdate([...new URLSearchParams(text)], NOW);

const post = (has: Partial<EditedPost> = {}): EditedPost => ({
  service: 'twitter',
  text: 'x',
  hasOwnTime: false,
  type: undefined,
  link: undefined,
  assets: [],
  kept: {},
  thread: [],
  mentions: [],
  ...has,
});

const edit = (media: string, has?: Partial<EditedPost>): PostInput =>
  editInput('p1', changed(`text=x&${media}`), post(has));

const address = (name: string) => `https://a.example/${name}.png`;

const image = (name: string, more: Partial<WholeAsset> = {}): WholeAsset => ({
  type: 'image',
  source: address(name),
  ...more,
});

const sent = (name: string, altText?: string) => ({
  image: { url: address(name), ...(altText && { metadata: { altText } }) },
});

const CLIP: WholeAsset = { type: 'video', source: 'https://a.example/v.mp4' };
const SENT_CLIP = { video: { url: 'https://a.example/v.mp4' } };

const photo = (name: string) => `media[photo]=${address(name)}`;
const extra = (at: number, name: string) => `extra_media[${at}][photo]=${address(name)}`;
const said = (at: number, text: string) => `extra_media[${at}][alt_text]=${text}`;

const UNCHANGED = { input: { id: 'p1', text: 'x' }, leftOut: [] };
const replaced = (assets: object[], ...leftOut: string[]) => ({
  input: { id: 'p1', text: 'x', assets },
  leftOut,
});

const ALT_TEXT = 'media[alt_text], for which the post has no place';
const FIRST_STAYS = 'a change of the first picture, because the call has no media[photo]';
const FURTHER_GO = 'the further media that the update had and the call does not name';
const lostExtra = (at: number) =>
  `extra_media[${at}][photo], for which the post has no place beside its other media`;

describe('another alternative text', () => {
  const assets = [image('a', { image: { altText: 'A' } }), CLIP, image('b'), image('c')];

  test.each<[string, object[]]>([
    [`${photo('a')}&media[alt_text]=Z`, [sent('a', 'Z'), SENT_CLIP, sent('b'), sent('c')]],
    [
      `${photo('a')}&${extra(0, 'b')}&${said(0, 'B')}`,
      [sent('a', 'A'), SENT_CLIP, sent('b', 'B'), sent('c')],
    ],
    [
      `${extra(0, 'b')}&${extra(1, 'c')}&${said(1, 'C')}`,
      [sent('a', 'A'), SENT_CLIP, sent('b'), sent('c', 'C')],
    ],
    [
      `extra_media[9][thumbnail]=${address('t')}&${said(9, 'T')}&${extra(0, 'b')}&${said(0, 'B')}`,
      [sent('a', 'A'), SENT_CLIP, sent('b', 'B'), sent('c')],
    ],
  ])('is sent with the media as they are: %s', (media, expected) => {
    expect(edit(media, { assets }).input).toStrictEqual({ id: 'p1', text: 'x', assets: expected });
  });

  test('that the picture has already changes nothing', () => {
    expect(edit(`${photo('a')}&media[alt_text]=A`, { assets })).toStrictEqual(UNCHANGED);
  });

  test('of the first picture needs its name', () => {
    expect(edit(`${extra(0, 'b')}&media[alt_text]=Z`, { assets })).toStrictEqual({
      ...UNCHANGED,
      leftOut: [ALT_TEXT],
    });
  });
});

describe('an edit that brings other media', () => {
  const gif = image('a', { image: { altText: 'A', animatedThumbnail: 'https://a.example/s.gif' } });

  test('keeps what is said of a picture that stays, but for what the call says of it', () => {
    const words = { altText: 'A', animatedThumbnail: 'https://a.example/s.gif' };
    const kept = { image: { url: address('a'), metadata: words } };
    expect(edit(`${photo('a')}&${extra(0, 'z')}`, { assets: [gif] })).toStrictEqual(
      replaced([kept, sent('z')]),
    );
    expect(edit(`${photo('a')}&media[alt_text]=Z&${extra(0, 'z')}`, { assets: [gif] }).input).toMatchObject({
      assets: [{ image: { url: address('a'), metadata: { ...words, altText: 'Z' } } }, sent('z')],
    });
  });

  test('tells the further media that go, not the first, and none that it names', () => {
    const assets = [image('a'), image('b')];
    expect(edit(photo('z'), { assets })).toStrictEqual(replaced([sent('z')], FURTHER_GO));
    expect(edit(photo('z'), { assets: [image('a')] }).leftOut).toEqual([]);
    expect(edit(`${photo('b')}&${extra(0, 'a')}`, { assets })).toStrictEqual(
      replaced([sent('b'), sent('a')]),
    );
    expect(edit(`${photo('a')}&${extra(0, 'z')}&${extra(1, 'b')}`, { assets }).leftOut).toEqual([]);
  });

  test('of a video replaces the pictures, and of a picture the video', () => {
    const clip = 'media[video]=https://a.example/v.mp4';
    expect(edit(clip, { assets: [image('a'), image('b')] })).toStrictEqual(replaced([SENT_CLIP], FURTHER_GO));
    expect(edit(photo('v'), { assets: [CLIP] }).input['assets']).toStrictEqual([sent('v')]);
    expect(edit(photo('v'), { assets: [{ ...CLIP, source: address('v') }] }).input['assets']).toStrictEqual([
      sent('v'),
    ]);
  });
});

describe('an edit that names further pictures alone', () => {
  test('keeps the first picture with its thumbnail, and tells it', () => {
    const head = image('a', { thumbnail: address('t') });
    const kept = (thumbnailUrl: string) => ({ image: { url: address('a'), thumbnailUrl } });
    expect(edit(extra(0, 'z'), { assets: [head, image('b')] })).toStrictEqual(
      replaced([kept(address('t')), sent('z')], FIRST_STAYS, FURTHER_GO),
    );
    const small = `media[thumbnail]=${address('s')}`;
    expect(edit(`${extra(0, 'z')}&${small}`, { assets: [head] }).input['assets']).toStrictEqual([
      kept(address('s')),
      sent('z'),
    ]);
  });

  test('moves the first picture where it names it among them', () => {
    const assets = [image('a'), image('b')];
    expect(edit(`${extra(0, 'a')}&${extra(1, 'b')}`, { assets })).toStrictEqual(
      replaced([sent('a'), sent('b')]),
    );
  });

  test('puts them behind a video that stands first, where pictures stand there already', () => {
    expect(edit(extra(0, 'z'), { assets: [CLIP, image('b')] })).toStrictEqual(
      replaced([SENT_CLIP, sent('z')], FURTHER_GO),
    );
    expect(edit(`${photo('y')}&${extra(0, 'z')}`, { assets: [CLIP, image('b')] })).toStrictEqual(
      replaced([sent('y'), sent('z')], FURTHER_GO),
    );
  });

  test('changes no post that is a video or a link alone', () => {
    const lost = { ...UNCHANGED, leftOut: [lostExtra(0)] };
    expect(edit(extra(0, 'z'), { assets: [CLIP] })).toStrictEqual(lost);
    const link = { url: 'https://a.example/b' };
    expect(edit(extra(0, 'z'), { service: 'facebook', link })).toStrictEqual(lost);
  });

  test('gives pictures to a post that has none', () => {
    expect(edit(extra(0, 'z'))).toStrictEqual(replaced([sent('z')]));
  });
});

describe('an edit that brings a link', () => {
  const LINK = 'media[link]=https://a.example/b';
  const linkAttachment = { url: 'https://a.example/b' };

  test('takes the media away where it is shown, and tells it', () => {
    expect(edit(LINK, { service: 'linkedin', assets: [image('a')] })).toStrictEqual({
      input: { id: 'p1', text: 'x', assets: [], metadata: { linkedin: { linkAttachment } } },
      leftOut: ['the media that the update had, for which its link leaves no place'],
    });
    expect(edit(LINK, { service: 'linkedin' }).leftOut).toEqual([]);
  });

  test('leaves the media of a pin', () => {
    expect(edit(LINK, { service: 'pinterest', assets: [image('a')] }).input).toStrictEqual({
      id: 'p1',
      text: 'x',
      metadata: { pinterest: { url: 'https://a.example/b' } },
    });
  });

  test('has a place for it in a post of another kind', () => {
    expect(edit(LINK, { service: 'facebook', type: 'post' }).input['metadata']).toMatchObject({
      facebook: { linkAttachment },
    });
  });

  test.each(['reel', 'story', 'offer', 'event'])('has no place for it in a post of the kind %s', (type) => {
    expect(edit(LINK, { service: 'facebook', type })).toStrictEqual({
      ...UNCHANGED,
      leftOut: [expect.stringContaining('the link https://a.example/b')],
    });
  });
});

describe('a thread', () => {
  const thread = [
    { text: 'x', assets: [image('a')] },
    { text: 'two', assets: [image('c')] },
  ];
  const has = { thread, assets: [image('a')] };
  const second = { text: 'two', assets: [sent('c')] };

  test('is sent again with the new text and the new media in its first part', () => {
    expect(editInput('p1', changed('text=New'), post(has))).toStrictEqual({
      input: {
        id: 'p1',
        text: 'New',
        metadata: { twitter: { thread: [{ text: 'New', assets: [sent('a')] }, second] } },
      },
      leftOut: [],
    });
    expect(edit(photo('z'), has).input).toStrictEqual({
      id: 'p1',
      text: 'x',
      assets: [sent('z')],
      metadata: { twitter: { thread: [{ text: 'x', assets: [sent('z')] }, second] } },
    });
  });

  test.each([[[image('a'), image('d')]], [[image('d')]]])(
    'keeps the media of a first part that does not have those of the post',
    (assets) => {
      expect(edit(photo('z'), { thread, assets }).input['metadata']).toStrictEqual({
        twitter: { thread: [{ text: 'x', assets: [sent('a')] }, second] },
      });
    },
  );
});

describe('mentions', () => {
  const has = {
    service: 'linkedin',
    text: 'Hi Ann Bob',
    mentions: [
      [3, 6],
      [7, 10],
    ] as const,
  };
  const told = 'the mentions that the text of the update had';

  test('that lose their words are told, and the link that the post shows is sent again', () => {
    const link = { url: 'https://a.example/b' };
    expect(editInput('p1', changed('text=Hi Ann Bit'), post({ ...has, link, kept: { title: 'T' } }))).toEqual(
      {
        input: {
          id: 'p1',
          text: 'Hi Ann Bit',
          metadata: { linkedin: { title: 'T', linkAttachment: link, annotations: [] } },
        },
        leftOut: [told],
      },
    );
  });

  test('go with a link that comes, though their words stay', () => {
    const update = changed('text=Hi Ann Bob&media[link]=https://a.example/b');
    const { input, leftOut } = editInput('p1', update, post(has));
    expect(input['metadata']).toMatchObject({ linkedin: { annotations: [] } });
    expect(leftOut).toEqual([told]);
  });

  test('bind a text whose words they are, and a thread binds every text', () => {
    expect(bindsText('Hi Ann Bob!', post(has))).toBe(false);
    expect(bindsText('Hi Ann', post(has))).toBe(true);
    expect(bindsText('x', post())).toBe(false);
    expect(bindsText('x', post({ thread: [{ text: 'x', assets: [] }] }))).toBe(true);
  });
});

describe('an empty scheduled_at', () => {
  const update = changed('text=x&scheduled_at=');

  test('takes a time of its own away, and leaves the place in the queue', () => {
    expect(editInput('p1', update, post({ hasOwnTime: true })).input).toMatchObject({ mode: 'addToQueue' });
    expect(editInput('p1', update, post())).toStrictEqual(UNCHANGED);
    expect(timedFor(update, post())).toEqual({ ...update, timing: undefined });
    expect(timedFor(changed('text=x&now=1'), post()).timing).toEqual({ mode: 'shareNow' });
  });

  test('is told where the post is not known', () => {
    expect(editInput('p1', update, undefined)).toStrictEqual({
      ...UNCHANGED,
      leftOut: ['the empty scheduled_at, for this connection may not read the update'],
    });
    expect(editInput('p1', changed('text=x&now=1'), undefined).leftOut).toEqual([]);
  });
});
