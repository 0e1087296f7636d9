import type { Plugin, Rolldown } from 'vite';

const OVERVIEW = /\/overview-screen\.tsx$/;

/**
 * Names the script of the overview in index.html, so the browser loads it beside the first script and not after it. Nearly
 * everybody comes to the overview first, and its neighbour holds what most screens are made of.
 */
export function preloadOverview(): Plugin {
  return {
    name: 'preload-overview',
    transformIndexHtml: {
      order: 'post',
      handler: (html, { bundle = {} }) => {
        const chunks = Object.values(bundle).filter((file): file is Rolldown.OutputChunk => file.type === 'chunk');
        const overview = chunks.find(({ facadeModuleId }) => facadeModuleId && OVERVIEW.test(facadeModuleId));
        if (!overview) throw new Error('the build has no script of the overview');
        return [overview.fileName, ...overview.imports]
          .filter((file) => !html.includes(file))
          .map((file) => ({
            tag: 'link',
            attrs: { rel: 'modulepreload', crossorigin: true, href: `/${file}` },
            injectTo: 'head' as const,
          }));
      },
    },
  };
}
