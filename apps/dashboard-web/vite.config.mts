import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { leanMantine } from './build/lean-mantine.mts';
import { precompress } from './build/precompress.mts';
import { preloadOverview } from './build/preload-overview.mts';
import { refusalTexts, settingTexts } from './build/refusal-texts.mts';
import { usedStyles } from './build/used-styles.mts';

const SHARED = new RegExp(
  [
    'src/(ui/(amount|coin-price|empty|hex|load|page|tooltip|wide-table|when)\\.tsx?|format/(amount|usd)\\.ts)',
    'components/(Badge|Card|Progress|SegmentedControl|SimpleGrid|Skeleton|Table|VisuallyHidden)/',
    'refusal-texts/when',
  ].join('|'),
);

export default defineConfig({
  root: import.meta.dirname,
  resolve: { alias: { '@paymaster/domain': join(import.meta.dirname, '../../libs/domain/src/index.ts') } },
  plugins: [
    react(),
    refusalTexts(join(import.meta.dirname, '../../docs/errors')),
    settingTexts(join(import.meta.dirname, '../../docs/api/dashboard.openapi.json')),
    leanMantine(),
    preloadOverview(),
    precompress(),
  ],
  css: { postcss: { plugins: [usedStyles(join(import.meta.dirname, 'src'))] } },
  build: {
    outDir: join(import.meta.dirname, '../../dist/apps/dashboard-web'),
    emptyOutDir: true,
    target: 'es2022',
    manifest: 'build-manifest.json',
    // Every browser that runs this target preloads by itself.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    // A screen is loaded again when the connection is back; Vite would not load its styles again.
    cssCodeSplit: false,
    // Of what travels: tools/check-web-page.mjs.
    chunkSizeWarningLimit: Infinity,
    rolldownOptions: {
      // Its files only declare, so what the page does not use of them is left out.
      treeshake: { moduleSideEffects: [{ test: /\/libs\/domain\//, sideEffects: false }] },
      output: {
        codeSplitting: {
          groups: [
            // All that runs at first in one file, which compresses better than ten.
            { name: 'page', tags: ['$initial'] },
            // And in a second what most screens are made of: each request takes its time on a slow network.
            { name: 'screens', test: SHARED },
          ],
        },
      },
    },
  },
});
