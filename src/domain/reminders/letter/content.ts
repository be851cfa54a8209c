/** What a mail says, before it is text or HTML: both are made of the same, so that both say the same. */

interface Link {
  label: string;
  href: string;
}

/** A sentence or two, and where to go for it. */
export interface Line {
  text: string;
  link?: Link;
}

/** Calls of one kind. */
export interface CallLine {
  endpoint: string;
  /** How the token came and from whom. */
  how: string;
  calls: string;
}

export type Block =
  /** What the blocks after it are about. */
  | { kind: 'heading'; text: string }
  /** The one thing to know. */
  | { kind: 'status'; text: string }
  | { kind: 'text'; text: string }
  /** What matters less. */
  | { kind: 'note'; text: string }
  | { kind: 'list'; title: string; lines: Line[] }
  | { kind: 'calls'; title: string; calls: CallLine[]; more: string }
  /** The one thing to do, or another way (`isQuiet`). */
  | { kind: 'button'; link: Link; isQuiet: boolean };

/** All about one app. */
export interface Card {
  name: string;
  /** The app's page. */
  href: string;
  blocks: Block[];
}

/** Above the lines of `others`. */
export const OTHERS = 'More apps to look at';

export interface Content {
  subject: string;
  /** The most urgent apps. */
  cards: Card[];
  /** The apps that have no card of their own, a line each; the last line may stand for many. Empty where all have one. */
  others: Line[];
  foot: Line[];
}
