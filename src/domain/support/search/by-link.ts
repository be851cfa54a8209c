import { findProof } from '../../../store/accounts/email-proofs.ts';
import { findLink } from '../../../store/authorization/reauthorization-links.ts';
import { accountsWith, mappingsWith, personOfMail } from '../../../store/support/support-search.ts';
import { underAllKeys } from '../../keys/retry-after-key-rotation.ts';
import type { SupportDeps } from '../deps.ts';
import type { Query } from './read-query.ts';
import { LIMIT, NOTHING, type SearchMatches } from './search-matches.ts';

/** Where the links lead that people have in their mails and answers. */

/** The tokens under an address, and the accounts with it. */
async function ofAddress({ store }: SupportDeps, email: string): Promise<SearchMatches> {
  const [tokens, accounts] = await Promise.all([
    mappingsWith(store.durable, { account_email: email }, LIMIT),
    accountsWith(store.durable, { email }, LIMIT),
  ]);
  return { ...NOTHING, tokens, accounts };
}

/** The person of a mail, whose id stands in the link by which its reader wants no more. */
async function ofMail(context: SupportDeps, id: string): Promise<SearchMatches> {
  const { durable } = context.store;
  const person = await personOfMail(durable, id);
  if (person === undefined) return NOTHING;
  const of = person.slice(person.indexOf(':') + 1);
  if (person.startsWith('email:')) return ofAddress(context, of);
  return { ...NOTHING, accounts: await accountsWith(durable, { id: of }, 1) };
}

/** The tokens of the app and account of a link that connects, or the person of a mail. */
export async function byLink(context: SupportDeps, id: string): Promise<SearchMatches> {
  const { durable } = context.store;
  const link = await findLink(durable, id);
  if (!link) return ofMail(context, id);
  const { client_id, account_id } = link;
  const tokens = await mappingsWith(durable, { client_id, account_id }, LIMIT);
  const accounts = tokens.length > 0 ? [] : await accountsWith(durable, { id: account_id }, 1);
  return { ...NOTHING, tokens, accounts };
}

/** What waits under the address that a mailed link proves. The look-up uses up nothing, and the link is shown nowhere. */
export async function byProof(context: SupportDeps, { proof: value }: Query): Promise<SearchMatches> {
  if (value === undefined) return NOTHING;
  const find = () => findProof(context.store.durable, context.vault.digests(value));
  const proof = await underAllKeys(context, find);
  return proof ? ofAddress(context, proof.email) : NOTHING;
}
