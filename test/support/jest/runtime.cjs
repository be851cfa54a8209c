// jest's runtime, whose worker loads each module of the bridge and of the packages once. jest loads them anew for every test
// file, which was half of the processor time of the fast ring: to run them, and to run them slowly, for no code lived long
// enough to be optimized. The test files and what stands below `test` are loaded anew for each file, as with jest. A shared
// module that changes what jest replaces for each file, such as `console`, does so for the first file of a worker alone.
const path = require('node:path');
const { default: Runtime } = require('jest-runtime');

/** jest empties these after each test file. They are kept: no file changes while a run lasts. */
class Kept extends Map {
  clear() {}
}

const keptTexts = new Kept();
const keptSourceMaps = new Kept();

/** What each module became, so that no later test file asks the cache of transformed texts on disk for it again. */
const transformed = new Map();

/** The transformer of one test file. jest makes a new one for each, which knows nothing of what the last has read. */
function keepTransformed(transformer) {
  const transform = transformer.transform.bind(transformer);
  transformer.transform = (file, options, text) => {
    const known = transformed.get(file);
    if (known?.text === text && known.isInstrumented === options.instrument) return known.result;
    const result = transform(file, options, text);
    transformed.set(file, { text, result, isInstrumented: options.instrument });
    return result;
  };
  return transformer;
}

const root = path.join(__dirname, '../../..');
const shares = ['src', 'node_modules'].map((folder) => path.join(root, folder) + path.sep);
const isShared = (file) => shares.some((folder) => file.startsWith(folder));

/** The modules of the worker, by their paths. */
const shared = new Map();

/** The modules of one test file: those of the project and of packages are the worker's, all others its own. */
class Modules extends Map {
  get(file) {
    return isShared(file) ? shared.get(file) : super.get(file);
  }
  has(file) {
    return isShared(file) ? shared.has(file) : super.has(file);
  }
  set(file, module) {
    if (isShared(file)) shared.set(file, module);
    else super.set(file, module);
    return this;
  }
  delete(file) {
    return isShared(file) ? shared.delete(file) : super.delete(file);
  }
}

module.exports = class extends Runtime {
  #isSharing;

  // oxlint-disable-next-line max-params -- jest makes it with these
  constructor(config, environment, resolver, transformer, texts, coverage, testPath, globalConfig) {
    const isWatching = globalConfig.watch || globalConfig.watchAll;
    super(
      config,
      environment,
      resolver,
      isWatching ? transformer : keepTransformed(transformer),
      isWatching ? texts : keptTexts,
      coverage,
      testPath,
      globalConfig,
    );
    this.#isSharing = !isWatching && process.env.TEST_MODULES !== 'own';
    if (!this.#isSharing) return;
    this.registries.moduleRegistry = new Modules();
    this.transformCache.sourceMaps = keptSourceMaps;
  }

  /** A shared module may load another one between two tests, and long after the file that asked for it first. */
  leaveTestCode() {
    if (!this.#isSharing) super.leaveTestCode();
  }

  /** A shared module asks the runtime that loaded it for what it loads later: that runtime keeps what this needs. */
  teardown() {
    if (!this.#isSharing) return super.teardown();
    this.restoreAllMocks();
    this.registries.moduleRegistry.clear();
    // jest's own modules, of which each file has new ones.
    this.registries.getInternalCjsRegistry().clear();
    this.testMainModule.reset();
    this.mockState.clear();
    this.jestGlobals.clearJestObjectCache();
    return undefined;
  }
};
