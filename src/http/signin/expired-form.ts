import type { FormAct } from '../pages/form-acts.ts';
import { redactText } from '../../shared/log/redaction.ts';
import { CHOSEN_PREFIX, keepingAnother } from './return/wants-another.ts';

/**
 * The page after a form of a person who was signed out meanwhile. Nothing is done. The page shows the entries again,
 * and whoever has signed in since can send the entries with a click. The browser must say that the form came from a
 * page of the bridge: entries that another site filled in would be one click away from being sent in the person's name.
 * A form without entries starts again from its own page, which says what the form does.
 */

/** The fields that prove the origin of a form. The new page has new proofs. */
const PROOFS = new Set(['_form', 'csrf', 'switch_token']);

/** Names of fields that may hold a secret. `q` is the search of support, which takes whole tokens. */
const SECRET_NAME = /token|secret|password|^q$/;

/** The id that a form gives to a new object: long, and not secret. */
const IDS = new Set(['new_id']);

/** What a ticked box sends. Nothing was typed there, whatever the name of the box speaks of. */
const TICKED = new Set(['on', 'yes']);

/** Fields that the page filled in, and boxes that were ticked. The person typed none of them. */
const SEEN = /^seen_|^chosen$|^account$|^token-/;

function isSecret(name: string, value: string): boolean {
  if (value === '' || IDS.has(name) || TICKED.has(value)) return false;
  return SECRET_NAME.test(name) || redactText(value) !== value;
}

/** `modern_client_id` as `Modern client id`. */
const labelOf = (name: string) => (name.charAt(0).toUpperCase() + name.slice(1)).replaceAll('_', ' ');

/** What the person chose by such fields, in words: without them the page would not say what is sent again. */
function choicesIn(fields: Record<string, string>) {
  const tokens = Object.keys(fields).filter((name) => name.startsWith(CHOSEN_PREFIX)).length;
  return [
    ...(tokens > 0 ? [{ label: 'Tokens', value: `${tokens} chosen` }] : []),
    ...(fields['account'] === 'another' ? [{ label: 'Account', value: 'another one' }] : []),
  ];
}

/** The entries that are kept, whether all entries are kept (a secret stands on no page), and the entries to show. */
function keptFields(fields: Record<string, string>) {
  const typed = Object.entries(fields).filter(([name]) => !PROOFS.has(name));
  const kept = typed.filter(([name, value]) => !isSecret(name, value));
  const shown = kept.filter(([name, value]) => value !== '' && !IDS.has(name) && !SEEN.test(name));
  return {
    kept: kept.map(([name, value]) => ({ name, value })),
    isWhole: kept.length === typed.length,
    shown: [...shown.map(([name, value]) => ({ label: labelOf(name), value })), ...choicesIn(fields)],
  };
}

interface SentForm {
  /** Path and query of the form's request. */
  address: string;
  fields: Record<string, string>;
  isSignedIn: boolean;
  /** Whether the browser says that the form came from a page of the bridge. */
  isOwn: boolean;
  /** Undefined where the bridge has no form for this address. */
  act: FormAct | undefined;
}

type KeptFields = ReturnType<typeof keptFields>;

/** How the person goes on: send the form again, enter a secret again, or start from the page of the form. */
function wayOn({ isOwn, act }: SentForm, { isWhole, shown }: KeptFields): 'again' | 'secret' | 'page' {
  if (!isOwn || !act) return 'page';
  if (!isWhole) return 'secret';
  return shown.length > 0 ? 'again' : 'page';
}

const SIGN_OUT = '/sign-out';

/** The forms by which a person wants to be signed out. */
const SIGN_OUTS = [SIGN_OUT, '/apps/account/sign-out-everywhere'];

/** Whether a form of ours was to end the session that ran out meanwhile. */
export const isLateSignOut = ({ address, isSignedIn, isOwn }: SentForm): boolean =>
  isOwn && !isSignedIn && SIGN_OUTS.includes(address);

/** The data of the template `form-expired`. */
export function expiredFormPage(sent: SentForm) {
  const { address, act, isSignedIn } = sent;
  const wasSignOut = address === SIGN_OUT && !isSignedIn;
  const kept = keptFields(sent.fields);
  const away = address.startsWith('/support') ? '/support' : '/apps';
  return {
    title: wasSignOut ? 'You are signed out already' : 'This form has expired',
    wasSignOut,
    wayOn: wayOn(sent, kept),
    act,
    formPage: keepingAnother(act?.page ?? away, sent.fields),
    action: address,
    away,
    ...kept,
  };
}
