// jest's runtime, whose worker reads the text of each module once, and not anew for every test file.
const { default: Runtime } = require('jest-runtime');

const texts = new Map();

module.exports = class extends Runtime {
  constructor(config, environment, resolver, transformer, _texts, ...more) {
    super(config, environment, resolver, transformer, texts, ...more);
  }
};
