import { tokenHint } from '../../../src/shared/ids.ts';
import { accountOf, emailOf, type Role } from './people.ts';
import { CONTACT, type Scene } from './scene.ts';

/** What must not stand on a page for a role, though its status is right. */

const identityOf = (role: Role) => [accountOf(role), emailOf(role), `Person ${role}`];

function ofToken({ token, mappingId }: Scene): string[] {
  const { first, last } = tokenHint(token);
  return [mappingId, `1/${first}…${last}`];
}

/** What nobody reads, whoever it is. */
const secretsOf = ({ token, grantTokens }: Scene) => [token, token.slice(2), ...grantTokens];

const CONTACTS: ReadonlySet<Role> = new Set(['contact-sees', 'contact-manages']);

const STAFF: ReadonlySet<Role> = new Set(['reader', 'agent', 'lead']);

function others(role: Role, scene: Scene): string[] {
  const [holder, owner] = [identityOf('holder'), [...identityOf('owner'), CONTACT, scene.secretId]];
  // By their names the owner knows whose tokens of the own app are whose.
  if (role === 'owner') return holder.slice(0, 2);
  // Contacts who were given the pages know by their names whose tokens are whose, and see no secret.
  if (CONTACTS.has(role)) return [...holder.slice(0, 2), ...identityOf('owner').slice(0, 2), scene.secretId];
  if (role === 'holder') return owner;
  return [...holder, ...owner, ...ofToken(scene)];
}

/** Staff read it below /support and are like anybody on the pages of owners. */
export function untoldTo(role: Role, path: string, scene: Scene): string[] {
  const isTheirs = STAFF.has(role) && path.startsWith('/support');
  const isNamed = (text: string) => path.includes(text);
  return [...secretsOf(scene), ...(isTheirs ? [] : others(role, scene))].filter((text) => !isNamed(text));
}
