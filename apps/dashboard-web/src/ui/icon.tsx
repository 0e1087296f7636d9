const PATHS = {
  overview: 'M4 13h6V4H4zM14 20h6V4h-6zM4 20h6v-3H4z',
  operations: 'M4 6h16M4 12h16M4 18h10',
  requests: 'M4 8h14l-4-4M20 16H6l4 4',
  contracts: 'M7 3h7l5 5v13H7zM14 3v5h5M10 13h6M10 17h6',
  wallet: 'M4 7h15v13H4zM4 7l12-3v3M15 13h4',
  projects: 'M4 4h7v7H4zM13 13h7v7h-7zM16.500 4v7M13 7.500h7M7.500 13v7M4 16.500h7',
  policies: 'M12 3l8 3v6c0 5-3.5 8-8 9-4.500-1-8-4-8-9V6z',
  keys: 'M15 9a4 4 0 1 1-3.500-3.970L21 14v4h-4v-3h-3l-1.500-2.500',
  tokens: 'M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16zM12 8v8M9.500 10h4a1.500 1.500 0 0 1 0 4h-4',
  alerts: 'M6 17h12l-1.500-2.500V11a4.500 4.500 0 0 0-9 0v3.500zM10.500 20h3',
  webhooks: 'M4 12h5l3-7 3 14 2-7h3',
  team: 'M9 11a3.500 3.500 0 1 0 0-7 3.500 3.500 0 0 0 0 7zM3 20c0-3.500 2.500-6 6-6s6 2.500 6 6M16 4.500a3.500 3.500 0 0 1 0 6M17.500 14.500c2 .8 3.500 2.800 3.500 5.500',
  audit: 'M5 4h14v16H5zM9 9l1.500 1.500L13 8M9 15h6',
  explain:
    'M12 20a8 8 0 1 0 0-16 8 8 0 0 0 0 16zM9.800 9.500a2.300 2.300 0 1 1 3.200 2.200c-.7.4-1 .8-1 1.600M12 16.500v.01',
  operator: 'M4 5h16v5H4zM4 14h16v5H4zM7.500 7.500v.01M7.500 16.500v.01M11 7.500h6M11 16.500h6',
  settings: 'M4 7h9M17 7h3M15 5v4M4 12h3M11 12h9M9 10v4M4 17h9M17 17h3M15 15v4',
  start: 'M5 19l4-1 9-9a3 3 0 0 0-4-4l-9 9zM13 6l5 5',
  check: 'M5 12l5 5L20 7',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  plus: 'M12 5v14M5 12h14',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 3v1M12 20v1M3 12h1M20 12h1M5.600 5.600l.7.7M17.700 17.700l.7.7M5.600 18.400l.7-.7M17.700 6.300l.7-.7',
  moon: 'M20 14a8 8 0 1 1-9-10 6.500 6.500 0 0 0 9 10z',
  person: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4.500 20c0-3.500 3.300-6 7.500-6s7.500 2.500 7.500 6',
  warning: 'M12 4l9 16H3zM12 10v4M12 17v.01',
  cross: 'M6 6l12 12M18 6L6 18',
  skip: 'M5 12h14',
  download: 'M12 4v11M7 11l5 5 5-5M4 20h16',
  back: 'M15 5l-7 7 7 7',
  up: 'M12 19V6M6 11l6-6 6 6',
  down: 'M12 5v13M6 13l6 6 6-6',
} as const;

export type IconName = keyof typeof PATHS;

/** A line drawing of 24 by 24. It says nothing that a text beside it, or the name of its button, does not. */
export function Icon({ name, size = 18 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={1.8}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
