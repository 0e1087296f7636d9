import { encodeDeployData, encodeFunctionData, parseEther } from 'viem';
import {
  demoCounterAbi,
  demoCounterBytecode,
  hybridPaymasterV06Abi,
  hybridPaymasterV06Bytecode,
  hybridPaymasterV07Abi,
  hybridPaymasterV07Bytecode,
  hybridPaymasterV08Abi,
  hybridPaymasterV08Bytecode,
  hybridPaymasterV09Abi,
  hybridPaymasterV09Bytecode,
} from '@paymaster/contract-abis';
import { CANONICAL_ENTRY_POINTS, ENTRY_POINT_VERSIONS, type EntryPointVersion, type Hex } from '@paymaster/domain';
import type { PerVersion } from './canonical-contracts';
import { deployDeterministically } from './deterministic-deployment';
import type { DevChain } from './dev-chain';

const STAKE_WEI = parseEther('1');
const UNSTAKE_DELAY_SECONDS = 86_400;
const WITHDRAWAL_DELAY_SECONDS = 7_200n;
const FUNDING_WEI = parseEther('10');

/** What the local world uses of a paymaster contract; the same in every version. */
export const paymasterAbi = hybridPaymasterV07Abi;

const CREATION: PerVersion<(args: readonly [Hex, Hex, readonly Hex[], bigint]) => Hex> = {
  '0.6': (args) => encodeDeployData({ abi: hybridPaymasterV06Abi, bytecode: hybridPaymasterV06Bytecode, args }),
  '0.7': (args) => encodeDeployData({ abi: hybridPaymasterV07Abi, bytecode: hybridPaymasterV07Bytecode, args }),
  '0.8': (args) => encodeDeployData({ abi: hybridPaymasterV08Abi, bytecode: hybridPaymasterV08Bytecode, args }),
  '0.9': (args) => encodeDeployData({ abi: hybridPaymasterV09Abi, bytecode: hybridPaymasterV09Bytecode, args }),
};

/** Deploys and stakes our paymasters, and fills the wallet's gas deposit on each. Does only what is still to do. */
export async function deployPaymasters(
  chain: DevChain,
  {
    signer,
    fundingWallet,
    fundingWei = FUNDING_WEI,
  }: { signer: Hex; fundingWallet: Hex; /** Of each paymaster. */ fundingWei?: bigint },
): Promise<PerVersion<Hex>> {
  const deployed = ENTRY_POINT_VERSIONS.map(async (version) => {
    const entryPoint = CANONICAL_ENTRY_POINTS[version];
    const paymaster = await deployDeterministically(chain, {
      name: `HybridPaymaster v${version}`,
      initCode: CREATION[version]([entryPoint, chain.account.address, [signer], WITHDRAWAL_DELAY_SECONDS]),
    });
    await Promise.all([stake(chain, { paymaster, entryPoint }), fund(chain, { paymaster, fundingWallet, fundingWei })]);
    return [version, paymaster] as const;
  });
  return Object.fromEntries(await Promise.all(deployed)) as Record<EntryPointVersion, Hex>;
}

/** The target of the demonstration's operations. */
export async function deployDemoContract(chain: DevChain): Promise<{ address: Hex; callData: Hex }> {
  const address = await deployDeterministically(chain, { name: 'DemoCounter', initCode: demoCounterBytecode });
  return { address, callData: encodeFunctionData({ abi: demoCounterAbi, functionName: 'increment' }) };
}

/** A wallet's gas deposit on a paymaster contract; wei. */
export function fundingBalanceWei(chain: DevChain, where: { paymaster: Hex; fundingWallet: Hex }): Promise<bigint> {
  return chain.reader.readContract({
    address: where.paymaster,
    abi: paymasterAbi,
    functionName: 'balanceOf',
    args: [where.fundingWallet],
  });
}

async function stake(chain: DevChain, { paymaster, entryPoint }: { paymaster: Hex; entryPoint: Hex }): Promise<void> {
  const info = await chain.reader.readContract({
    address: entryPoint,
    abi: depositInfoAbi,
    functionName: 'getDepositInfo',
    args: [paymaster],
  });
  if (info.staked) return;
  const data = encodeFunctionData({ abi: paymasterAbi, functionName: 'addStake', args: [UNSTAKE_DELAY_SECONDS] });
  await chain.execute({ to: paymaster, data, value: STAKE_WEI });
}

/** Fills a wallet up that has less than half of what it should have: a reused world's has spent some. */
async function fund(chain: DevChain, where: { paymaster: Hex; fundingWallet: Hex; fundingWei: bigint }): Promise<void> {
  const balanceWei = await fundingBalanceWei(chain, where);
  if (2n * balanceWei >= where.fundingWei) return;
  const args = [where.fundingWallet] as const;
  const data = encodeFunctionData({ abi: paymasterAbi, functionName: 'depositFor', args });
  await chain.execute({ to: where.paymaster, data, value: where.fundingWei - balanceWei });
}

/** The struct differs between the versions in the width of its integers only, which the encoding does not show. */
const depositInfoAbi = [
  {
    type: 'function',
    name: 'getDepositInfo',
    stateMutability: 'view',
    inputs: [{ name: 'account', type: 'address' }],
    outputs: [
      {
        name: 'info',
        type: 'tuple',
        components: [
          { name: 'deposit', type: 'uint256' },
          { name: 'staked', type: 'bool' },
          { name: 'stake', type: 'uint112' },
          { name: 'unstakeDelaySec', type: 'uint32' },
          { name: 'withdrawTime', type: 'uint48' },
        ],
      },
    ],
  },
] as const;
