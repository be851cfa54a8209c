import { badValue, boundedText, type FieldPairs, webAddress } from './call-fields.ts';

/**
 * The pictures beside `media`: `extra_media[0][photo]`, with `[picture]` as another name, and `[thumbnail]` and
 * `[alt_text]` beside it.
 */

export interface ExtraPicture {
  /** The name of the entry in the call, such as `extra_media[0]`. */
  name: string;
  photo: string | undefined;
  picture: string | undefined;
  thumbnail: string | undefined;
  altText: string | undefined;
}

/** More pictures than any network takes in a post. */
const MOST_PICTURES = 50;

const LONGEST_NAME = 100;

const OWN = /^extra_media(?:\[|$)/;

const FIELD = /^extra_media\[(\d{0,9})\]\[([\w-]*)\]$/;

const ADDRESSES = ['photo', 'picture', 'thumbnail'] as const;

const NAMES: readonly string[] = [...ADDRESSES, 'alt_text'];

/** The longest alternative text of a picture: as much as the embedded new API takes. */
export const LONGEST_ALT_TEXT = 10_000;

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
    altText: boundedText(pairs, `${name}[alt_text]`, LONGEST_ALT_TEXT),
  };
}

function unknownIn({ name, fields }: Entry): string[] {
  const unknown = fields.filter(([field]) => !NAMES.includes(field));
  return unknown.map(([field]) => `${name}[${field.slice(0, LONGEST_NAME)}]`);
}

/** The further pictures of an update, in the order of the call, and the names that are no parameters. @throws {FieldRefused} */
export function extraMediaIn(pairs: FieldPairs): { extra: ExtraPicture[]; unknown: string[] } {
  const entries = entriesOf(pairs);
  return { extra: entries.map(pictureOf), unknown: entries.flatMap(unknownIn) };
}

/** The address of the picture itself. */
export const addressOf = ({ photo, picture }: ExtraPicture): string | undefined => photo ?? picture;

/** The fields of one entry that were not sent. An alternative text goes where its picture goes. */
function lostFieldsOf(one: ExtraPicture, isSent: (address: string) => boolean): string[] {
  const lost: string[] = ADDRESSES.filter((field) => one[field] !== undefined && !isSent(one[field]));
  const address = addressOf(one);
  const hasPicture = address !== undefined && isSent(address);
  return one.altText === undefined || hasPicture ? lost : [...lost, 'alt_text'];
}

/** The fields that were not sent, in one sentence, however many they are. */
export function lostExtra(extra: readonly ExtraPicture[], isSent: (address: string) => boolean): string[] {
  const lost = extra.flatMap((one) => lostFieldsOf(one, isSent).map((field) => `${one.name}[${field}]`));
  const [first, ...others] = lost;
  if (first === undefined) return [];
  const more = others.length === 0 ? '' : ` and ${others.length} more of extra_media`;
  return [`${first}${more}, for which the post has no place beside its other media`];
}
