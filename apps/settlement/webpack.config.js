const { join } = require('node:path');
const { NxAppWebpackPlugin } = require('@nx/webpack/app-plugin');

/** main.js (the service), ledger.js, migrate.js and stream.js (commands) in dist/apps/settlement, beside a package.json and lock for `npm ci --omit=dev`. */
module.exports = {
  output: { path: join(__dirname, '../../dist/apps/settlement') },
  plugins: [
    new NxAppWebpackPlugin({
      target: 'node',
      compiler: 'tsc',
      main: './src/main.ts',
      additionalEntryPoints: [
        { entryName: 'ledger', entryPath: './src/ledger.cli.ts' },
        { entryName: 'migrate', entryPath: './src/migrate.cli.ts' },
        { entryName: 'stream', entryPath: './src/stream.cli.ts' },
      ],
      tsConfig: './tsconfig.app.json',
      optimization: false,
      outputHashing: 'none',
      generatePackageJson: true,
      sourceMap: true,
      // `npm run lint` checks the types of the whole workspace, once.
      skipTypeChecking: true,
      // Emitted by the compiler (importHelpers), so no source file names it.
      runtimeDependencies: ['tslib'],
    }),
  ],
};
