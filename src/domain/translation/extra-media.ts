import { badValue, type FieldPairs, webAddress } from './call-fields.ts';

/** The pictures beside `media`: `extra_media[0][photo]`, with `[picture]` as another name and `[thumbnail]` beside it. */

export interface ExtraPicture {
  /** The name of the entry in the call, such as `extra_media[0]`. */
  name: string;
  photo: string | undefined;
  picture: string | undefined;
  thumbnail: string | undefined;
}

/** More pictures than any network takes in a post. */
const MOST_PICTURES = 50;

const LONGEST_NAME = 100;

const OWN = /^extra_media(?:\[|$)/;

const FIELD = /^extra_media\[(\d{0,9})\]\[([\w-]*)\]$/;

const NAMES = ['photo', 'picture', 'thumbnail'] as const;

const isName = (field: string) => NAMES.some((name) => name === field);

/** The fields of one entry, with the names that they have in it. */
interface Entry {
  name: string;
  fields: Array<[name: string, value: string]>;
}

/** The entries in the order of the call. An entry without a number is one by itself, as in PHP. @throws {FieldRefused} */
function entriesOf(pairs: FieldPairs): Entry[] {
  const entries = new Map<string, Entry>();
  for (const [name, value] of pairs) {
    if (value === '' || !OWN.test(name)) continue;
    const [, index, field] = FIELD.exec(name) ?? [];
    if (index === undefined || field === undefined)
      throw badValue(
        'extra_media',
        'has to be a list of maps of single values, such as extra_media[0][photo]',
      );
    const key = index === '' ? `without a number, ${entries.size}` : index;
    const entry = entries.get(key) ?? { name: `extra_media[${index}]`, fields: [] };
    entry.fields.push([field, value]);
    entries.set(key, entry);
  }
  if (entries.size > MOST_PICTURES)
    throw badValue('extra_media', `names more than ${MOST_PICTURES} pictures`);
  return [...entries.values()];
}

/** @throws {FieldRefused} */
function pictureOf({ name, fields }: Entry): ExtraPicture {
  const pairs: FieldPairs = fields.map(([field, value]) => [`${name}[${field}]`, value]);
  return {
    name,
    photo: webAddress(pairs, `${name}[photo]`),
    picture: webAddress(pairs, `${name}[picture]`),
    thumbnail: webAddress(pairs, `${name}[thumbnail]`),
  };
}

function unknownIn({ name, fields }: Entry): string[] {
  const unknown = fields.filter(([field]) => !isName(field));
  return unknown.map(([field]) => `${name}[${field.slice(0, LONGEST_NAME)}]`);
}

/** The further pictures of an update, in the order of the call, and the names that are no parameters. @throws {FieldRefused} */
export function extraMediaIn(pairs: FieldPairs): { extra: ExtraPicture[]; unknown: string[] } {
  const entries = entriesOf(pairs);
  return { extra: entries.map(pictureOf), unknown: entries.flatMap(unknownIn) };
}

/** The address of the picture itself. */
export const addressOf = ({ photo, picture }: ExtraPicture): string | undefined => photo ?? picture;

/** The fields whose addresses were not sent, in one sentence, however many they are. */
export function lostExtra(extra: readonly ExtraPicture[], isSent: (address: string) => boolean): string[] {
  const lost = extra.flatMap((one) =>
    NAMES.filter((field) => one[field] !== undefined && !isSent(one[field])).map(
      (field) => `${one.name}[${field}]`,
    ),
  );
  const [first, ...others] = lost;
  if (first === undefined) return [];
  const more = others.length === 0 ? '' : ` and ${others.length} more of extra_media`;
  return [`${first}${more}, for which the post has no place beside its other media`];
}
