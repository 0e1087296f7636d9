const asyncHooks = require('node:async_hooks');
const { createRequire } = require('node:module');
const { extname, sep } = require('node:path');
const { compileFunction, constants } = require('node:vm');
const { default: JestRuntime } = require('jest-runtime');

const PACKAGES = `${sep}node_modules${sep}`;
/** Keeps the tests of one file, so each file needs its own. */
const FRAMEWORK = `${PACKAGES}jest-circus${sep}`;

/** For the framework of all files: it makes one for each and keeps it, and each in use makes every promise dearer. */
const testContext = new asyncHooks.AsyncLocalStorage();

/** Our files' code as functions, by file name. Each call makes a new module, so files share no state. */
const compiled = new Map();

/**
 * Jest's runtime, but npm packages are loaded by Node, once per process instead of once per test file, and our own
 * files are compiled once. Needs one-realm.environment.cjs. Mocks of a package reach what imports it from our files,
 * not what other packages import.
 */
module.exports = class NativePackagesRuntime extends JestRuntime {
  constructor(...given) {
    super(...given);
    this.executor.compile = (code, filename) => this.compileOnce(code, filename);
  }

  requireModule(from, moduleName, options, isRequireActual) {
    if (moduleName && !options?.isInternalModule && !this._resolution.isCoreModule(moduleName)) {
      const path = this._resolution.resolveCjs(from, moduleName);
      if (isOfPackage(path)) return require(path);
    }
    return super.requireModule(from, moduleName, options, isRequireActual);
  }

  requireInternalModule(from, to) {
    const require = createRequire(from);
    const path = to === undefined ? from : require.resolve(to);
    return path.includes(FRAMEWORK) ? inTestContext(() => super.requireInternalModule(from, to)) : require(path);
  }

  /** Jest would replace that of the process, which is everybody's here. */
  installGetBuiltinModule() {}

  compileOnce(code, filename) {
    const known = compiled.get(filename);
    if (known?.code === code) return known.run;
    const run = compileFunction(code, this.executor.injectedModuleParameters, {
      filename,
      importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    });
    compiled.set(filename, { code, run });
    return run;
  }
};

function inTestContext(load) {
  const { AsyncLocalStorage } = asyncHooks;
  asyncHooks.AsyncLocalStorage = function () {
    return testContext;
  };
  try {
    return load();
  } finally {
    asyncHooks.AsyncLocalStorage = AsyncLocalStorage;
  }
}

function isOfPackage(path) {
  return path.includes(PACKAGES) && extname(path) !== '.json';
}
