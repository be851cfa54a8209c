// jest's Node environment, whose worker compiles each module once. jest compiles every module anew for every test file,
// though the text is the same: nearly half a second of processor time a file. A script that is kept runs in each file's
// own realm, so nothing but the compiled code is shared; state, globals and mocks are each file's own as before.
// jest's callback for a native `import()` is left out: without --experimental-vm-modules it only refuses, as Node does here.
const asyncHooks = require('node:async_hooks');
const vm = require('node:vm');
const { TestEnvironment } = require('jest-environment-node');
const { isLeftOut } = require('./campaigns.cjs');

const compile = vm.compileFunction;
const kept = new Map();

function compileScript(code, names, filename) {
  const head = `(function (${names}) {`;
  const script = new vm.Script(`${head}${code}\n})`, { filename, columnOffset: -head.length });
  kept.set(filename, { code, names, script });
  return script;
}

vm.compileFunction = (code, parameters, options) => {
  const { filename, parsingContext } = options ?? {};
  if (!filename || !parsingContext) return compile(code, parameters, options);
  const names = parameters.join();
  const known = kept.get(filename);
  const isSame = known?.code === code && known.names === names;
  const script = isSame ? known.script : compileScript(code, names, filename);
  return script.runInContext(parsingContext);
};

// Up to Node 22 every storage that was ever used is asked at every promise, for as long as the process lives. Each test file
// makes storages of its own, so that without this each file of a worker were slower than the one before.
const Storage = asyncHooks.AsyncLocalStorage;
const storages = new Set();
class StorageOfFile extends Storage {
  constructor(...settings) {
    super(...settings);
    storages.add(this);
  }
}
Object.defineProperty(asyncHooks, 'AsyncLocalStorage', { value: StorageOfFile, configurable: true });

module.exports = class extends TestEnvironment {
  #isLeftOut;

  constructor(config, context) {
    super(config, context);
    this.#isLeftOut = isLeftOut(context.testPath);
  }

  /** Nothing of a file that is left out is begun, neither its tests nor what they stand on. */
  handleTestEvent({ name }, state) {
    if (name !== 'run_start' || !this.#isLeftOut) return;
    const skip = (block) => {
      block.mode = 'skip';
      for (const child of block.children ?? []) skip(child);
    };
    for (const child of state.rootDescribeBlock.children) skip(child);
  }

  async teardown() {
    await super.teardown();
    for (const storage of storages) storage.disable();
    storages.clear();
  }
};
