import { sql } from 'kysely';
import { DANA } from '../../owners/support/people.ts';
import { registerLegacyApp } from '../../support/bridge/register-app.ts';
import type { System } from '../../support/bridge/system.ts';
import { page, type Shown } from './all-pages.ts';

/** Pages where there is much: apps stand in a table, and tokens and people on many pages. */

const APPS = 30;

const TOKENS = 600;

/** The id of one that the database numbers. */
const idOf = (place: string) => sql.raw(`printf('${place}%020x', n)`);

const first = 'f11e' + '1'.padStart(20, '0');

/** Apps of Dana, the last with people who hold its tokens in every state. */
export async function fillMany({ bridge }: System): Promise<void> {
  const { store, clock } = bridge.context;
  let clientId = '';
  for (let n = 0; n < APPS; n++)
    ({ clientId } = await registerLegacyApp(bridge, 'https://many.example/cb', DANA.accountId));
  const now = sql.lit(clock.now());
  const numbers = sql`(with recursive s(n) as (select 1 union all select n + 1 from s where n < ${sql.lit(TOKENS)}) select n from s)`;
  await sql`insert into accounts (account_id, name, email, updated_at)
    select ${idOf('acc0')}, 'Person number ' || n, 'person-' || n || '@a-rather-long-host-name.example', ${now} from ${numbers} as s`.execute(
    store.durable,
  );
  const state = sql`case n % 3 when 0 then 'unmapped' when 1 then 'reauthorization_required' else 'revoked' end`;
  await sql`insert into mappings (id, token_digest, hint_first, hint_last, client_id, account_id, state, source, created_at, updated_at)
    select ${idOf('f11e')}, 'k1.' || ${idOf('f11e')}, 'abcd', 'wxyz', ${clientId}, ${idOf('acc0')}, ${state}, 'imported', ${now}, ${now} from ${numbers} as s`.execute(
    store.durable,
  );
}

/** Follows the way to the app that has the tokens. */
const ofToken =
  (end: (href: string) => string): NonNullable<Shown['act']> =>
  async (shown) => {
    const href = await shown.locator('.crumbs a').first().getAttribute('href');
    await shown.goto(new URL(end(href ?? ''), shown.url()).href);
  };

const token = `/support/mappings/${first}`;

/** What an owner and lead sees there. */
export const MANY_PAGES: readonly Shown[] = [
  page('many-home', '/apps'),
  page(
    'many-tokens',
    token,
    ofToken((href) => `${href.replace('/support', '')}/tokens`),
  ),
  page(
    'many-app',
    token,
    ofToken((href) => href.replace('/support', '')),
  ),
  page(
    'many-support-app',
    token,
    ofToken((href) => href),
  ),
  page('many-accounts', '/support/accounts'),
  page('many-progress', '/apps/progress'),
];
