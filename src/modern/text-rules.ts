/** Rules for text that people and programs enter, in the main API and on the settings pages. */

const LONGEST_ADDRESS = 2048;

/** `message` tells people the error. */
export type TextRule = readonly [isBroken: boolean, message: string];

/** The messages of the broken rules, in the order of the rules. */
export const brokenRuleMessages = (rules: readonly TextRule[]): string[] =>
  rules.flatMap(([isBroken, message]) => (isBroken ? [message] : []));

export const NAME_RULE =
  'The name must be one line of 1 to 100 characters that can be seen, with a letter, a digit or an emoji';

const SEEN = String.raw`[^\s\p{Cc}\p{Cs}\p{Default_Ignorable_Code_Point}]`;

/**
 * The emoji variation selector (U+FE0F) after a visible character, and the joiners (U+200C, U+200D) between two visible
 * characters: emoji and Persian or Indic words need these characters.
 */
const JOINED = new RegExp(String.raw`(?<=${SEEN})(?:\uFE0F?[\u200C\u200D](?=${SEEN})|\uFE0F)`, 'gu');

/**
 * Characters that nobody sees, or that change the direction of text. The empty Braille sign (U+2800) is listed because
 * it is not default-ignorable. U+FFF9 to U+FFFB are the marks of interlinear notes.
 */
const HIDDEN =
  /[\p{Zl}\p{Zp}\p{Cc}\p{Cs}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\u2800\uFFF9-\uFFFB]/u;

/**
 * Whether the text holds control characters, marks that turn the direction of the following text, or other invisible
 * characters. These characters could disguise a name by which people decide.
 */
export const hidesCharacters = (text: string): boolean => HIDDEN.test(text.replaceAll(JOINED, ''));

/** Whether the text has a letter, a digit or an emoji. A name without any of the three cannot be read. */
export const isLegible = (text: string): boolean =>
  /[\p{L}\p{N}\p{Emoji_Presentation}]|\p{Emoji}\uFE0F/u.test(text);

/** Whether a name keeps NAME_RULE. Spaces around the name do not count. */
export function isName(text: string): boolean {
  const name = text.trim();
  return Array.from(name).length <= 100 && isLegible(name) && !hidesCharacters(name);
}

/** A whole http or https address of up to 2,048 characters. */
export const isWebAddress = (text: string): boolean =>
  text.length <= LONGEST_ADDRESS && URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);

const holds = (value: unknown, character: RegExp): boolean =>
  typeof value === 'string'
    ? character.test(value)
    : typeof value === 'object' &&
      value !== null &&
      Object.values(value).some((part) => holds(part, character));

/**
 * Checks every string in `value`, however deep. The messages have no full stop. Many programs end a text at NUL, and a
 * lone surrogate has no UTF-8 (RFC 3629 §3).
 */
export const textRules = (value: unknown): TextRule[] => [
  [holds(value, /\0/), 'Text cannot hold the character NUL'],
  [holds(value, /\p{Cs}/u), 'Text cannot hold half a character (a lone surrogate)'],
];
