const { LegacyFakeTimers, ModernFakeTimers } = require('@jest/fake-timers');
const { ModuleMocker } = require('jest-mock');

/** Where packages keep what decorators of our classes say: classes that were loaded for one file serve the next. */
const OF_CLASSES = ['classValidatorMetadataStorage', 'typeormMetadataArgsStorage'];

/**
 * Runs a test file in the process's own realm. Jest's environment for Node makes a new context for each file, in which
 * every package must be evaluated again, and whose Error, Array and Uint8Array are others than Node's.
 *
 * After each file it puts the process back as it was: globals, environment variables, listeners, exit code, timers.
 * With the option `bail`, a file ends at its first failure, as Jest's own `bail` ends a run behind such a file.
 */
module.exports = class OneRealmEnvironment {
  global = globalThis;
  asItWas = remember();

  constructor({ projectConfig }) {
    this.bail = projectConfig.testEnvironmentOptions.bail === true;
    globalThis.global = globalThis;
    Object.assign(globalThis, structuredClone(projectConfig.globals));
    this.moduleMocker = new ModuleMocker(globalThis);
    this.fakeTimers = new LegacyFakeTimers({
      config: projectConfig,
      global: globalThis,
      moduleMocker: this.moduleMocker,
      timerConfig: { idToRef: (id) => id, refToId: (ref) => ref },
    });
    // If it is given the process's own global object, it fakes the module `timers/promises` too: then helpers that
    // sleep beside a test with fake timers hang.
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: new Proxy(globalThis, {}) });
  }

  async setup() {}

  handleTestEvent({ name, test }) {
    if (name === 'test_done' && test.errors.length > 0) this.failed = true;
    if (name === 'test_start' && this.bail && this.failed) test.mode = 'skip';
  }

  async teardown() {
    // Jest may ask twice.
    this.fakeTimers?.dispose();
    this.fakeTimersModern?.dispose();
    this.fakeTimers = this.fakeTimersModern = null;
    this.asItWas.restore();
  }

  /** The conditions under which a package's exports are resolved; "require" and "default" are Jest's own. */
  exportConditions() {
    return ['node', 'node-addons'];
  }

  /** Only coverage asks for it; native-packages.runtime.cjs compiles without a context. */
  getVmContext() {
    return null;
  }
};

function remember() {
  const globals = descriptorsOf(globalThis);
  const ofProcess = descriptorsOf(process);
  const env = { ...process.env };
  const { exitCode } = process;
  const folder = process.cwd();
  const listeners = new Map(process.eventNames().map((event) => [event, process.rawListeners(event)]));

  return {
    restore() {
      putBack(globalThis, globals);
      putBack(process, ofProcess);
      for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
      Object.assign(process.env, env);
      process.exitCode = exitCode;
      if (process.cwd() !== folder) process.chdir(folder);
      for (const event of process.eventNames()) {
        const before = listeners.get(event) ?? [];
        for (const listener of process.rawListeners(event)) {
          if (!before.includes(listener)) process.removeListener(event, listener);
        }
      }
    },
  };
}

function descriptorsOf(object) {
  return new Map(Reflect.ownKeys(object).map((key) => [key, Object.getOwnPropertyDescriptor(object, key)]));
}

/** What cannot be configured stays: Jest's own `expect` keeps its state so, and begins anew with each file. */
function putBack(object, descriptors) {
  for (const key of Reflect.ownKeys(object)) {
    if (!descriptors.has(key) && !OF_CLASSES.includes(key)) Reflect.deleteProperty(object, key);
  }
  for (const [key, before] of descriptors) {
    const now = Object.getOwnPropertyDescriptor(object, key);
    const same = now && ['value', 'get', 'set'].every((part) => now[part] === before[part]);
    if (!same) Reflect.defineProperty(object, key, before);
  }
}
