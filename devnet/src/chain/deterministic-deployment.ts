import { concatHex, getCreate2Address, zeroHash } from 'viem';
import type { Hex } from '@paymaster/domain';
import type { DevChain } from './dev-chain';

/** The keyless CREATE2 factory that stands at this address on almost every chain; anvil has it from the start. */
const DETERMINISTIC_DEPLOYER: Hex = '0x4e59b44847b379578588920ca78fbf26c0b4956c';
const DEPLOYMENT_GAS = 15_000_000n;

export interface Deployment {
  readonly name: string;
  /** Creation code with its encoded constructor arguments. */
  readonly initCode: Hex;
  readonly salt?: Hex;
  /** The address it must come to lie at, where one is known. */
  readonly expected?: Hex;
}

/**
 * Deploys through the deterministic deployer unless it is there already.
 *
 * @returns the address, which depends on nothing but the code and the salt
 * @throws when the deployer is missing on this chain or the address is not the expected one
 */
export async function deployDeterministically(chain: DevChain, deployment: Deployment): Promise<Hex> {
  const { name, initCode, salt = zeroHash, expected } = deployment;
  const address = getCreate2Address({ from: DETERMINISTIC_DEPLOYER, salt, bytecode: initCode });
  if (expected && expected.toLowerCase() !== address.toLowerCase()) {
    throw new Error(`${name} would be deployed at ${address}, its canonical address is ${expected}`);
  }
  if (await chain.hasCode(address)) return address;
  if (!(await chain.hasCode(DETERMINISTIC_DEPLOYER))) {
    throw new Error(`chain ${chain.chainId} has no deterministic deployer at ${DETERMINISTIC_DEPLOYER}`);
  }
  await chain.execute({ to: DETERMINISTIC_DEPLOYER, data: concatHex([salt, initCode]), gas: DEPLOYMENT_GAS });
  if (!(await chain.hasCode(address))) throw new Error(`${name} was not deployed: its constructor reverted`);
  return address;
}
