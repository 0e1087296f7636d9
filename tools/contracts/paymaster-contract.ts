import {
  hybridPaymasterV06Abi,
  hybridPaymasterV06Bytecode,
  hybridPaymasterV07Abi,
  hybridPaymasterV07Bytecode,
  hybridPaymasterV08Abi,
  hybridPaymasterV08Bytecode,
  hybridPaymasterV09Abi,
  hybridPaymasterV09Bytecode,
} from '@paymaster/contract-abis';
import { CANONICAL_ENTRY_POINTS, type Address, type EntryPointVersion, type Hex } from '@paymaster/domain';
import { Contract, ContractFactory, type InterfaceAbi } from 'ethers';
import { UsageError } from './command-line';
import type { OperatorChain } from './operator-chain';

/** What differs between the versions is not asked here. */
const ABI = hybridPaymasterV07Abi as unknown as InterfaceAbi;
const CODE: Readonly<Record<EntryPointVersion, { abi: InterfaceAbi; bytecode: Hex }>> = {
  '0.6': { abi: hybridPaymasterV06Abi as unknown as InterfaceAbi, bytecode: hybridPaymasterV06Bytecode },
  '0.7': { abi: hybridPaymasterV07Abi as unknown as InterfaceAbi, bytecode: hybridPaymasterV07Bytecode },
  '0.8': { abi: hybridPaymasterV08Abi as unknown as InterfaceAbi, bytecode: hybridPaymasterV08Bytecode },
  '0.9': { abi: hybridPaymasterV09Abi as unknown as InterfaceAbi, bytecode: hybridPaymasterV09Bytecode },
};
const DEPOSIT_INFO_ABI = [
  'function getDepositInfo(address) view returns (uint256 deposit, bool staked, uint112 stake, uint32 unstakeDelaySec, uint48 withdrawTime)',
];

/** A paymaster contract's state, as far as an operator looks at it. */
export interface PaymasterState {
  readonly owner: Address;
  readonly entryPoint: Address;
  readonly isPaused: boolean;
  readonly signerCount: bigint;
  readonly depositWei: bigint;
  readonly isStaked: boolean;
  readonly stakeWei: bigint;
  readonly unstakeDelaySeconds: number;
  readonly withdrawalDelaySeconds: bigint;
}

/** The creation code of a paymaster contract with its arguments. */
export async function creationCode(made: {
  version: EntryPointVersion;
  owner: Address;
  signers: readonly Address[];
  withdrawalDelaySeconds: number;
}): Promise<Hex> {
  const { abi, bytecode } = CODE[made.version];
  const args = [CANONICAL_ENTRY_POINTS[made.version], made.owner, made.signers, made.withdrawalDelaySeconds];
  const { data } = await new ContractFactory(abi, bytecode).getDeployTransaction(...args);
  return data as Hex;
}

/** A deployed paymaster contract, read and called for an operator. */
export class PaymasterContract {
  private readonly contract: Contract;

  private constructor(
    private readonly chain: OperatorChain,
    readonly address: Address,
  ) {
    this.contract = new Contract(address, ABI, chain.provider);
  }

  /** @throws {UsageError} when there is no paymaster contract of ours */
  static async at(chain: OperatorChain, address: Address): Promise<PaymasterContract> {
    const paymaster = new PaymasterContract(chain, address);
    try {
      await paymaster.contract.getFunction('withdrawalDelaySeconds').staticCall();
    } catch {
      throw new UsageError(`--paymaster: there is no paymaster contract at ${address} on chain ${chain.chainId}`);
    }
    return paymaster;
  }

  async state(): Promise<PaymasterState> {
    const entryPoint = String(await this.read('entryPoint'));
    const deposits = new Contract(entryPoint, DEPOSIT_INFO_ABI, this.chain.provider);
    const info = await deposits.getFunction('getDepositInfo').staticCall(this.address);
    return {
      owner: String(await this.read('owner')).toLowerCase() as Address,
      entryPoint: entryPoint.toLowerCase() as Address,
      isPaused: Boolean(await this.read('paused')),
      signerCount: (await this.read('signerCount')) as bigint,
      depositWei: info.deposit as bigint,
      isStaked: info.staked as boolean,
      stakeWei: info.stake as bigint,
      unstakeDelaySeconds: Number(info.unstakeDelaySec),
      withdrawalDelaySeconds: (await this.read('withdrawalDelaySeconds')) as bigint,
    };
  }

  /** Whether the contract accepts the signer's signatures now. */
  async isSigner(signer: Address): Promise<boolean> {
    return Boolean(await this.read('isSigner', signer));
  }

  /** From when on it does, unix time; 0: the signer was not added. */
  async signerActiveFrom(signer: Address): Promise<bigint> {
    return (await this.read('signerActiveFrom', signer)) as bigint;
  }

  /** A funding wallet's gas deposit; wei. */
  async balanceOf(fundingWallet: Address): Promise<bigint> {
    return (await this.read('balanceOf', fundingWallet)) as bigint;
  }

  /** What failed batch approvals left of a wallet's precharges; wei. @throws {UsageError} on v0.6, which keeps none */
  async unsettledOf(fundingWallet: Address): Promise<bigint> {
    try {
      return (await this.read('unsettledOf', fundingWallet)) as bigint;
    } catch {
      throw new UsageError(`--paymaster: ${this.address} keeps no records of unsettled precharges`);
    }
  }

  /** How long a new signer, and a statement about unsettled precharges, waits. */
  async signerDelaySeconds(): Promise<bigint> {
    return (await this.read('signerDelaySeconds')) as bigint;
  }

  /** Sends a call. @returns the block it is in */
  call(name: string, args: readonly unknown[], valueWei = 0n): Promise<number> {
    const data = this.contract.interface.encodeFunctionData(name, args);
    return this.chain.send({ to: this.address, data, value: valueWei });
  }

  private read(name: string, ...args: readonly unknown[]): Promise<unknown> {
    return this.contract.getFunction(name).staticCall(...args) as Promise<unknown>;
  }
}
