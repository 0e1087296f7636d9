/** Edge and Opera call themselves Chrome too, and Chrome calls itself Safari: the first that is found says it. */
const BROWSERS = [
  [/\bEdg(?:A|iOS)?\/(\d+)/, 'Edge'],
  [/\bOPR\/(\d+)/, 'Opera'],
  [/\b(?:Firefox|FxiOS)\/(\d+)/, 'Firefox'],
  [/\b(?:HeadlessChrome|Chrome|CriOS)\/(\d+)/, 'Chrome'],
  [/\bVersion\/(\d+)[^ ]* (?:Mobile\/\w+ )?Safari\//, 'Safari'],
] as const;
const SYSTEMS = [
  [/Android/, 'Android'],
  [/iPhone|iPad/, 'iOS'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/Linux/, 'Linux'],
] as const;
const SHOWN_CHARACTERS = 80;

/** A browser by what it says of itself (`User-Agent`): `Chrome 152 on Linux`. What is not known is shown as it is, cut. */
export function browserName(userAgent: string): string {
  for (const [pattern, name] of BROWSERS) {
    const version = pattern.exec(userAgent)?.[1];
    if (version === undefined) continue;
    const system = SYSTEMS.find(([sign]) => sign.test(userAgent))?.[1];
    return `${name} ${version}${system ? ` on ${system}` : ''}`;
  }
  return userAgent.slice(0, SHOWN_CHARACTERS);
}
