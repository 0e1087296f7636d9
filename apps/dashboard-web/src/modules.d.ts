declare module 'virtual:refusal-texts' {
  const texts: Readonly<Record<string, { readonly when: string; readonly whatToDo: string }>>;
  export default texts;
}
