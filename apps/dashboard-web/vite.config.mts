import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { precompress } from './build/precompress.mts';
import { refusalTexts } from './build/refusal-texts.mts';

export default defineConfig({
  root: import.meta.dirname,
  resolve: { alias: { '@paymaster/domain': join(import.meta.dirname, '../../libs/domain/src/index.ts') } },
  plugins: [react(), refusalTexts(join(import.meta.dirname, '../../docs/errors')), precompress()],
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
  },
});
