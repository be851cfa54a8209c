// The pages that are measured: whose they are, their address, and for a search what is typed. `test/pages/measured-pages.test.ts`
// holds that every page of owners and of support is here, in every tab and order.
import { PROOF } from './more-rows.mjs';
import {
  accountIdOf,
  clientIdOf,
  DAY,
  HOLDER,
  mappingIdOf,
  nameOf,
  OWNED,
  OWNER,
  requestIdOf,
} from './rows.mjs';

const [BIG, SMALL, SHARED] = [clientIdOf(0), clientIdOf(OWNED - 1), clientIdOf(OWNED)];
const surnameOf = (person) => nameOf(person).split(' ')[1];

/** Each address with each of the values of a parameter. */
const inAll = (path, values) => values.map((value) => `${path}${value === '' ? '' : `?${value}`}`);
const TOKEN_LISTS = [
  '',
  ...['stopped', 'waiting', 'connected', 'moved', 'revoked'].map((tab) => `show=${tab}`),
].flatMap((tab) => [
  tab,
  `${tab}${tab === '' ? '' : '&'}sort=unused`,
  ...(tab === 'show=stopped' ? [`${tab}&sort=stopped`] : []),
]);
const APP_LISTS = (prefix) =>
  ['sort=name', 'show=waiting', 'show=done', 'find=planner'].map((text) => `${prefix}${text}`);
const AS_FILES = ['tokens.csv', 'tokens.json', 'calls.csv', 'calls.json'];

/** Pages of both a large and a small app. */
const OF_APP = [
  '',
  '/secrets',
  '/modern-client',
  '/contacts',
  '/rehearse',
  '/new-calls',
  '/live',
  '/move',
  '/webhooks',
  ...inAll('/calls', ['', 'days=7', 'days=90']),
  ...inAll('/tokens', TOKEN_LISTS),
];

const owner = (ids) => [
  ...inAll('/apps', ['', ...APP_LISTS('own-')]),
  '/apps/progress',
  '/apps/account',
  '/apps/paste-token',
  ...OF_APP.flatMap((page) => [`/apps/${BIG}${page}`, `/apps/${SMALL}${page}`]),
  `/apps/${BIG}/tokens?find=${surnameOf(1)}`,
  `/apps/${BIG}/tokens?find=Dana`,
  `/apps/${BIG}/tokens?find=a1b2`,
  `/apps/${BIG}/secrets/${ids.secret}/retire`,
  `/apps/${BIG}/webhooks/${ids.appHook}`,
];

const holder = (ids) => [
  ...inAll('/apps', ['', ...APP_LISTS('use-')]),
  `/apps/connect/${ids.link}`,
  `/apps/prove-email/${PROOF}`,
  ...['', '/connect', '/connected', '/revoke', '/live', '/tokens', '/tokens?show=stopped', '/calls'].map(
    (page) => `/apps/${BIG}${page}`,
  ),
  // An app that is shared with the person.
  ...['', '/tokens', '/calls', '/live', '/move', '/contacts', '/shared'].map(
    (page) => `/apps/${SHARED}${page}`,
  ),
];

/** The desks with their tabs and orders; what an address that names none shows is ''. */
const DESKS = {
  'in-doubt': [
    ['', 'doubt', 'sent'],
    ['', 'last'],
  ],
  'died-today': [[''], ['']],
  undeliverable: [[''], ['', 'oldest']],
  'no-account': [
    ['', 'address', 'old-id'],
    ['', 'fewest'],
  ],
  'hand-overs': [[''], ['', 'newest']],
  waiting: [
    ['', 'refused', 'dated', 'undated', 'ended'],
    ['', 'people'],
  ],
  extensions: [['', 'ahead', 'over'], ['']],
  unproven: [[''], ['', 'oldest']],
};
const deskLists = Object.entries(DESKS).flatMap(([desk, [tabs, sorts]]) =>
  tabs.flatMap((show) =>
    sorts.map((sort) => {
      const query = new URLSearchParams(
        Object.entries({ show, sort }).filter(([, value]) => value !== ''),
      ).toString();
      return `/support/desks/${desk}${query === '' ? '' : `?${query}`}`;
    }),
  ),
);

const dayAgo = (days) => new Date(Date.now() - days * DAY).toISOString().slice(0, 10);

const lists = [
  ...inAll('/support/accounts', ['', 'show=stopped', 'show=stopped&sort=last', 'show=owners']),
  `/support/accounts?find=${surnameOf(1)}`,
  ...deskLists,
  // The page after a row that lies far from the first.
  '/support/desks/no-account?after=1_8',
  '/support/desks/unproven?sort=oldest&back=9999999999999_z',
  '/support/accounts?show=stopped&back=9999999999999_z',
  ...inAll('/support/desks/died-today', ['cause=refused', `app=${BIG}`, `day=${dayAgo(6)}`]),
  '/support/desks/undeliverable?find=lost-77',
  '/support/desks/waiting?find=planner',
  '/support/desks/no-account?find=mail-7',
];

const ofOne = (ids) => [
  ...[BIG, SMALL].flatMap((app) => inAll(`/support/apps/${app}`, TOKEN_LISTS)),
  `/support/apps/${BIG}?find=mail-7`,
  ...[HOLDER, OWNER, 6].flatMap((person) =>
    inAll(`/support/accounts/${accountIdOf(person)}`, ['', 'sort=used', 'show=stopped', 'show=waiting']),
  ),
  `/support/mappings/${mappingIdOf(7)}`,
  `/support/mappings/${mappingIdOf(7)}?at=${new Date(Date.now() - 95 * DAY).toISOString().slice(0, 16)}Z`,
  `/support/requests/${requestIdOf(0)}`,
  ...['revoke', 'remind', 'link'].map((act) => `/support/mappings/${mappingIdOf(2)}/${act}`),
  `/support/mappings/${mappingIdOf(1)}/probe`,
  `/support/mappings/${ids.unproven}/assign`,
  `/support/mappings/${ids.nobodys}/pin`,
  `/support/apps/${BIG}/extend`,
  `/support/apps/${clientIdOf(49)}/unextend`,
  `/support/apps/${clientIdOf(49)}/give`,
  `/support/api-keys/${ids.apiKey}/end`,
  `/support/webhooks/${ids.supportHook}`,
  `/support/history/${ids.entry}/take-back`,
  `/support/mails/${ids.mail}/settle`,
];

const support = (ids) => [
  // Only staff may register an app here.
  '/apps/register',
  '/support',
  '/support/search',
  '/support/desks',
  ...inAll('/support/api-keys', ['', 'show=live', 'show=over']),
  '/support/webhooks',
  '/support/numbers',
  ...lists,
  ...ofOne(ids),
];

const searches = {
  'a surname': surnameOf(6),
  'letters of very many': 'mail',
  'a part of an address': `${surnameOf(7).toLowerCase()}.7@`,
  'a mistake': `${surnameOf(6)}x`,
  'a mistake in a common name': 'Chiaara',
  'a host': 'hooks-7.apps.example',
  'a mistake in a host': 'hoks-7.apps.example',
  'four characters': 'a1b2',
  'an address': 'nobody@mail-1.example',
  'a name of apps': 'planner',
};

const files = [
  ...AS_FILES.flatMap((file) => [`/apps/${BIG}/${file}`, `/apps/${SMALL}/${file}`]).map((path) => [
    'OWNER',
    path,
  ]),
  ...['csv', 'json']
    .flatMap((kind) => inAll(`/support/numbers.${kind}`, ['', 'by=app']))
    .map((path) => ['STAFF', path]),
];

/** All of them, with the ids that addresses name. Files are sent while they are read, and have no limits. */
export const pagesOf = (ids) => [
  ...owner(ids).map((path) => ({ who: 'OWNER', path })),
  ...holder(ids).map((path) => ({ who: 'HOLDER', path })),
  ...support(ids).map((path) => ({ who: 'STAFF', path })),
  ...Object.entries(searches).map(([what, q]) => ({ who: 'STAFF', path: '/support/search', what, q })),
  ...files.map(([who, path]) => ({ who, path, isFile: true })),
];
