import type { Plugin } from 'vite';

/** Of Mantine: which module imports what, and the little of it that the page needs. */
const STAND_INS = [
  {
    // Tables of the page scroll natively.
    importer: /\/TableScrollContainer\.mjs$/,
    source: /\/ScrollArea\.mjs$/,
    code: `export function ScrollArea() { throw new Error('a table of this page scrolls with type="native"'); }`,
  },
  {
    // The only function that it takes from a library of menus and tooltips.
    importer: /\/ScrollArea\/.*\.mjs$/,
    source: /^@floating-ui\/react$/,
    code: `import { useMergedRef } from '@mantine/hooks'; export const useMergeRefs = (refs) => useMergedRef(...refs);`,
  },
  {
    // The header names a class of the library that stops a page from scrolling below a dialog.
    importer: /\/AppShell\/.*\.mjs$/,
    source: /^react-remove-scroll$/,
    code: `import { zeroRightClassName as zeroRight } from 'react-remove-scroll-bar/constants';
      export const RemoveScroll = { classNames: { zeroRight } };`,
  },
] as const;
const PREFIX = '\0stand-in:';

/**
 * Keeps libraries out of the first load that Mantine's components import for uses which the page does not have: 20 kB on the
 * wire, before the overview can be read.
 */
export function leanMantine(): Plugin {
  return {
    name: 'lean-mantine',
    enforce: 'pre',
    resolveId: (source, importer = '') => {
      const index = STAND_INS.findIndex((each) => each.importer.test(importer) && each.source.test(source));
      return index < 0 ? undefined : `${PREFIX}${index}`;
    },
    load: (id) => (id.startsWith(PREFIX) ? STAND_INS[Number(id.slice(PREFIX.length))]?.code : undefined),
  };
}
