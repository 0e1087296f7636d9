/** Of each reason for a refusal its first sentence. */
declare module 'virtual:refusal-texts/when' {
  const texts: Readonly<Record<string, string>>;
  export default texts;
}
/** Of each reason for a refusal what to do about it. */
declare module 'virtual:refusal-texts/what-to-do' {
  const texts: Readonly<Record<string, string>>;
  export default texts;
}

declare module 'virtual:setting-texts' {
  interface SettingText {
    readonly description: string;
    readonly minimum?: number;
    readonly maximum?: number;
  }
  const texts: Readonly<Record<string, SettingText>>;
  export default texts;
}
