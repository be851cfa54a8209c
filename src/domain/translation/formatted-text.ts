/**
 * The text of a post as HTML in the form of the old API: addresses are links, on Twitter hashtags and names of accounts
 * too, and the rest is text.
 */

const ADDRESS = /(?<address>https?:\/\/[^\s<>"']+)/gu;

/** A hashtag has a letter. Neither a hashtag nor a name begins within a word, an address or the name of a mailbox. */
const HASHTAG = /(?<![\p{L}\p{N}_&/#])#(?<tag>(?=[\p{N}_]*\p{L})[\p{L}\p{M}\p{N}_]+)/u;
const NAME = /(?<![\p{L}\p{N}_.@/])@(?<name>\w{1,15})(?![\p{L}\p{N}_@])/u;

const ON_TWITTER = new RegExp([ADDRESS, HASHTAG, NAME].map(({ source }) => source).join('|'), 'gu');

/** Whether a text has an address that is a link in its HTML. */
export const holdsAddress = (text: string): boolean => text.search(ADDRESS) >= 0;

/** At the end of an address, these characters belong to the sentence. */
const PUNCTUATION = '.,;:!?)]}';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  // As recorded. Some pages put the text between apostrophes.
  "'": '&#039;',
};

const escaped = (text: string) => text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);

const ELSEWHERE = 'rel="external nofollow" target="_blank"';

function linkedAddress(found: string): string {
  let end = found.length;
  while (PUNCTUATION.includes(found.charAt(end - 1))) end -= 1;
  const address = escaped(found.slice(0, end));
  return `<a class="url" href="${address}" ${ELSEWHERE}>${address}</a>${found.slice(end)}`;
}

/** What was found in a text, by its kind. A hashtag has letters, digits and underscores, a name those of ASCII alone. */
type FoundInText = Partial<Record<'address' | 'tag' | 'name', string>>;

function linked({ address, tag, name }: FoundInText): string {
  if (address !== undefined) return linkedAddress(address);
  if (name !== undefined)
    return `@<a class="username" href="https://twitter.com/${name}" ${ELSEWHERE}>${name}</a>`;
  const search = `https://twitter.com/#!/search?q=%23${encodeURIComponent(tag ?? '')}`;
  return `<a href="${search}" title="#${tag}" class="hashtag" ${ELSEWHERE}>#${tag}</a>`;
}

/**
 * The text of a post on a service as HTML. Old clients put this HTML into their pages, therefore all other characters of
 * HTML are escaped.
 */
export function formattedText(text: string, service: string): string {
  let html = '';
  let end = 0;
  for (const { 0: found, index, groups } of text.matchAll(service === 'twitter' ? ON_TWITTER : ADDRESS)) {
    html += escaped(text.slice(end, index)) + linked(groups ?? {});
    end = index + found.length;
  }
  return html + escaped(text.slice(end));
}
