/** The compiler ships no types; this is what the local feeds use of it. */
declare module 'solc' {
  const solc: { compile(standardJsonInput: string): string };
  export default solc;
}
