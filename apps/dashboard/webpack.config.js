const { join } = require('node:path');
const { NxAppWebpackPlugin } = require('@nx/webpack/app-plugin');

/** main.js (the service), account.js, migrate.js, rotate-encryption.js, rotate-index.js, dead-events.js and openapi.js (commands) in dist/apps/dashboard, beside a package.json and lock for `npm ci --omit=dev`. */
module.exports = {
  output: { path: join(__dirname, '../../dist/apps/dashboard') },
  plugins: [
    new NxAppWebpackPlugin({
      target: 'node',
      compiler: 'tsc',
      main: './src/main.ts',
      additionalEntryPoints: [
        { entryName: 'account', entryPath: './src/account.cli.ts' },
        { entryName: 'migrate', entryPath: './src/migrate.cli.ts' },
        { entryName: 'rotate-encryption', entryPath: './src/rotate-encryption.cli.ts' },
        { entryName: 'rotate-index', entryPath: './src/rotate-index.cli.ts' },
        { entryName: 'dead-events', entryPath: './src/dead-events.cli.ts' },
        { entryName: 'openapi', entryPath: './src/openapi.cli.ts' },
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
