import type { Vault } from '../../shared/secrets.ts';
import type { Link } from '../../store/history/events.ts';
import type { Event } from '../../store/tables/tables.ts';
import { textOfEvent } from './record-event.ts';

/** The rules of the chain (docs/decisions/0011), which the sealer writes by and the proof reads by. */

/** What the first entry of a history follows. */
export const CHAIN_START: Link = { position: 0, chain: '' };

/** What the chain's value at an entry is over: its place, all before it, its row and what it says. */
export function textOfLink(before: Link, event: Event): string {
  return JSON.stringify([before.position + 1, before.chain, event.id, textOfEvent(event), event.witness]);
}

/** Whether the bridge wrote what this entry says; where is another question. */
export function isOwn(vault: Vault, event: Event): boolean {
  return event.witness !== null && vault.isWitness(textOfEvent(event), event.witness);
}

/** Whether an entry was written by a version whose entries had no witness yet. */
export function isOlderThanWitnesses(event: Event): boolean {
  return event.uid === null && event.witness === null;
}

/** Whether the bridge chained this entry right after that one, whatever position its row has now. */
export function follows(vault: Vault, before: Link, event: Event): boolean {
  return vault.isWitness(textOfLink(before, event), event.chain ?? '');
}
