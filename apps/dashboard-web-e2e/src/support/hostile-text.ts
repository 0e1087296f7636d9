/** Markup behind a word that says where the text is stored. Where it is more than text, it calls `canary()`. */
export const hostile = (what: string): string =>
  `${what} <img src=x onerror=canary()>"><script>canary()</script>{{7*7}}javascript:canary()`;
