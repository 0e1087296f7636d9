const { join } = require('node:path');
const { NxAppWebpackPlugin } = require('@nx/webpack/app-plugin');

/** What the gateway is measured against, in dist/bench/paymaster-rpc: built as the gateway is, so that only what they do differs. */
module.exports = {
  entry: {},
  output: { path: join(__dirname, '../../../dist/bench/paymaster-rpc') },
  plugins: [
    new NxAppWebpackPlugin({
      target: 'node',
      compiler: 'tsc',
      main: './bench/floor-server.ts',
      outputFileName: 'floor-server.js',
      additionalEntryPoints: [{ entryName: 'gateway-without-ledger', entryPath: './bench/gateway-without-ledger.ts' }],
      tsConfig: './bench/tsconfig.json',
      optimization: { concatenateModules: true, providedExports: true, usedExports: true, minimize: false },
      outputHashing: 'none',
      generatePackageJson: false,
      sourceMap: true,
    }),
  ],
};
