/** How lines of a chart are told apart: by colour in each scheme, and by dashes. */
const colour = (light: string, dark: string, ...dash: readonly number[]) => ({ light, dark, dash });

export const GREEN = colour('#2b8a3e', '#69db7c');
export const RED = colour('#c92a2a', '#ff8787', 6, 3);
export const GREY = colour('#495057', '#ced4da', 2, 3);

/** Of the dearest parts, in their order. */
export const PART_COLOURS = [
  colour('#1864ab', '#74c0fc'),
  colour('#c92a2a', '#ff8787', 6, 3),
  colour('#2b8a3e', '#69db7c', 10, 4),
  colour('#5f3dc4', '#b197fc', 4, 2),
  colour('#a84300', '#ffa94d', 8, 3, 2, 3),
] as const;
