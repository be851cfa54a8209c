// The history of a large installation, chained as the bridge chains it: each token was imported, and a stopped one was
// connected before and has died since.
import { CHAIN_START, textOfLink } from '../../../dist/domain/history/chain.js';
import { textOfEvent } from '../../../dist/domain/history/record-event.js';
import { newOrderedId } from '../../../dist/shared/ids.js';
import { accountIdOf, DAY, mappingIdOf, requestIdOf } from './rows.mjs';

/** What a token went through, as action and days ago. */
function changesOf({ state, token }) {
  const imported = ['token_imported', 100];
  if (state === 'unmapped') return [imported];
  const connected = ['token_connected', 90];
  if (state === 'active') return [imported, connected];
  const last = {
    reauthorization_required: 'token_reauthorization_required',
    revoked: 'token_revoked',
    migrated: 'token_migrated',
  };
  return [imported, connected, [last[state], token % 60]];
}

/** Makes entries after a head. `head` is the link of the last one that was made. */
export function historyAfter({ vault }, found, now) {
  let head = found ?? CHAIN_START;
  let id = head.position;
  function entryOf({ token, person, known, clientId }, [action, ago]) {
    id += 1;
    const at = now - ago * DAY;
    const entry = {
      id,
      uid: newOrderedId(at),
      at,
      actor: 'command',
      action,
      client_id: clientId,
      account_id: known ? accountIdOf(person) : null,
      grant_id: null,
      mapping_id: mappingIdOf(token),
      reason: 'import',
      request_id: requestIdOf(token),
    };
    const event = { ...entry, witness: vault.witness(textOfEvent(entry)) };
    head = { position: head.position + 1, chain: vault.witness(textOfLink(head, event)) };
    return { ...event, ...head };
  }
  return {
    *entriesOf(token) {
      for (const change of changesOf(token)) yield entryOf(token, change);
    },
    head: () => head,
  };
}
