/** A fluent builder: `builder(defaults).with('nonce', 1n).build()`. Tests write out only what they are about. */
export interface Builder<T> {
  with<K extends keyof T>(key: K, value: T[K]): Builder<T>;
  build(): T;
}

export function builder<T extends object>(defaults: T): Builder<T> {
  return {
    with: (key, value) => builder({ ...defaults, [key]: value }),
    build: () => ({ ...defaults }),
  };
}
