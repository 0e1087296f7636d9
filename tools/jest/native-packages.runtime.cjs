const asyncHooks = require('node:async_hooks');
const { createRequire } = require('node:module');
const { dirname, extname, sep } = require('node:path');
const { compileFunction, constants } = require('node:vm');
const { default: JestRuntime } = require('jest-runtime');

const PACKAGES = `${sep}node_modules${sep}`;
/** Keeps the tests of one file, so each file needs its own. */
const FRAMEWORK = `${PACKAGES}jest-circus${sep}`;

/** For the framework of all files: it makes one for each and keeps it, and each in use makes every promise dearer. */
const testContext = new asyncHooks.AsyncLocalStorage();

/** Our files' code as functions, by file name. Each call makes a new module. */
const compiled = new Map();

/** The code of services, libraries and devnet, without tests and what only they use. The page's code is not in here. */
const SERVICES =
  /\/(apps\/(dashboard|paymaster-rpc|settlement)|libs\/[^/]+|devnet)\/src\/(?!(.*\/)?testing\/|.*\.spec\.ts$).*\.ts$/;
/**
 * Their modules by file name, and where Jest keeps their source maps. What some of them remember (compiled schemas, ports
 * that were given out, open pools) makes no test of the next file come out otherwise.
 */
const services = new Map();
const sourceMaps = new Map();
/** For the test file that runs now: a module that was loaded for an earlier file may require more. */
let requireNow;

/**
 * Jest's runtime, but Node loads npm packages, and this class the files of our services, once per process instead of once
 * per test file. Other files of ours are compiled once. Needs one-realm.environment.cjs. Mocks of a package reach what
 * imports it from our files, not what other packages import.
 */
module.exports = class NativePackagesRuntime extends JestRuntime {
  constructor(...given) {
    super(...given);
    this.executor.compile = (code, filename) => this.compileOnce(code, filename);
    for (const [path, map] of sourceMaps) this.transformCache.getSourceMaps().set(path, map);
    requireNow = (from, moduleName) => this.requireModuleOrMock(from, moduleName);
  }

  requireModule(from, moduleName, options, isRequireActual) {
    if (moduleName && !options?.isInternalModule && !this._resolution.isCoreModule(moduleName)) {
      const path = this._resolution.resolveCjs(from, moduleName);
      if (isOfPackage(path)) return require(path);
      if (SERVICES.test(path)) return this.requireOfService(path);
    }
    return super.requireModule(from, moduleName, options, isRequireActual);
  }

  requireOfService(path) {
    const known = services.get(path);
    if (known) return known.exports;
    const module = { id: path, filename: path, path: dirname(path), exports: {}, loaded: false };
    services.set(path, module);
    try {
      const run = this.compileOnce(this.transformCache.transform(path), path);
      sourceMaps.set(path, this.transformCache.getSourceMaps().get(path));
      const require = (moduleName) => requireNow(path, moduleName);
      require.resolve = createRequire(path).resolve;
      run.call(module.exports, module, module.exports, require, module.path, path);
    } catch (error) {
      services.delete(path);
      throw error;
    }
    module.loaded = true;
    return module.exports;
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
