/** What people and programs may write, wherever they do: the main API and the settings pages. */

const LONGEST_ADDRESS = 2048;

/** `message` tells people what is wrong. */
export type Rule = readonly [isBroken: boolean, message: string];

/** The messages of the rules that are broken, in their order. */
export const broken = (rules: readonly Rule[]): string[] =>
  rules.flatMap(([isBroken, message]) => (isBroken ? [message] : []));

export const NAME_RULE =
  'The name must be one line of 1 to 100 characters that can be seen, with a letter, a digit or an emoji';

const SEEN = String.raw`[^\s\p{Cc}\p{Cs}\p{Default_Ignorable_Code_Point}]`;

/** The colour mark behind a sign, and the joiners inside of emoji and of Persian or Indic words. */
const JOINED = new RegExp(String.raw`(?<=${SEEN})(?:\uFE0F?[\u200C\u200D](?=${SEEN})|\uFE0F)`, 'gu');

/** With the empty Braille sign, which is no ignorable one, and the marks of interlinear notes. */
const HIDDEN =
  /[\p{Zl}\p{Zp}\p{Cc}\p{Cs}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\u2800\uFFF9-\uFFFB]/u;

/**
 * Whether it holds control characters, marks that turn the direction of what follows, or others that cannot be seen: a
 * name that people decide by could disguise itself with them.
 */
export const hidesCharacters = (text: string): boolean => HIDDEN.test(text.replaceAll(JOINED, ''));

/** Whether there is a letter, a digit or an emoji, so that a name can be read at all. */
export const isLegible = (text: string): boolean =>
  /[\p{L}\p{N}\p{Emoji_Presentation}]|\p{Emoji}\uFE0F/u.test(text);

/** Whether it keeps NAME_RULE and people can read it; spaces around it do not count. */
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
 * For every string in `value`, however deep; the messages have no full stop. Many programs end a text at NUL, and a lone
 * surrogate has no UTF-8 (RFC 3629 §3).
 */
export const textRules = (value: unknown): Rule[] => [
  [holds(value, /\0/), 'Text cannot hold the character NUL'],
  [holds(value, /\p{Cs}/u), 'Text cannot hold half a character (a lone surrogate)'],
];
