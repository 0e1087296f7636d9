const { join } = require('node:path');
const { NxAppWebpackPlugin } = require('@nx/webpack/app-plugin');

/** One file in dist/apps/paymaster-rpc/main.js beside a package.json and lock for `npm ci --omit=dev`. */
module.exports = {
  output: { path: join(__dirname, '../../dist/apps/paymaster-rpc') },
  plugins: [
    new NxAppWebpackPlugin({
      target: 'node',
      compiler: 'tsc',
      main: './src/main.ts',
      tsConfig: './tsconfig.app.json',
      optimization: false,
      outputHashing: 'none',
      generatePackageJson: true,
      sourceMap: true,
    }),
  ],
};
