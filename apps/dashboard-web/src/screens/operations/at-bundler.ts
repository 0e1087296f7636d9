import type { Operation } from '../../api/queries';
import { relativeTime } from '../../format/time';

type Bundler = NonNullable<Operation['bundler']>;

const WORDS: Readonly<Record<Bundler['state'], (name: string, when: string) => string>> = {
  sent: (name, when) => `sent to ${name} ${when}, in no block yet`,
  waiting: (name, when) => `waits at ${name}, was in no block ${when}`,
  refused: (name, when) => `refused by ${name} ${when}`,
  dropped: (name, when) => `given up ${when}, last sent to ${name}`,
};

/** What became of an operation at the bundlers, as `sent to alto 12 s ago, in no block yet`. */
export function atBundler({ state, name, at }: Bundler, nowMs: number): string {
  return WORDS[state](name, relativeTime(at, nowMs));
}

/** The same with the reason, for a list; undefined where the operation has landed, or the gateway sent it to none. */
export function inList({ state, bundler }: Pick<Operation, 'state' | 'bundler'>, nowMs: number): string | undefined {
  if (!bundler || state !== 'granted') return undefined;
  return [atBundler(bundler, nowMs), bundler.message].filter(Boolean).join(': ');
}
