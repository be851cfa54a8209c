import PostalMime from 'postal-mime';
import type { Arrival } from '../shared/mail-server.ts';
import { WORDS } from './world/make-people.ts';

/** What a person finds in a mail, as a mail program shows it. */

export interface Letter {
  /** The local part of its Message-ID, which names it in the ledger. */
  id: string;
  machine: number;
  to: string;
  /** The names of apps that it speaks of. */
  names: ReadonlySet<string>;
}

/** As make-people.ts names them. */
const NAME = new RegExp(`\\b(?:${WORDS.join('|')})-\\d{4,}\\b`, 'g');

const namesIn = (text: string): Set<string> => new Set(text.replaceAll(/\s+/g, ' ').match(NAME) ?? []);

/** Reads one; its text and its HTML have to speak of the same apps. */
export async function readLetter({ raw, machine, messageId, to }: Arrival): Promise<Letter> {
  const { text = '' } = await PostalMime.parse(raw);
  return { id: messageId.split('@')[0] ?? '', machine, to, names: namesIn(text) };
}
