import { encodeFunctionData, getContractAddress, numberToHex, parseAbi, slice } from 'viem';
import { toWirePaymasterData, withoutSuffix } from '@paymaster/chain';
import { CANONICAL_ACCOUNT_FACTORIES, rpc, simpleAccount, type Stack } from '@paymaster/devnet';
import {
  CANONICAL_ENTRY_POINTS,
  normalizeAddress,
  type Address,
  type EntryPointVersion,
  type Hex,
  type UserOperation,
} from '@paymaster/domain';
import { executeCall } from '../../src/testing/rpc-call';
import type { PaidOperation } from '../../src/testing/token-call';
import { testContracts } from '../../src/testing/compile-contracts';
import type { SiphonWorld } from './siphon-world';

/** `Calls` of SiphonAccount. */
export const CALLS = ['made', 'skipped', 'reverted', 'burnt'] as const;
/** `Slots` of SiphonAccount. */
export const SLOTS = ['untouched', 'cleared', 'turned', 'cycled'] as const;

/**
 * What an account does after the paymaster has signed. The attacker can choose this only for accounts with his own
 * code.
 */
export interface Told {
  /** The gas that validation burns. */
  readonly validationGas: number;
  readonly calls: (typeof CALLS)[number];
  readonly slots: (typeof SLOTS)[number];
  readonly slotCount: number;
  readonly slotsInValidation: boolean;
}

/** One listed call. */
export interface ListedCall {
  readonly to: Address;
  readonly data: Hex;
}

/** An account that the attacker owns. */
export interface Account {
  readonly sender: Address;
  /** The factory and its data. */
  readonly deployment: { readonly factory: Address; readonly factoryData: Hex } | undefined;
  /** Gas for deployment and validation, in addition to the gas that it burns on purpose. */
  readonly verificationGas: number;
  encode(calls: readonly ListedCall[]): Hex | Promise<Hex>;
  /** The signature that lands. The attacker's own account accepts any signature, also an empty one. */
  sign(paid: PaidOperation): Hex | Promise<Hex>;
  /** @returns what the attacker pays in advance, to get refunds later; wei */
  tell?(told: Told): Promise<bigint>;
}

/** Whether the account has the attacker's own code or a known code, and whether the operation deploys it. */
export const ACCOUNT_KINDS = ['own', 'ownNew', 'simple', 'simpleNew'] as const;
export type AccountKind = (typeof ACCOUNT_KINDS)[number];

const BATCH = parseAbi(['function executeBatch(address[] targets, bytes[] datas)']);
const SENDER_CREATOR = parseAbi(['function senderCreator() view returns (address)']);
/** The cost of the attacker's own transactions between bundles does not count. */
const SETUP_GAS = 9_000_000n;

/** Makes the attacker's accounts: with his own code, and with known code. */
export class SiphonAccounts {
  private factory: Address | undefined;
  private salts = 0n;

  constructor(private readonly siphon: SiphonWorld) {}

  make(kind: AccountKind, version: EntryPointVersion): Promise<Account> {
    if (kind === 'own') return this.own();
    if (kind === 'ownNew') return this.ownNew();
    return this.simple(version, kind === 'simpleNew');
  }

  /** @param args of its constructor */
  async deploy(name: 'SiphonAccount' | 'SiphonTarget' | 'SiphonFactory' | 'SiphonInflater'): Promise<Address> {
    const { contractAddress } = await this.siphon.send({ data: testContracts()[name].bytecode, gas: SETUP_GAS });
    return normalizeAddress(contractAddress ?? '');
  }

  private async own(): Promise<Account> {
    const sender = await this.deploy('SiphonAccount');
    const { abi } = testContracts().SiphonAccount;
    const owner = (functionName: string, args: readonly unknown[]) =>
      this.siphon.send({ to: sender, data: encodeFunctionData({ abi, functionName, args }), gas: SETUP_GAS });
    return {
      ...OF_OWN_CODE,
      sender,
      deployment: undefined,
      async tell({ validationGas, calls, slots, slotCount, slotsInValidation }) {
        const told = {
          ...{ validationGas: BigInt(validationGas), slotCount, inValidation: slotsInValidation },
          ...{ calls: CALLS.indexOf(calls), slots: SLOTS.indexOf(slots) },
        };
        await owner('tell', [told]);
        if (slots !== 'cleared') return 0n;
        const { gasUsed, effectiveGasPrice } = await owner('fill', []);
        return BigInt(gasUsed) * BigInt(effectiveGasPrice);
      },
    };
  }

  private async ownNew(): Promise<Account> {
    const factory = (this.factory ??= await this.deploy('SiphonFactory'));
    const factoryData = numberToHex(this.salts++, { size: 32 });
    const bytecode = '0x6360205ff35f526004601cf3';
    const sender = getContractAddress({ opcode: 'CREATE2', from: factory, salt: factoryData, bytecode });
    return {
      ...{ ...OF_OWN_CODE, verificationGas: 170_000 },
      ...{ sender: normalizeAddress(sender), deployment: { factory, factoryData } },
    };
  }

  private async simple(version: EntryPointVersion, isNew: boolean): Promise<Account> {
    const { url } = this.siphon.world.anvil;
    const chain = { chainId: 31337, chainRpc: url, entryPoints: CANONICAL_ENTRY_POINTS };
    const account = await simpleAccount({ ...chain, accountFactories: CANONICAL_ACCOUNT_FACTORIES } as Stack, {
      version,
    });
    const { factory, factoryData } = (await account.getFactoryArgs()) as { factory: Address; factoryData: Hex };
    if (!isNew) {
      const from = version === '0.8' || version === '0.9' ? await this.senderCreator(factory) : undefined;
      await this.siphon.send({ to: factory, data: factoryData, gas: SETUP_GAS, ...(from && { from }) });
    }
    return {
      sender: normalizeAddress(account.address),
      deployment: isNew ? { factory, factoryData } : undefined,
      verificationGas: isNew ? 420_000 : 90_000,
      encode: (calls) => account.encodeCalls(calls.map((call) => ({ ...call, value: 0n }))),
      sign: (paid) =>
        account.signUserOperation(withPaymaster(paid) as unknown as Parameters<typeof account.signUserOperation>[0]),
    };
  }

  /** The only caller that the factories of v0.8 and v0.9 accept. */
  private async senderCreator(factory: Address): Promise<Address> {
    const { url } = this.siphon.world.anvil;
    const data = encodeFunctionData({ abi: SENDER_CREATOR });
    const creator = normalizeAddress(slice(await rpc<Hex>(url, 'eth_call', [{ to: factory, data }, 'latest']), 12));
    await rpc(url, 'anvil_impersonateAccount', [creator]);
    await rpc(url, 'anvil_setBalance', [creator, numberToHex(10n ** 30n)]);
    return creator;
  }
}

const OF_OWN_CODE: Pick<Account, 'verificationGas' | 'encode' | 'sign'> = {
  verificationGas: 90_000,
  encode(calls) {
    const [first] = calls;
    if (first && calls.length === 1) return executeCall(first);
    return encodeFunctionData({ abi: BATCH, args: [calls.map(({ to }) => to), calls.map(({ data }) => data)] });
  },
  sign: () => '0x',
};

/** The complete operation, in the form of clients and bundlers. */
export function withPaymaster({ operation, paymasterAndData }: PaidOperation): UserOperation {
  const { entryPointVersion: version } = operation;
  if (version === '0.6') return { ...operation, paymasterAndData } as UserOperation;
  return {
    ...operation,
    paymaster: slice(paymasterAndData, 0, 20),
    paymasterVerificationGasLimit: BigInt(slice(paymasterAndData, 20, 36)),
    paymasterPostOpGasLimit: BigInt(slice(paymasterAndData, 36, 52)),
    ...toWirePaymasterData(version, slice(withoutSuffix(version, paymasterAndData), 52)),
  } as UserOperation;
}
