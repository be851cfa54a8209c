import type { FormAct } from '../pages/form-acts.ts';
import { redactText } from '../../shared/log/redaction.ts';

/**
 * What becomes of a form that was sent by somebody who was signed out meanwhile: nothing is done, and what was typed is
 * shown again to be sent once more, by whoever has signed in since with a click of their own. Only where the browser
 * says that it came from a page of ours: what another site has filled in would be one click away from being done in the
 * person's name. And only where something was typed: an act without that is begun anew from its page, which says what
 * it does.
 */

/** The fields that prove where a form came from; the page has new ones. */
const PROOFS = new Set(['_form', 'csrf']);

/** What may hold a secret by its name; the search of support takes whole tokens. */
const SECRET_NAME = /token|secret|password|^q$/;

/** The id that a form gives to what it makes: long, and no secret. */
const IDS = new Set(['new_id']);

/** What a page showed, and no entry of a person. */
const SEEN = /^seen_/;

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
  const shown = kept.filter(([name, value]) => value !== '' && !IDS.has(name) && !SEEN.test(name));
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
  /** Whether the browser says that it came from a page of ours. */
  isOwn: boolean;
  /** Undefined where no form of ours is sent to this address. */
  act: FormAct | undefined;
}

type Kept = ReturnType<typeof keptFields>;

/** How the person goes on: by sending it again, by pasting a secret again, or from the page of the form. */
function wayOn({ isOwn, act }: Sent, { isWhole, shown }: Kept): 'again' | 'secret' | 'page' {
  if (!isOwn || !act) return 'page';
  if (!isWhole) return 'secret';
  return shown.length > 0 ? 'again' : 'page';
}

/** What the template `form-expired` shows. */
export function expiredFormPage(sent: Sent) {
  const { address, act, isSignedIn } = sent;
  const wasSignOut = address === '/sign-out' && !isSignedIn;
  const kept = keptFields(sent.fields);
  const away = address.startsWith('/support') ? '/support' : '/apps';
  return {
    title: wasSignOut ? 'You are signed out already' : 'This form has expired',
    wasSignOut,
    wayOn: wayOn(sent, kept),
    act,
    formPage: act?.page ?? away,
    action: address,
    away,
    ...kept,
  };
}
