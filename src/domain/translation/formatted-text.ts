/** The text of a post as HTML in the form of the old API: addresses are links, the rest is text. */

const ADDRESS = /https?:\/\/[^\s<>"']+/g;

/** Whether a text has an address that is a link in its HTML. */
export const holdsAddress = (text: string): boolean => text.search(ADDRESS) >= 0;

/** At the end of an address, these characters belong to the sentence. */
const PUNCTUATION = '.,;:!?)]}';

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

const escaped = (text: string) => text.replace(/[&<>"]/g, (character) => ENTITIES[character] ?? character);

function linked(found: string): string {
  let end = found.length;
  while (PUNCTUATION.includes(found.charAt(end - 1))) end -= 1;
  const address = escaped(found.slice(0, end));
  return `<a class="url" href="${address}" rel="external nofollow" target="_blank">${address}</a>${found.slice(end)}`;
}

/** The text as HTML. Old clients put this HTML into their pages, therefore all other characters of HTML are escaped. */
export function formattedText(text: string): string {
  let html = '';
  let end = 0;
  for (const { 0: found, index } of text.matchAll(ADDRESS)) {
    html += escaped(text.slice(end, index)) + linked(found);
    end = index + found.length;
  }
  return html + escaped(text.slice(end));
}
