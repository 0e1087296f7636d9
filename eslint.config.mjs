import nx from '@nx/eslint-plugin';
import prettier from 'eslint-config-prettier';
import tseslint from 'typescript-eslint';
import { injectedClasses } from './tools/lint/injected-classes.mjs';

/** Who may import whom: app -> libs, libs -> narrower libs, domain -> nothing. See ARCHITECTURE.md. */
const boundaries = [
  { sourceTag: 'type:domain', onlyDependOnLibsWithTags: [] },
  { sourceTag: 'type:abis', onlyDependOnLibsWithTags: ['type:domain'] },
  { sourceTag: 'type:turns', onlyDependOnLibsWithTags: ['type:domain'] },
  { sourceTag: 'type:messaging', onlyDependOnLibsWithTags: ['type:domain', 'type:turns'] },
  { sourceTag: 'type:policy', onlyDependOnLibsWithTags: ['type:domain'] },
  { sourceTag: 'type:pricing', onlyDependOnLibsWithTags: ['type:domain', 'type:turns'] },
  { sourceTag: 'type:chain', onlyDependOnLibsWithTags: ['type:domain', 'type:turns', 'type:abis'] },
  { sourceTag: 'type:gas', onlyDependOnLibsWithTags: ['type:domain', 'type:turns', 'type:abis', 'type:chain'] },
  { sourceTag: 'type:signers', onlyDependOnLibsWithTags: ['type:domain', 'type:turns', 'type:chain'] },
  { sourceTag: 'type:ledger', onlyDependOnLibsWithTags: ['type:domain', 'type:turns', 'type:messaging'] },
  { sourceTag: 'type:webhooks', onlyDependOnLibsWithTags: ['type:domain'] },
  { sourceTag: 'type:tracing', onlyDependOnLibsWithTags: ['type:domain', 'type:turns'] },
  {
    sourceTag: 'type:nest-kit',
    onlyDependOnLibsWithTags: ['type:domain', 'type:turns', 'type:messaging', 'type:tracing'],
  },
  {
    sourceTag: 'type:app',
    onlyDependOnLibsWithTags: [
      'type:domain',
      'type:turns',
      'type:abis',
      'type:messaging',
      'type:policy',
      'type:pricing',
      'type:chain',
      'type:gas',
      'type:signers',
      'type:ledger',
      'type:webhooks',
      'type:tracing',
      'type:nest-kit',
    ],
  },
  {
    sourceTag: 'type:e2e',
    onlyDependOnLibsWithTags: [
      'type:domain',
      'type:abis',
      'type:messaging',
      'type:chain',
      'type:ledger',
      'type:webhooks',
      'type:tracing',
      'type:devnet',
    ],
  },
  { sourceTag: 'type:devnet', onlyDependOnLibsWithTags: ['type:domain', 'type:abis', 'type:chain', 'type:pricing'] },
  // What runs in browsers: the words of the domain at most, and the types of the REST client.
  { sourceTag: 'type:web', onlyDependOnLibsWithTags: ['type:domain'] },
  { sourceTag: 'framework:none', bannedExternalImports: ['@nestjs/*', 'typeorm', 'fastify', 'rxjs', 'pg'] },
];

const boundaryRule = (depConstraints) => ['error', { allow: [], enforceBuildableLibDependency: false, depConstraints }];

/** Tests of an app, and of the ledger, start real Postgres, NATS and chains through devnet; production code never may. */
const testBoundaries = boundaries.map((constraint) =>
  constraint.sourceTag === 'type:app' || constraint.sourceTag === 'type:ledger'
    ? { ...constraint, onlyDependOnLibsWithTags: [...constraint.onlyDependOnLibsWithTags, 'type:devnet'] }
    : constraint,
);

export default tseslint.config(
  { ignores: ['**/node_modules', 'dist', '.nx', '.local', '**/generated/**', 'contracts/out-forge', 'coverage'] },
  ...tseslint.configs.recommended,
  {
    files: ['**/*.ts', '**/*.tsx', '**/*.mts'],
    plugins: { '@nx': nx, paymaster: { rules: { 'injected-classes': injectedClasses } } },
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@nx/enforce-module-boundaries': boundaryRule(boundaries),
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': [
        'error',
        { checksVoidReturn: { attributes: false, arguments: false } },
      ],
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      'no-console': 'error',
      'paymaster/injected-classes': 'error',
    },
  },
  {
    files: [
      'apps/**/*.spec.ts',
      'apps/**/bench/**/*.ts',
      'apps/**/testing/**/*.ts',
      'apps/**/proofs/**/*.ts',
      'libs/ledger/**/*.spec.ts',
      'libs/ledger/src/testing/**/*.ts',
      'libs/ledger/proofs/**/*.ts',
    ],
    rules: { '@nx/enforce-module-boundaries': boundaryRule(testBoundaries) },
  },
  {
    files: ['**/*.cts', '**/*.js', '**/*.mjs', '**/*.cjs'],
    rules: { '@typescript-eslint/no-require-imports': 'off' },
  },
  { files: ['jest.config.ts'], rules: { '@typescript-eslint/no-require-imports': 'off' } },
  prettier,
);
