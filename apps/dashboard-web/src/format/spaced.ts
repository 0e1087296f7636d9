/** `allowedNetworks` as words: `allowed networks`. */
export const spaced = (name: string): string => name.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
