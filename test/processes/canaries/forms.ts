/** The forms in which a secret could stand somewhere without being the same text. */

export interface Form {
  name: string;
  text: string;
}

/** Shorter than this a match proves nothing. */
export const SHORTEST = 12;

/** The part of the base64 of a longer text that depends on the value alone, when it begins after `lead` other bytes. */
function base64Core(value: Buffer, lead: number): string {
  const bytes = Buffer.concat([Buffer.alloc(lead), value]);
  return bytes.toString('base64').slice(Math.ceil((lead * 8) / 6), Math.floor((bytes.length * 8) / 6));
}

const toUrlAlphabet = (text: string) => text.replaceAll('+', '-').replaceAll('/', '_');
const insideJson = (text: string) => JSON.stringify(text).slice(1, -1);
const insideHtml = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
const insideForm = (text: string) => new URLSearchParams({ v: text }).toString().slice(2);

function inBytes(value: Buffer): Form[] {
  const hex = value.toString('hex');
  const leads = [0, 1, 2].map((lead) => base64Core(value, lead));
  return [
    { name: 'hex', text: hex },
    { name: 'HEX', text: hex.toUpperCase() },
    ...leads.map((text, lead) => ({ name: `base64 after ${lead}`, text })),
    ...leads.map((text, lead) => ({ name: `base64url after ${lead}`, text: toUrlAlphabet(text) })),
  ];
}

function inText(value: string): Form[] {
  const once = encodeURIComponent(value);
  return [
    { name: 'plain', text: value },
    { name: 'URL-encoded', text: once },
    { name: 'url-encoded in lower case', text: once.replace(/%../g, (code) => code.toLowerCase()) },
    { name: 'URL-encoded twice', text: encodeURIComponent(once) },
    { name: 'form-encoded', text: insideForm(value) },
    { name: 'JSON-escaped', text: insideJson(value).replaceAll('/', '\\/') },
    { name: 'in JSON', text: insideJson(value) },
    { name: 'in JSON in JSON', text: insideJson(insideJson(value)) },
    { name: 'in HTML', text: insideHtml(value) },
  ];
}

/**
 * Every form of a secret, each different text once. What follows the `1/` of a legacy value is looked for by itself,
 * and its first twelve characters too: the four of the hint are all that may be kept.
 */
export function formsOf(value: string): Form[] {
  const bare = value.replace(/^1\//, '');
  const start = bare === value ? [] : [{ name: 'its beginning', text: bare.slice(0, SHORTEST) }];
  const forms = [...inText(bare), ...inText(value), ...inBytes(Buffer.from(bare)), ...start];
  return [...new Map(forms.toReversed().map((form) => [form.text, form])).values()].toReversed();
}

/** The forms of a key's 32 bytes, beside its own text in the key file. */
export function formsOfBytes(value: Buffer): Form[] {
  return [{ name: 'raw bytes', text: value.toString('latin1') }, ...inBytes(value)];
}
