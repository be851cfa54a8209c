// jest's runtime, whose worker reads the text of each module once, and not anew for every test file.
const { default: Runtime } = require('jest-runtime');

/** jest empties the texts after each test file. They are kept: no file changes while a run lasts. */
class KeptTexts extends Map {
  clear() {}
}

const kept = new KeptTexts();

module.exports = class extends Runtime {
  // oxlint-disable-next-line max-params -- jest makes it with these
  constructor(config, environment, resolver, transformer, texts, coverage, testPath, globalConfig) {
    const isWatching = globalConfig.watch || globalConfig.watchAll;
    super(
      config,
      environment,
      resolver,
      transformer,
      isWatching ? texts : kept,
      coverage,
      testPath,
      globalConfig,
    );
  }
};
