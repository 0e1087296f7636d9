/** An account that makes more operations than this has its client wait and estimate, as apps do; fewer are to be quick. */
const FEW = 3;
const isLong = ({ operations }) => operations.length > FEW;

/**
 * Whether the client estimates the next operation itself, at its bundler: every other one of an account that is
 * sponsored. For a payment in a token its documentation leaves the limits to the paymaster.
 */
export function alternating(job) {
  let count = 0;
  return () => isLong(job) && job.mode === 'sponsored' && count++ % 2 === 1;
}

/** Waits as the client does: for the transaction's hash, then for the receipt. @returns the hash of the operation */
export async function untilClientSaysLanded(job, sent) {
  const { userOpHash } = sent;
  if (!isLong(job)) return userOpHash;
  const { transactionHash } = await sent.waitForTxHash();
  // It need not be the one of the receipt: until a bundle is in a block, its bundler may replace it by a dearer one.
  if (!/^0x[0-9a-f]{64}$/.test(transactionHash)) throw new Error(`waitForTxHash() says ${transactionHash}`);
  const { success } = await sent.wait();
  if (String(success) !== 'true') throw new Error(`wait() says that ${userOpHash} failed`);
  return userOpHash;
}
