/** The links of the bridge in a text that a caller gives: pure functions. */

export interface LinksInText {
  /** The value of a link that proves an address. Only its digest is known here. */
  proof: string | undefined;
  /** The parts of the path of a link, any of which may be the id of something. */
  ids: string[];
  /** The host of an address, as a callback of an app has one. */
  host: string | undefined;
}

const ADDRESS = /https?:\/\/[^\s"'`<>]{1,500}/i;

const PROOF = /\/apps\/prove-email\/([\w-]{20,100})/;

/** A host that stands alone, as a caller reads it out. */
const BARE_HOST = /^[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,8}(?::\d{1,5})?$/i;

function addressIn(text: string): URL | undefined {
  const found = ADDRESS.exec(text)?.[0].replace(/[.,;:!?)\]]+$/, '');
  return found !== undefined && URL.canParse(found) ? new URL(found) : undefined;
}

function decoded(part: string): string[] {
  try {
    return [decodeURIComponent(part)];
  } catch {
    return [];
  }
}

const PARTS_MAX = 6;

/** Reads the links in a text. `clean` is the text without what was put around it. */
export function linksIn(text: string, clean: string): LinksInText {
  const address = addressIn(text);
  const parts = address?.pathname.split('/').filter((part) => part !== '') ?? [];
  return {
    proof: PROOF.exec(text)?.[1],
    ids: parts.slice(0, PARTS_MAX).flatMap(decoded),
    host: address?.host ?? (BARE_HOST.test(clean) ? clean.toLowerCase() : undefined),
  };
}
