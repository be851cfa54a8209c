/** The content of a mail. The text and the HTML are both made from this content, so both say the same. */

interface Link {
  label: string;
  href: string;
}

/** One or two sentences, with a link for more. */
export interface LetterLine {
  text: string;
  link?: Link;
}

/** Calls of one kind. */
export interface CallLine {
  endpoint: string;
  /** Which program called, and where in the call the token stood. */
  how: string;
  calls: string;
}

export type LetterBlock =
  /** The subject of the blocks that follow. */
  | { kind: 'heading'; text: string }
  /** The most important fact. */
  | { kind: 'status'; text: string }
  | { kind: 'text'; text: string }
  /** A less important fact. */
  | { kind: 'note'; text: string }
  | { kind: 'list'; title: string; lines: LetterLine[] }
  | { kind: 'calls'; title: string; calls: CallLine[]; more: string }
  /** The main action, or another way (`isQuiet`). */
  | { kind: 'button'; link: Link; isQuiet: boolean };

/** All blocks about one app. */
export interface Card {
  name: string;
  /** The app's page. */
  href: string;
  blocks: LetterBlock[];
}

/** An app without a card. */
export interface OtherApp {
  /** Cleaned, in quotes. */
  name: string;
  /** What is due, such as `stops working in 14 days`; may be empty. */
  words: string;
  href?: string;
}

/** The title above the rows of `others`. */
export const OTHERS = 'More apps to look at';

export interface LetterContent {
  subject: string;
  greeting: string;
  opening: string;
  /** The most urgent apps. */
  cards: Card[];
  /** The apps without a card, a row for each. Empty when every app has a card. */
  others: OtherApp[];
  /** Leads from `others` to all apps. */
  more?: LetterLine | undefined;
  foot: LetterLine[];
}
