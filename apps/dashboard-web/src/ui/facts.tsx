import type { ReactNode } from 'react';

/** The name of a fact, and the fact. */
export type Fact = readonly [string, ReactNode];

/** Facts below each other, their names on the left. */
export function Facts({ rows }: { readonly rows: readonly Fact[] }) {
  return (
    <div className="facts">
      <dl>
        {rows.map(([name, value]) => (
          <div key={name} style={{ display: 'contents' }}>
            <dt>{name}</dt>
            <dd className="breaks">{value}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
