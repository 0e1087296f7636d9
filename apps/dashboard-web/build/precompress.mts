import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { Plugin } from 'vite';

const ENCODINGS = {
  br: (bytes: Buffer) =>
    brotliCompressSync(bytes, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      },
    }),
  gz: (bytes: Buffer) => gzipSync(bytes, { level: constants.Z_BEST_COMPRESSION }),
};

/**
 * Writes beside each asset what the dashboard sends in its place: `NAME.br` and `NAME.gz`. A file that would not become
 * smaller gets none. Only these files travel compressed, which hold nothing of anybody; answers of the API never do.
 */
export function precompress(): Plugin {
  return {
    name: 'precompress',
    writeBundle({ dir = '' }) {
      const assets = join(dir, 'assets');
      for (const name of readdirSync(assets)) {
        const bytes = readFileSync(join(assets, name));
        for (const [ending, compress] of Object.entries(ENCODINGS)) {
          const compressed = compress(bytes);
          if (compressed.length < bytes.length) writeFileSync(join(assets, `${name}.${ending}`), compressed);
        }
      }
    },
  };
}
