/** The text of a post as HTML, in the form that the old API sent: addresses are links, everything else is text. */

const ADDRESS = /https?:\/\/[^\s<>"']+/g;

/** Behind an address these belong to the sentence. */
const PUNCTUATION = '.,;:!?)]}';

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

const escaped = (text: string) => text.replace(/[&<>"]/g, (character) => ENTITIES[character] ?? character);

function linked(found: string): string {
  let end = found.length;
  while (PUNCTUATION.includes(found.charAt(end - 1))) end -= 1;
  const address = escaped(found.slice(0, end));
  return `<a class="url" href="${address}" rel="external nofollow" target="_blank">${address}</a>${found.slice(end)}`;
}

/** The text as HTML; old clients put it into their pages, so that every other character of HTML is escaped. */
export function formattedText(text: string): string {
  let html = '';
  let end = 0;
  for (const { 0: found, index } of text.matchAll(ADDRESS)) {
    html += escaped(text.slice(end, index)) + linked(found);
    end = index + found.length;
  }
  return html + escaped(text.slice(end));
}
