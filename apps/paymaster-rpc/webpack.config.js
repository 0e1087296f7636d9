const { join } = require('node:path');
const { NxAppWebpackPlugin } = require('@nx/webpack/app-plugin');

/**
 * All modules of ours become one scope, so that a call between them is no look-up through the getters of two or three
 * `index.ts`.
 */
const JOINED_MODULES = { concatenateModules: true, providedExports: true, usedExports: true, minimize: false };

/** main.js (the service) and open-rpc.js (a command) in dist/apps/paymaster-rpc, beside a package.json and lock for `npm ci --omit=dev`. */
module.exports = {
  output: { path: join(__dirname, '../../dist/apps/paymaster-rpc') },
  plugins: [
    new NxAppWebpackPlugin({
      target: 'node',
      compiler: 'tsc',
      main: './src/main.ts',
      additionalEntryPoints: [{ entryName: 'open-rpc', entryPath: './src/open-rpc.cli.ts' }],
      tsConfig: './tsconfig.app.json',
      optimization: JOINED_MODULES,
      outputHashing: 'none',
      generatePackageJson: true,
      sourceMap: true,
      // `npm run lint` checks the types of the whole workspace, once.
      skipTypeChecking: true,
    }),
  ],
};
