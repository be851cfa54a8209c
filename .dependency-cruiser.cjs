// The direction of imports (ARCHITECTURE.md, docs/decisions/0021): http and jobs -> domain -> store and upstream; shared is
// imported by all and imports nothing of ours; the embedded modern generation and the demo are reached over HTTP alone.
const folder = (name) => `^src/${name}/`;
const mayOnlyReach = (name, allowed) => ({
  name: `${name}-reaches-${allowed.join('-') || 'nothing'}`,
  severity: 'error',
  from: { path: folder(name) },
  to: { path: '^src/', pathNot: [name, ...allowed].map(folder).concat(`^src/${name}/`) },
});

// Rooms from the ground up: each reaches those before it alone, so no circle can close between rooms.
const ROOMS = {
  store:
    'tables driver instance work limits history keys people accounts api-keys apps grants tokens authorization lifecycle usage progress reminders leaks import support posts cut-over webhooks bulk files',
  domain:
    'work history usage keys instance lifecycle progress grants limits people tokens accounts api-keys apps old-calls live handover import translation ids old-api authorization reads cut-over checks posts reminders leaks support take-back webhooks bulk new-calls metrics',
  http: 'wire wording pages overload signin site charts tables cut-over legacy exchange leaks migrate lifecycle ops metrics webhooks owners support staff-api',
};

// What only the embedded new API and the demo need. A production of the bridge alone does not install it, so these are
// devDependencies (docs/operate/install.md).
const EMBEDDED_SIDE = '^src/(?:modern|demo)/';
const EMBEDDED_PACKAGES =
  '(?:^|/)node_modules/(?:@escape\\.tech/graphql-armor-[^/]+|grant|graphql|graphql-http|oidc-provider)/';

const installs = [
  {
    name: 'the-bridge-needs-no-development-package',
    comment: 'A production is installed without devDependencies.',
    severity: 'error',
    from: { path: '^src/', pathNot: EMBEDDED_SIDE },
    to: { dependencyTypes: ['npm-dev'] },
  },
  {
    name: 'the-embedded-side-needs-no-other-development-package',
    comment: 'Name the package above when only the embedded new API or the demo needs it.',
    severity: 'error',
    from: { path: EMBEDDED_SIDE },
    to: { dependencyTypes: ['npm-dev'], pathNot: EMBEDDED_PACKAGES },
  },
  {
    name: 'the-embedded-side-is-reached-over-http-alone',
    comment: 'It runs in processes of its own. An import would load its packages into the bridge.',
    severity: 'error',
    from: { path: '^src/', pathNot: EMBEDDED_SIDE },
    to: { path: EMBEDDED_SIDE },
  },
  {
    name: 'the-demo-data-is-loaded-on-demand',
    comment: 'Take it from src/app/demo-data.ts, where a demo runs.',
    severity: 'error',
    from: { path: '^src/', pathNot: '^src/demo-data/' },
    to: { path: '^src/demo-data/', dynamic: false, dependencyTypesNot: ['type-only'] },
  },
];

function roomsOf(layer) {
  const rooms = ROOMS[layer].split(' ');
  const each = rooms.slice(0, -1).map((room, at) => ({
    name: `${layer}/${room}-reaches-no-room-above`,
    severity: 'error',
    from: { path: folder(`${layer}/${room}`) },
    to: { path: `^src/${layer}/(?:${rooms.slice(at + 1).join('|')})/` },
  }));
  const unnamed = {
    name: `${layer}-has-a-room-without-a-floor`,
    comment: 'Give the new room its place in the order above.',
    severity: 'error',
    from: { path: `^src/${layer}/[^/]+/`, pathNot: `^src/${layer}/(?:${rooms.join('|')})/` },
    to: {},
  };
  return [...each, unnamed];
}

module.exports = {
  forbidden: [
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-orphans',
      severity: 'error',
      from: { orphan: true, pathNot: ['main\\.ts$', '\\.d\\.ts$', '^src/http/pages/assets/'] },
      to: {},
    },
    mayOnlyReach('shared', []),
    mayOnlyReach('store', ['shared']),
    mayOnlyReach('upstream', ['shared']),
    mayOnlyReach('domain', ['store', 'upstream', 'shared']),
    mayOnlyReach('jobs', ['domain', 'shared']),
    mayOnlyReach('http', ['domain', 'shared']),
    mayOnlyReach('modern', ['shared']),
    mayOnlyReach('demo', ['shared']),
    {
      name: 'rooms-take-what-they-name',
      comment:
        'A room names what it needs in its deps.ts. The whole context is known where it is built and handed out.',
      severity: 'error',
      from: { path: '^src/(?:domain|http)/[^/]+/' },
      to: { path: '^src/domain/context\\.ts$' },
    },
    ...installs,
    ...roomsOf('store'),
    ...roomsOf('domain'),
    ...roomsOf('http'),
  ],
  options: {
    parser: 'swc',
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
};
