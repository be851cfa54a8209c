import type { Vault } from '../../shared/secrets.ts';
import type { ChainLink } from '../../store/history/events.ts';
import type { Event } from '../../store/tables/tables.ts';
import { textOfEvent } from './record-event.ts';

/** The rules of the chain (docs/decisions/0011). The sealer writes by these rules, and the proof reads by them. */

/** The link before the first entry of a history. */
export const CHAIN_START: ChainLink = { position: 0, chain: '' };

/**
 * The text under the chain's value at an entry: its position, the chain before it, the id of its row, its content and
 * its witness.
 */
export function textOfLink(before: ChainLink, event: Event): string {
  return JSON.stringify([before.position + 1, before.chain, event.id, textOfEvent(event), event.witness]);
}

/** Whether the bridge wrote the content of this entry. The place of the entry is not checked. */
export function isOwn(vault: Vault, event: Event): boolean {
  return event.witness !== null && vault.isWitness(textOfEvent(event), event.witness);
}

/** Whether an entry was written by an early version, whose entries had no witness. */
export function isOlderThanWitnesses(event: Event): boolean {
  return event.uid === null && event.witness === null;
}

/** Whether the bridge chained this entry right after `before`. The present position of the row does not count. */
export function follows(vault: Vault, before: ChainLink, event: Event): boolean {
  return vault.isWitness(textOfLink(before, event), event.chain ?? '');
}
