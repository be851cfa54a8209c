// jest's Node environment, with one realm for all test files of a worker, so that they can share modules (runtime.cjs), and
// with modules that a worker compiles once: jest compiles every module anew for every test file, though the text is the same.
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

/** With TEST_MODULES=own each file has a realm and modules of its own, as with jest. */
const isSharing = process.env.TEST_MODULES !== 'own';

/** Made for the first file of a worker. */
let shared;

/** What a bridge listens to on its process. */
const WATCHED = ['warning', 'deprecation', 'unhandledRejection', 'uncaughtException'];

function openRealm(config, context) {
  const environment = new TestEnvironment(config, context);
  const { process } = environment.global;
  const listeners = WATCHED.map((event) => [event, process.listeners(event)]);
  return { environment, exit: process.exit.bind(process), variables: { ...process.env }, listeners };
}

/** What circus and expect keep in the realm while a file runs; each file loads both anew. */
const OF_FRAMEWORK =
  /^(JEST_STATE_SYMBOL|EVENT_HANDLERS|RETRY\w*|WAIT_BEFORE_RETRY|TEST_TIMEOUT_SYMBOL|LOG_ERRORS\w*|\$\$jest-matchers-object)$/;

function forgetFramework(global) {
  for (const symbol of Object.getOwnPropertySymbols(global))
    if (OF_FRAMEWORK.test(symbol.description ?? '')) delete global[symbol];
}

/** Variables and these listeners of a file do not reach the next file. */
function restoreProcess({ process }, { exit, variables, listeners }) {
  process.exit = exit;
  for (const [event, before] of listeners) {
    process.removeAllListeners(event);
    for (const listener of before) process.on(event, listener);
  }
  for (const name of Object.keys(process.env)) if (!(name in variables)) delete process.env[name];
  Object.assign(process.env, variables);
}

module.exports = class {
  #realm;
  #isLeftOut;

  constructor(config, context) {
    this.#realm = (isSharing && shared) || openRealm(config, context);
    shared = this.#realm;
    const { context: vmContext, global, moduleMocker, fakeTimers, fakeTimersModern } = shared.environment;
    Object.assign(this, { context: vmContext, global, moduleMocker, fakeTimers, fakeTimersModern });
    this.#isLeftOut = isLeftOut(context.testPath);
  }

  async setup() {}

  exportConditions() {
    return this.#realm.environment.exportConditions();
  }

  getVmContext() {
    return this.#realm.environment.getVmContext();
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
    const { environment } = this.#realm;
    restoreProcess(environment.global, this.#realm);
    forgetFramework(environment.global);
    environment.fakeTimers.useRealTimers();
    environment.fakeTimersModern.useRealTimers();
    if (!isSharing) await environment.teardown();
    // One that is used again is enabled again by that.
    for (const storage of storages) storage.disable();
  }
};
