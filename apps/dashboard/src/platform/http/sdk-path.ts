/** All operations' paths start with this (interface, part B). */
export const SDK_PATH = 'api/v2/public/sdk';
