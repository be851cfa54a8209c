import { redactText } from '../../shared/redaction.ts';

/**
 * What becomes of a form that was sent by somebody who was signed out meanwhile: nothing is done, and what was typed is
 * shown again to be sent once more. Whoever has signed in since sends it from this page with a click of their own, so
 * that no other site can send anything in their name.
 */

/** The fields that prove where a form came from; the page has new ones. */
const PROOFS = new Set(['_form', 'csrf']);

/** What may hold a secret by its name; the search of support takes whole tokens. */
const SECRET_NAME = /token|secret|password|^q$/;

/** The id that a form gives to what it makes: long, and no secret. */
const IDS = new Set(['new_id']);

function isSecret(name: string, value: string): boolean {
  if (value === '' || IDS.has(name)) return false;
  return SECRET_NAME.test(name) || redactText(value) !== value;
}

/** `modern_client_id` as `Modern client id`. */
const labelOf = (name: string) => (name.charAt(0).toUpperCase() + name.slice(1)).replaceAll('_', ' ');

/** What was typed, whether that is all of it (a secret stands on no page), and what of it a person reads again. */
function keptFields(fields: Record<string, string>) {
  const typed = Object.entries(fields).filter(([name]) => !PROOFS.has(name));
  const kept = typed.filter(([name, value]) => !isSecret(name, value));
  const shown = kept.filter(([name, value]) => value !== '' && !IDS.has(name));
  return {
    kept: kept.map(([name, value]) => ({ name, value })),
    isWhole: kept.length === typed.length,
    shown: shown.map(([name, value]) => ({ label: labelOf(name), value })),
  };
}

interface Sent {
  /** Path and query to which the form was sent. */
  address: string;
  fields: Record<string, string>;
  isSignedIn: boolean;
}

/** What the template `form-expired` shows. */
export function expiredFormPage({ address, fields, isSignedIn }: Sent) {
  const wasSignOut = address === '/sign-out' && !isSignedIn;
  return {
    title: wasSignOut ? 'You are signed out already' : 'This form has expired',
    wasSignOut,
    action: address,
    away: address.startsWith('/support') ? '/support' : '/apps',
    ...keptFields(fields),
  };
}
