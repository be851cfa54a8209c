// jest's runtime, whose worker reads the text of each module once, and not anew for every test file.
const { default: Runtime } = require('jest-runtime');

/** jest empties the texts after each test file. They are kept: no file changes while a run lasts. */
class KeptTexts extends Map {
  clear() {}
}

const kept = new KeptTexts();

/** What each module became, so that no later test file asks the cache of transformed texts on disk for it again. */
const transformed = new Map();

/** The transformer of one test file. jest makes a new one for each, which knows nothing of what the last has read. */
function keepTransformed(transformer) {
  const transform = transformer.transform.bind(transformer);
  transformer.transform = (path, options, text) => {
    const known = transformed.get(path);
    if (known?.text === text && known.isInstrumented === options.instrument) return known.result;
    const result = transform(path, options, text);
    transformed.set(path, { text, result, isInstrumented: options.instrument });
    return result;
  };
  return transformer;
}

module.exports = class extends Runtime {
  // oxlint-disable-next-line max-params -- jest makes it with these
  constructor(config, environment, resolver, transformer, texts, coverage, testPath, globalConfig) {
    const isWatching = globalConfig.watch || globalConfig.watchAll;
    super(
      config,
      environment,
      resolver,
      isWatching ? transformer : keepTransformed(transformer),
      isWatching ? texts : kept,
      coverage,
      testPath,
      globalConfig,
    );
  }
};
