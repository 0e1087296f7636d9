import { Alert } from '@mantine/core';
import type { Operation } from '../../api/queries';
import { atBundler } from './at-bundler';

const COLORS = { sent: 'blue', waiting: 'yellow', refused: 'red', dropped: 'gray' } as const;

/** What became of an operation at the bundlers, while it is not on chain. */
export function BundlerAlert({ operation: { bundler, transactionHash } }: { readonly operation: Operation }) {
  if (!bundler || transactionHash) return null;
  const text = atBundler(bundler, Date.now());
  return (
    <Alert
      color={COLORS[bundler.state]}
      title={text.charAt(0).toUpperCase() + text.slice(1)}
      className="breaks"
      {...(bundler.message && { children: bundler.message })}
    />
  );
}
