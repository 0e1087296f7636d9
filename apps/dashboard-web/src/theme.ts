import { createTheme, type CSSVariablesResolver, type MantineTheme } from '@mantine/core';

const CLOSE = { 'aria-label': 'Close' };
/** A long name stands below its beginning, not beside the dialog. */
const TITLE = { fontWeight: 700, lineHeight: 1.3, overflowWrap: 'anywhere' } as const;

export const theme = createTheme({
  primaryColor: 'cyan',
  primaryShade: 9,
  autoContrast: true,
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
  defaultRadius: 'md',
  respectReducedMotion: true,
  cursorType: 'pointer',
  components: {
    Card: { defaultProps: { withBorder: true, padding: 'lg' } },
    Tooltip: {
      defaultProps: { withArrow: true, multiline: true, maw: 420, events: { hover: true, focus: true, touch: true } },
    },
    Alert: { defaultProps: { radius: 'md' } },
    Modal: { defaultProps: { centered: true, closeButtonProps: CLOSE }, styles: { title: TITLE } },
    Drawer: { defaultProps: { closeButtonProps: CLOSE }, styles: { title: TITLE } },
  },
});

const COLORS = ['gray', 'red', 'green', 'yellow', 'orange', 'blue', 'cyan', 'teal', 'violet'] as const;

/** Mantine makes a button lighter under the pointer, which leaves its white label too little contrast. */
const darkerUnderPointer = (mantine: MantineTheme): Record<string, string> =>
  Object.fromEntries(
    COLORS.map((color) => [
      `--mantine-color-${color}-filled-hover`,
      `color-mix(in srgb, ${mantine.colors[color][9]}, black 15%)`,
    ]),
  );

/** Mantine's texts and buttons, darkened until they have the contrast that WCAG AA asks for. */
export const readableColors: CSSVariablesResolver = (mantine) => ({
  variables: {},
  light: {
    ...darkerUnderPointer(mantine),
    '--mantine-color-dimmed': mantine.colors.gray[7],
    '--mantine-color-placeholder': mantine.colors.gray[7],
    '--mantine-color-error': mantine.colors.red[9],
    '--page-ground': mantine.colors.gray[0],
    '--page-focus': mantine.colors.cyan[9],
    ...Object.fromEntries(
      COLORS.map((color) => [
        `--mantine-color-${color}-light-color`,
        `color-mix(in srgb, ${mantine.colors[color][9]}, black 30%)`,
      ]),
    ),
  },
  dark: {
    ...darkerUnderPointer(mantine),
    '--mantine-color-dimmed': mantine.colors.dark[1],
    '--mantine-color-placeholder': mantine.colors.dark[2],
    '--mantine-color-error': mantine.colors.red[4],
    '--mantine-color-disabled': mantine.colors.dark[5],
    '--page-ground': mantine.colors.dark[8],
    '--page-focus': mantine.colors.cyan[3],
  },
});
