import { OLD_CALLS, type OldCallName } from '../../../src/domain/old-calls/old-calls.ts';
import type { Chance } from '../../verification/shared/faults/chance.ts';
import type { RawRequest } from '../../support/callers/raw-request.ts';
import { carried, type Pair } from './carried-fields.ts';
import { CHANNELS } from './posts.ts';

/** Any of the nineteen old calls as some program may send it, and as nobody should. */

/** What a call may name. */
export interface CallSource {
  chance: Chance;
  token: string;
  /** Posts that are there, and the profile of whose queue they are. */
  updateIds: readonly string[];
  ownProfile: string;
}

export interface RandomCall {
  name: OldCallName;
  request: RawRequest;
  /** The update that the call is about, where it is about one. */
  updateId: string | undefined;
}

type Draw = (source: CallSource) => Pair[];

const UNKNOWN_ID = '0123456789abcdef01234567';

const TEXTS = [
  'Bread & butter 🥐',
  'Look: https://shop.example/a?b=c#d',
  '<script>alert(1)</script>',
  '0',
  ' \t\r\n ',
  '',
  'naïve\u0000text',
  'لغة עברית',
  'x'.repeat(281),
  'Long. '.repeat(1000),
  'y'.repeat(10_001),
];

const FLAGS = ['true', 'false', '1', '0', 'yes', 'off', '', 'TRUE', 'perhaps', '2', 'null'];

const inDays = (days: number) => Math.floor(Date.now() / 1000) + 86_400 * days;

const TIMES = [
  () => String(inDays(30)),
  () => String(inDays(-30)),
  () => `${inDays(30)}000`,
  () => new Date(inDays(40) * 1000).toISOString(),
  () => '2030-02-30T10:00:00Z',
  () => '2030-01-01T10:00:00+14:00',
  () => '2030-01-01 10:00',
  () => '9'.repeat(30),
  () => '-1',
  () => 'tomorrow',
  () => '1e9',
];

const ADDRESSES = [
  'https://images.example/a.png',
  'https://images.example/film.mp4',
  'https://shop.example/',
  'http://localhost/x.png',
  'javascript:alert(1)',
  'images.example/a.png',
  `https://images.example/${'a'.repeat(2050)}`,
  '',
];

const MEDIA = [
  'photo',
  'picture',
  'thumbnail',
  'video',
  'link',
  'title',
  'description',
  'alt',
  '',
  'photo][url',
];

/** Channels that take nearly every post. */
export const EASY = [
  CHANNELS.twitter,
  CHANNELS.bluesky,
  CHANNELS.threads,
  CHANNELS.linkedin,
  CHANNELS.paused,
];

const profileId = ({ chance }: CallSource): string =>
  chance.happens(0.9)
    ? chance.pick([...EASY, ...EASY, ...Object.values(CHANNELS)])
    : chance.pick([UNKNOWN_ID, 'nobody', '', '4f0c0a06512f7ef214000000', CHANNELS.twitter.toUpperCase()]);

const updateIdOf = ({ chance, updateIds }: CallSource): string =>
  updateIds.length > 0 && chance.happens(0.8)
    ? chance.pick(updateIds)
    : chance.pick([UNKNOWN_ID, 'x', '%00', '..', 'a'.repeat(300), UNKNOWN_ID.toUpperCase()]);

/** Every spelling of a list that old programs have. */
const profileIds: Draw = (source) => {
  const { chance } = source;
  const ids = Array.from({ length: chance.between(1, 4) }, () => profileId(source));
  const spelling = chance.happens(0.05)
    ? chance.pick(['map', 'none'])
    : chance.pick(['[]', '[n]', 'bare', 'comma']);
  if (spelling === 'none') return [];
  if (spelling === 'comma') return [['profile_ids', ids.join(',')]];
  return ids.map((id, i) => {
    const index = { '[]': '[]', '[n]': `[${i}]`, bare: '', map: `[k${i}]` }[spelling] ?? '';
    return [`profile_ids${index}`, id] as const;
  });
};

const textOf: Draw = ({ chance }) =>
  chance.happens(0.85) ? [['text', `Bread ${chance.between(0, 1e9)}`]] : [['text', chance.pick(TEXTS)]];

const some =
  (probability: number, draw: Draw): Draw =>
  (source) =>
    source.chance.happens(probability) ? draw(source) : [];

const flagNamed =
  (name: string): Draw =>
  ({ chance }) => [[name, chance.happens(0.9) ? 'true' : chance.pick(FLAGS)]];

const media: Draw = ({ chance }) =>
  Array.from({ length: chance.between(1, 3) }, () => {
    const name = chance.happens(0.7) ? chance.pick(['photo', 'link', 'picture']) : chance.pick(MEDIA);
    const value = chance.happens(0.9) ? (ADDRESSES[chance.between(0, 2)] ?? '') : chance.pick(ADDRESSES);
    return [`media[${name}]`, value] as const;
  });

const odd: Draw = ({ chance }) => [
  chance.pick<Pair>([
    ['text', 'another text'],
    ['text[]', 'x'],
    ['media', 'x'],
    ['media[]', 'x'],
    ['__proto__[text]', 'x'],
    ['constructor', 'x'],
    ['retweet', '20'],
    ['order', ''],
    ['id', UNKNOWN_ID],
    ['', 'x'],
    ['a'.repeat(150), 'x'],
    ['client_id', 'x'],
    ['pretty', 'true'],
    ['callback', 'alert(1)'],
  ]),
];

const content: Draw[] = [
  textOf,
  some(0.15, flagNamed('now')),
  some(0.15, flagNamed('top')),
  some(0.2, ({ chance }) => [['scheduled_at', chance.pick([TIMES[0], TIMES[3], ...TIMES])?.() ?? '']]),
  some(0.25, media),
  some(0.1, flagNamed('shorten')),
  some(0.1, flagNamed('attachment')),
  some(0.05, odd),
];

const creating: Draw[] = [
  profileIds,
  ...content,
  some(0.3, flagNamed('is_draft')),
  some(0.05, ({ chance }) => [['retweet[tweet_id]', chance.pick(['20', 'x', ''])]]),
  some(0.03, () => [['retweet[comment]', 'Look at this']]),
  some(0.2, ({ chance }) => [['subprofile_ids[]', chance.pick(['breads', 'x', ''])]]),
];

const NUMBERS = ['1', '2', '0', '20', '100', '101', '-1', '1.5', '1e2', '٣', '', '999999999999999999', 'NaN'];

const listing: Draw[] = [
  some(0.5, ({ chance }) => [['page', chance.pick(NUMBERS)]]),
  some(0.5, ({ chance }) => [['count', chance.pick(NUMBERS)]]),
  some(0.3, ({ chance }) => [['since', chance.pick([...NUMBERS, '2026-01-01', '2026-01-01T00:00:00Z'])]]),
  some(0.2, flagNamed('utc')),
  some(0.2, ({ chance }) => [['filter', chance.pick(['all', 'default', 'mine', ''])]]),
  some(0.1, odd),
];

const anyOrder: Draw = (source) => {
  const ids = Array.from({ length: source.chance.between(0, 24) }, () => updateIdOf(source));
  return ids.map((id, i) => [source.chance.happens(0.9) ? 'order[]' : `order[${i}]`, id] as const);
};

const order: Draw = (source) =>
  source.chance.happens(0.9)
    ? source.updateIds.toReversed().map((id) => ['order[]', id] as const)
    : anyOrder(source);

const schedules: Draw = () => [
  ['schedules[0][days][]', 'mon'],
  ['schedules[0][times][]', '12:00'],
];

/** What calls take; of the others every parameter is odd. */
const FIELDS: Partial<Record<OldCallName, Draw[]>> = {
  createUpdate: creating,
  changeUpdate: [...content, some(0.2, flagNamed('utc'))],
  pendingUpdates: listing,
  sentUpdates: listing,
  interactions: listing,
  update: [some(0.5, flagNamed('utc'))],
  reorderUpdates: [some(0.95, order), some(0.1, ({ chance }) => [['offset', chance.pick(NUMBERS)]])],
  shuffleUpdates: [some(0.5, ({ chance }) => [['count', chance.pick(NUMBERS)]])],
  updateSchedules: [some(0.7, schedules)],
  profiles: [some(0.5, flagNamed('subprofiles'))],
  shares: [some(0.7, () => [['url', 'https://shop.example/']])],
};

/** Calls that make or change something are drawn more often. */
const NAMES: OldCallName[] = [
  ...(Object.keys(OLD_CALLS) as OldCallName[]).filter((name) => name !== 'deauthorize'),
  ...Array.from({ length: 12 }, () => 'createUpdate' as const),
  ...(['changeUpdate', 'changeUpdate', 'shareUpdate', 'destroyUpdate', 'moveUpdateToTop'] as const),
  ...(['pendingUpdates', 'sentUpdates', 'reorderUpdates', 'shuffleUpdates'] as const),
];

/** What the address names. */
function idFor(source: CallSource, name: OldCallName): string {
  if (isAboutUpdate(name)) return updateIdOf(source);
  return name === 'reorderUpdates' && source.chance.happens(0.9) ? source.ownProfile : profileId(source);
}

const ABOUT_AN_UPDATE = /^\/1\/updates\/:id/;

const isAboutUpdate = (name: OldCallName) => ABOUT_AN_UPDATE.test(OLD_CALLS[name].paths[0]);

function pathOf(source: CallSource, name: OldCallName, id: string): string {
  const { chance } = source;
  const path = OLD_CALLS[name].paths[0].replace(':id', encodeURIComponent(id));
  if (chance.happens(0.9)) return `${path}.json`;
  return chance.pick([path, `${path}.xml`, `${path}.json/`, `/${path}.json`, path.replace('/1/', '/1//')]);
}

function methodOf({ chance }: CallSource, name: OldCallName): string {
  const { methods } = OLD_CALLS[name];
  return chance.happens(0.95) ? chance.pick(methods) : chance.pick(['GET', 'POST', 'HEAD', 'PUT', 'DELETE']);
}

/** One call; its token is good, and nearly always there. */
export function randomCall(source: CallSource): RandomCall {
  const { chance, token } = source;
  const name = chance.pick(NAMES);
  const id = idFor(source, name);
  const fields = (FIELDS[name] ?? [some(0.3, odd)]).flatMap((draw) => draw(source));
  const place = chance.happens(0.02) ? 'nowhere' : chance.pick(['header', 'header', 'OAuth', 'field']);
  const all: Pair[] = place === 'field' ? [...fields, ['access_token', token]] : fields;
  const method = methodOf(source, name);
  const { query, headers, ...body } = { headers: {}, ...carried(chance, all, method === 'POST') };
  const scheme = place === 'OAuth' ? 'OAuth' : 'Bearer';
  const isInHeader = place === 'header' || place === 'OAuth';
  return {
    name,
    updateId: isAboutUpdate(name) ? id : undefined,
    request: {
      method,
      path: `${pathOf(source, name, id)}${query === '' ? '' : `?${query}`}`,
      headers: { ...headers, ...(isInHeader ? { authorization: `${scheme} ${token}` } : {}) },
      ...body,
    },
  };
}
