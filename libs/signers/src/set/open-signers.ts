import { loadSigner, type SignerKeySource } from '../signer/load-signer';
import { LiveSigner, type SignerListeners } from './live-signer';
import { SignerSet } from './signer-set';
import { SignersFile } from './signers-file';

/** Where this process's signers come from: a file that lists them, or one key. */
export type SignersSource = { readonly kind: 'file'; readonly path: string } | SignerKeySource;

/** The signers of a process. */
export interface OpenedSigners {
  readonly set: SignerSet;
  /** The file to follow; undefined where the source is one key. */
  readonly file: SignersFile | undefined;
}

/**
 * Opens the signers.
 *
 * @param nodeEnv the app's NODE_ENV; libraries do not read the environment
 * @param timeoutMs how long one signer may take before the next is asked
 * @throws {SignerKeyError} saying what to do
 */
export async function openSigners(input: {
  source: SignersSource;
  nodeEnv: string | undefined;
  timeoutMs: number;
}): Promise<OpenedSigners> {
  const { source, nodeEnv, timeoutMs } = input;
  const listeners: SignerListeners = {};
  if (source.kind !== 'file') {
    const signer = new LiveSigner('local', await loadSigner({ source, nodeEnv }), listeners);
    return { set: new SignerSet([signer], listeners, timeoutMs), file: undefined };
  }
  const file = new SignersFile(source.path, { nodeEnv, timeoutMs, listeners });
  return { set: new SignerSet(await file.read(), listeners, timeoutMs), file };
}
