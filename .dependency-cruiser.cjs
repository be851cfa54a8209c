// The direction of imports (README, "The way of the data"): http and jobs -> domain -> store and upstream; shared is
// imported by all and imports nothing of ours; the embedded modern generation and the demo are reached over HTTP alone.
const folder = (name) => `^src/${name}/`;
const mayOnlyReach = (name, allowed) => ({
  name: `${name}-reaches-${allowed.join('-') || 'nothing'}`,
  severity: 'error',
  from: { path: folder(name) },
  to: { path: '^src/', pathNot: [name, ...allowed].map(folder).concat(`^src/${name}/`) },
});

module.exports = {
  forbidden: [
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-orphans',
      severity: 'error',
      from: { orphan: true, pathNot: ['main\\.ts$', '\\.d\\.ts$', '^src/http/assets/'] },
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
