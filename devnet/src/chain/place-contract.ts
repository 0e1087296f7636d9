import type { Hex } from '@paymaster/domain';
import type { DevChain } from './dev-chain';

/** A contract that lies at its address on public chains, made from other creation code than is published on npm. */
export interface PlacedContract {
  readonly name: string;
  readonly initCode: Hex;
  readonly address: Hex;
}

/**
 * Runs creation code at an address on an Anvil chain, unless there is code already: what the constructor reads of its own
 * address, and what it creates, is as if the contract had been deployed there.
 *
 * @throws when the chain is not Anvil or the constructor reverts
 */
export async function placeContract(chain: DevChain, { name, initCode, address }: PlacedContract): Promise<void> {
  if (await chain.hasCode(address)) return;
  const ask = (method: string, ...params: unknown[]) =>
    chain.reader.request({ method: method as never, params: params as never }) as Promise<Hex>;
  // A contract's first creation has nonce 1.
  await ask('anvil_setNonce', address, '0x1');
  await ask('anvil_setCode', address, initCode);
  const runtimeCode = await ask('eth_call', { to: address }, 'latest');
  await chain.execute({ to: address, data: '0x', gas: CREATION_GAS });
  await ask('anvil_setCode', address, runtimeCode);
  if (!(await chain.hasCode(address))) throw new Error(`${name} was not placed: its constructor made no code`);
}

const CREATION_GAS = 15_000_000n;
