import { readFileSync, statSync } from 'node:fs';
import { z } from 'zod';
import { isMailAddress } from '../shared/mail/address.ts';
import { path, plainText } from './config-values.ts';

/** The forms of the settings by which people see who speaks on pages and in mails. */

/** It stands in titles, headers of mails and sentences. */
export const shownName = plainText.refine(
  (given) => /^[\p{L}\p{N}\p{P}\p{S} ]{1,60}$/u.test(given) && !/[<>"\\]/.test(given),
  'must be a name of at most 60 characters, without < > " and backslashes',
);

/** Where people get help. */
export const helpAddress = plainText.refine((given) => {
  if (!URL.canParse(given)) return false;
  const { protocol, pathname, username } = new URL(given);
  return protocol === 'mailto:' ? isMailAddress(pathname) : protocol === 'https:' && username === '';
}, 'must be an https address or mailto:ADDRESS');

/** The language of pages and mails, as BCP 47 writes it: `en-gb` becomes `en-GB`. */
export const languageTag = plainText.transform((given, check) => {
  try {
    const [tag] = Intl.getCanonicalLocales(given);
    if (tag !== undefined) return tag;
  } catch {
    // The message below says what a tag looks like.
  }
  check.addIssue({ code: 'custom', message: 'must be a language tag (BCP 47), such as en, en-GB or en-US' });
  return z.NEVER;
});

/** The logo, read once at the start. */
export interface Logo {
  type: 'image/png' | 'image/svg+xml';
  bytes: Buffer;
}

/** Who speaks on pages and in mails. */
export interface Brand {
  /** What the service is called on pages and in mails. */
  serviceName: string;
  /** Shown beside the name at the head of every page. */
  serviceLogo: Logo | undefined;
  /** The language that pages and mails say they are in (BCP 47). */
  serviceLanguage: string;
  /** Where people get help. */
  helpUrl: string | undefined;
}

const LOGO_MAX = 32_768;

/** The most pixels of a side: a small file may name a picture that takes gigabytes in the browser. */
const SIDE_MAX = 2000;

const PNG_SIGNATURE = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');

/** Width and height stand behind the signature, the length and the name of the first chunk (PNG §11.2.2). */
const sidesOf = (png: Buffer) => [png.readUInt32BE(16), png.readUInt32BE(20)];

const isPng = (bytes: Buffer) => bytes.length > 24 && bytes.subarray(0, 16).equals(PNG_SIGNATURE);

/** The root element may follow a declaration and comments. */
const SVG = /^\uFEFF?\s*(?:<\?xml[^>]*\?>\s*)?(?:<!--(?:(?!-->)[\s\S])*-->\s*)*<svg[\s>]/;

/** The problem of an SVG, if any. It is served in a sandbox all the same: this finds the wrong file at the start. */
function svgProblem(text: string): string | undefined {
  if (!text.includes('http://www.w3.org/2000/svg')) return 'is an SVG without xmlns, which no browser shows';
  if (/<script/i.test(text)) return 'is an SVG with a script, and must be one without';
  if (/<!(?:DOCTYPE|ENTITY)/i.test(text)) return 'is an SVG with a DOCTYPE, and must be one without';
  return undefined;
}

/** The logo of these bytes, or the problem in plain words. */
function logoIn(bytes: Buffer): Logo | string {
  if (isPng(bytes)) {
    const isSmall = sidesOf(bytes).every((side) => side > 0 && side <= SIDE_MAX);
    return isSmall ? { type: 'image/png', bytes } : `must have at most ${SIDE_MAX} pixels on each side`;
  }
  const text = bytes.toString('utf8');
  if (!SVG.test(text)) return 'must be a PNG or an SVG';
  return svgProblem(text) ?? { type: 'image/svg+xml', bytes };
}

function readLogo(file: string): Logo | string {
  const found = statSync(file, { throwIfNoEntry: false });
  if (!found?.isFile()) return found ? 'is no file' : 'does not exist';
  if (found.size > LOGO_MAX) return `has more than ${LOGO_MAX / 1024} kB`;
  return logoIn(readFileSync(file));
}

/** The problem of a file that may not be read, without its path. */
function readOrProblem(file: string): Logo | string {
  try {
    return readLogo(file);
  } catch {
    return 'cannot be read';
  }
}

/** A PNG or SVG of at most 32 kB, by its content: the ending of its name says nothing. */
export const logoFile = path.transform((file, check) => {
  const logo = readOrProblem(file);
  if (typeof logo !== 'string') return logo;
  check.addIssue({ code: 'custom', message: logo });
  return z.NEVER;
});
