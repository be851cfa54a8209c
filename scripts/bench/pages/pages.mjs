// The pages that are measured: whose they are, their address, and for a search what is typed.
import { accountIdOf, clientIdOf, HOLDER, mappingIdOf, nameOf, OWNED } from './rows.mjs';

const [BIG, SMALL] = [clientIdOf(0), clientIdOf(OWNED - 1)];

const owner = [
  '/apps',
  '/apps?own-show=waiting&own-sort=name',
  '/apps?own-find=planner',
  '/apps/progress',
  '/apps/account',
  '/apps/paste-token',
  ...[
    '',
    '/secrets',
    '/modern-client',
    '/contacts',
    '/rehearse',
    '/new-calls',
    '/live',
    '/move',
    '/calls',
    '/calls?days=90',
    '/tokens',
  ].flatMap((page) => [`/apps/${BIG}${page}`, `/apps/${SMALL}${page}`]),
  `/apps/${BIG}/tokens?sort=unused`,
  `/apps/${BIG}/tokens?show=stopped&sort=stopped`,
  `/apps/${BIG}/tokens?show=waiting`,
  `/apps/${BIG}/tokens?find=${nameOf(1).split(' ')[1]}`,
  `/apps/${BIG}/tokens?find=Dana`,
].map((path) => ({ who: 'OWNER', path }));

const holder = [
  '/apps',
  `/apps/${BIG}`,
  `/apps/${BIG}/tokens`,
  `/apps/${BIG}/calls`,
  `/apps/${BIG}/live`,
].map((path) => ({
  who: 'HOLDER',
  path,
}));

const DESKS = [
  'in-doubt',
  'died-today',
  'undeliverable',
  'no-account',
  'hand-overs',
  'waiting',
  'extensions',
  'unproven',
];

const support = [
  '/apps/register',
  '/support',
  '/support/desks',
  '/support/accounts',
  '/support/accounts?show=stopped',
  '/support/accounts?show=stopped&sort=last',
  '/support/accounts?show=owners',
  `/support/accounts?find=${nameOf(1).split(' ')[1]}`,
  ...DESKS.map((desk) => `/support/desks/${desk}`),
  '/support/desks/died-today?cause=refused',
  `/support/desks/died-today?app=${BIG}`,
  '/support/desks/undeliverable?find=lost-77',
  '/support/desks/waiting?find=planner',
  '/support/numbers',
  `/support/apps/${BIG}`,
  `/support/apps/${BIG}?show=stopped&sort=stopped`,
  `/support/apps/${BIG}?find=mail-7`,
  `/support/apps/${SMALL}`,
  `/support/accounts/${accountIdOf(HOLDER)}`,
  `/support/accounts/${accountIdOf(HOLDER)}?sort=used`,
  `/support/accounts/${accountIdOf(6)}`,
  `/support/mappings/${mappingIdOf(7)}`,
].map((path) => ({ who: 'STAFF', path }));

const searches = {
  'a surname': nameOf(6).split(' ')[1],
  'letters of very many': 'mail',
  'a part of an address': `${nameOf(7).split(' ')[1].toLowerCase()}.7@`,
  'a mistake': `${nameOf(6).split(' ')[1]}x`,
  'a mistake in a common name': 'Chiaara',
  'a host': 'hooks-7.apps.example',
  'a mistake in a host': 'hoks-7.apps.example',
  'four characters': 'a1b2',
  'an address': 'nobody@mail-1.example',
  'a name of apps': 'planner',
};

export const PAGES = [
  ...owner,
  ...holder,
  ...support,
  ...Object.entries(searches).map(([what, q]) => ({ who: 'STAFF', path: '/support/search', what, q })),
];
