import { encodeDeployData, encodeFunctionData } from 'viem';
import { demoPermitTokenAbi, demoPermitTokenBytecode, demoTokenAbi, demoTokenBytecode } from '@paymaster/contract-abis';
import type { Hex } from '@paymaster/domain';
import { DEMO_TOKENS, type DemoToken } from './demo-assets';
import { deployDeterministically } from './deterministic-deployment';
import type { DevChain } from './dev-chain';

/** A demo token and where it lies. */
export interface DeployedToken extends DemoToken {
  readonly address: Hex;
}

/** Puts the demo tokens on the chain; the same addresses everywhere. Does only what is still to do. */
export function deployDemoTokens(chain: DevChain): Promise<DeployedToken[]> {
  return Promise.all(
    DEMO_TOKENS.map(async (token) => {
      const initCode = creationCode(token);
      return { ...token, address: await deployDeterministically(chain, { name: token.symbol, initCode }) };
    }),
  );
}

/** The demo tokens' faucet: gives the holder that many base units. */
export function mintTokens(
  chain: DevChain,
  { token, holder, amount }: { token: Hex; holder: Hex; amount: bigint },
): Promise<void> {
  const data = encodeFunctionData({ abi: demoTokenAbi, functionName: 'mint', args: [holder, amount] });
  return chain.execute({ to: token, data });
}

function creationCode({ name, symbol, decimals, permit }: DemoToken): Hex {
  const args = [name, symbol, decimals] as const;
  return permit
    ? encodeDeployData({ abi: demoPermitTokenAbi, bytecode: demoPermitTokenBytecode, args })
    : encodeDeployData({ abi: demoTokenAbi, bytecode: demoTokenBytecode, args });
}
