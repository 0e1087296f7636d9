import { demoTokenAbi } from '@paymaster/contract-abis';
import {
  normalizeAddress,
  prechargeWei,
  type Address,
  type EntryPointVersion,
  type Hex,
  type UserOperation,
} from '@paymaster/domain';
import {
  randomAddress,
  randomHex,
  until,
  userOperationV06Builder,
  userOperationV07Builder,
} from '@paymaster/domain/testing';
import { concat, getBytes, Interface, MaxUint256, toBeHex } from 'ethers';
import type { ChainConfig } from '../chains/chain-config';
import { createDigestHasher, type DigestHasher } from '../digest/digest-hasher';
import { PAYMASTER_GAS_CONSTANTS, type PaymasterGasConstants } from '../paymaster-data/gas-constants';
import { tokenGasTerms } from '../paymaster-data/token-gas-terms';
import { encodePaymasterAndData } from '../paymaster-data/encode-paymaster-and-data';
import { encodeSponsorData } from '../paymaster-data/encode-sponsor-data';
import { encodeTokenData } from '../paymaster-data/encode-token-data';
import { DeployedPaymasters, pack } from './deployed-paymasters';
import { referenceDigest, type ContractGeneration } from './reference-digest';
import { TestSigner } from './test-signer';

/**
 * Answers every call with a zero word, which an EntryPoint reads as "valid" and a token's caller as "false"; reverts on
 * 0xff…. On 0xbb…, an address and call data, it makes that call.
 */
const YES_MAN =
  '0x60003560f81c8060ff1460185760bb14601d5760206000f35b600080fd5b601536038060156000376000809160008060013560601c5af100';
const TOKEN = new Interface(demoTokenAbi);
const BUNDLE_GAS = 5_000_000n;
const GWEI = 10n ** 9n;

export interface SponsoredRequest {
  readonly version: EntryPointVersion;
  /** The funding wallet; the rich wallet by default. */
  readonly wallet?: Address;
  readonly sender?: Address;
  readonly nonce?: bigint;
  /** The operation's calls revert. */
  readonly reverts?: boolean;
  /** Paid in a token that refuses the transfer, so `postOp` can't settle. */
  readonly unpaid?: boolean;
  /** What the sender pays in. By batch approval, the operation's calls approve the contract. */
  readonly payment?: TokenPayment | undefined;
  /** Until when the signature is valid; the year 2096 by default. */
  readonly validUntilSeconds?: number;
  /** The contract that pays, if it is not the version's own. */
  readonly contract?: PayingContract | undefined;
}

/** A second contract of the same version. */
export interface PayingContract {
  readonly paymaster: Address;
  /** The generation of the contract, which decides what its digest covers. */
  readonly generation: ContractGeneration;
  /** The generation whose gas is signed; its own by default. */
  readonly gasOf?: ContractGeneration;
}

/** One base unit of the token for each wei that the wallet is charged. */
export interface TokenPayment {
  readonly way: 'allowance' | 'batchApproval';
  readonly token: Address;
  readonly feeReceiver: Address;
}

/** An operation ready to land. */
export interface SponsoredOperation {
  readonly operation: UserOperation;
  readonly packed: Record<string, unknown>;
  readonly wallet: Address;
  readonly prechargeWei: bigint;
}

/** The first generation needs more gas than gateways sign today. */
const GAS_OF_FIRST_GENERATION = {
  unaccountedGas: 15_000n,
  paymasterPostOpGasLimit: 30_000n,
  paymasterVerificationGasLimit: 45_000n,
};
const FIRST_TOKEN_POST_OP_MARGIN = 20_000n;
const TOKEN_TRANSFER_GAS = 65_000;

/** Transactions of a real chain with our contracts: sponsored operations, operations of others, deposits. */
export class SponsoredChain {
  private constructor(
    readonly world: DeployedPaymasters,
    private readonly signer: TestSigner,
    private readonly hasher: DigestHasher,
  ) {}

  static async start(): Promise<SponsoredChain> {
    const signer = new TestSigner(Buffer.alloc(32, 7));
    return new SponsoredChain(await DeployedPaymasters.start(signer.address), signer, await createDigestHasher());
  }

  stop(): Promise<void> {
    return this.world.stop();
  }

  get url(): string {
    return this.world.anvil.url;
  }

  get entryPoints(): ChainConfig['entryPoints'] {
    const of = (version: EntryPointVersion) => {
      const { entryPoint, paymaster } = this.world.of(version);
      return { entryPoint, paymaster };
    };
    return { '0.6': of('0.6'), '0.7': of('0.7'), '0.8': of('0.8'), '0.9': of('0.9') };
  }

  rpc(method: string, ...params: unknown[]): Promise<unknown> {
    return this.world.rpc.send(method, params);
  }

  async mine(blocks: number): Promise<void> {
    await this.rpc('anvil_mine', toBeHex(blocks));
  }

  /** An account that accepts every operation. */
  async newAccount(): Promise<Address> {
    const account = randomAddress();
    await this.rpc('anvil_setCode', account, YES_MAN);
    return account;
  }

  async sponsored(request: SponsoredRequest): Promise<SponsoredOperation> {
    const { version, wallet = this.world.wallet, unpaid = false } = request;
    const { validUntilSeconds = 4_000_000_000 } = request;
    const { entryPoint } = this.world.of(version);
    const contract: PayingContract = request.contract ?? { ...this.world.of(version), generation: 'third' };
    const { paymaster, generation, gasOf = generation } = contract;
    const payment = unpaid ? await this.paymentThatFails() : request.payment;
    const constants = payment ? gasOfPayment(version, payment.way, gasOf) : gasOfSponsorship(version, gasOf);
    const operation = await this.plainOperation({
      ...request,
      ...(request.payment?.way === 'batchApproval' && { call: approval(request.payment.token, paymaster) }),
    });
    const fields = {
      validAfterSeconds: 1,
      validUntilSeconds,
      fundingWallet: wallet,
      feeMarkupMillionths: 1_100_000n,
      unaccountedGas: constants.unaccountedGas,
    };
    const context = { chainId: this.world.chainId, paymaster, entryPoint, paymasterGasLimits: constants };
    const terms = { exchangeRate: 10n ** 18n, premiumMillionths: 1_000_000n, maxTokenChargeBaseUnits: 10n ** 30n };
    const tokenFields = payment && { ...fields, ...payment, ...terms };
    const signed = { ...context, sponsorFields: tokenFields ?? fields };
    const digest =
      generation === 'first'
        ? getBytes(referenceDigest(operation, signed, generation))
        : this.hasher.digest(operation, signed);
    const signature = this.signer.sign(digest);
    const paymasterData = tokenFields ? encodeTokenData(tokenFields, signature) : encodeSponsorData(fields, signature);
    const paymasterAndData = encodePaymasterAndData({
      ...{ version, paymaster, paymasterGasLimits: constants, paymasterData },
    });
    return {
      operation,
      wallet,
      packed: pack(operation, paymasterAndData),
      prechargeWei: prechargeWei({
        version,
        limits: { ...operation, ...constants },
        maxFeePerGas: operation.maxFeePerGas,
        unaccountedGas: constants.unaccountedGas,
        feeMarkupMillionths: fields.feeMarkupMillionths,
      }),
    };
  }

  /** An operation that its sender pays for itself. */
  async selfPaid(request: Omit<SponsoredRequest, 'wallet' | 'unpaid'>): Promise<SponsoredOperation> {
    const operation = await this.plainOperation(request);
    const { entryPoint, entryPointAbi } = this.world.of(request.version);
    const deposit = entryPointAbi.encodeFunctionData('depositTo', [operation.sender]);
    await this.send(entryPoint, deposit, 10n ** 17n);
    return { operation, wallet: operation.sender, packed: pack(operation, '0x'), prechargeWei: 0n };
  }

  /** Lands operations in one bundle, and so in one block; the hash of the transaction. */
  handleOps(version: EntryPointVersion, operations: readonly SponsoredOperation[]): Promise<Hex> {
    const { entryPoint, entryPointAbi } = this.world.of(version);
    const bundle = operations.map(({ packed }) => packed);
    return this.send(entryPoint, entryPointAbi.encodeFunctionData('handleOps', [bundle, randomAddress()]));
  }

  /** Deploys another paymaster contract for that version's EntryPoint. It accepts this chain's signer; no deposits. */
  async deployBeside(version: EntryPointVersion, generation: ContractGeneration): Promise<PayingContract> {
    const { address: signer } = this.signer;
    return { paymaster: await this.world.deployBeside(version, { generation, signer }), generation };
  }

  /** Deposits of 1 wei, all in one block. */
  async depositTogether(version: EntryPointVersion, wallets: readonly Address[]): Promise<void> {
    const { paymaster, abi } = this.world.of(version);
    await this.rpc('evm_setAutomine', false);
    for (const wallet of wallets) {
      const data = abi.encodeFunctionData('depositFor', [wallet]);
      const transaction = { from: this.world.deployer, to: paymaster, data, value: '0x1', gas: toBeHex(BUNDLE_GAS) };
      await this.rpc('eth_sendTransaction', transaction);
    }
    await this.rpc('evm_mine');
    await this.rpc('evm_setAutomine', true);
  }

  /** Calls one of our contracts. */
  callPaymaster(version: EntryPointVersion, name: string, args: unknown[], valueWei = 0n): Promise<Hex> {
    const { paymaster, abi } = this.world.of(version);
    return this.send(paymaster, abi.encodeFunctionData(name, args), valueWei);
  }

  /** Sends a call to a token of `deployToken`. */
  callToken(token: Address, name: 'approve' | 'mint', args: readonly unknown[], from?: Address): Promise<Hex> {
    return this.send(token, TOKEN.encodeFunctionData(name, args), 0n, from);
  }

  async tokenBalanceOf(token: Address, account: Address): Promise<bigint> {
    const data = TOKEN.encodeFunctionData('balanceOf', [account]);
    return BigInt((await this.rpc('eth_call', { to: token, data }, 'latest')) as Hex);
  }

  /** Adds signers to contracts, and lets their waiting time pass. */
  async addSigners(versions: readonly EntryPointVersion[], signers: readonly Address[]): Promise<void> {
    for (const version of versions)
      for (const signer of signers) await this.callPaymaster(version, 'addSigner', [signer]);
    await this.rpc('evm_increaseTime', 15 * 86_400);
    await this.mine(1);
  }

  /**
   * Sends a transaction and waits until it is mined; it must succeed. The sender is the deployer by default; another
   * sender needs no key.
   */
  async send(to: Address, data: string, valueWei = 0n, from: Address = this.world.deployer): Promise<Hex> {
    if (from !== this.world.deployer) {
      await this.rpc('anvil_impersonateAccount', from);
      await this.rpc('anvil_setBalance', from, toBeHex(valueWei + 10n ** 18n));
    }
    const transaction = { from, to, data, value: toBeHex(valueWei), gas: toBeHex(BUNDLE_GAS) };
    const hash = (await this.rpc('eth_sendTransaction', transaction)) as Hex;
    const { status } = await this.receipt(hash);
    if (status !== '0x1') throw new Error(`transaction ${hash} reverted: ${await this.reasonOf(transaction)}`);
    return hash;
  }

  /** The EntryPoint's reason for refusing a bundle, such as `AA34 signature error`. */
  private async reasonOf(transaction: object): Promise<string> {
    try {
      await this.rpc('eth_call', transaction, 'latest');
      return 'not any more';
    } catch (error) {
      const { data = '0x' } = error as { data?: Hex };
      return /AA\d\d [ -~]+/.exec(Buffer.from(data.slice(2), 'hex').toString('latin1'))?.[0] ?? data;
    }
  }

  /** anvil mines a moment after it has answered. */
  private receipt(hash: Hex): Promise<{ status: string }> {
    return until(() => this.rpc('eth_getTransactionReceipt', hash) as Promise<{ status: string } | null>);
  }

  private async paymentThatFails(): Promise<TokenPayment> {
    return { way: 'batchApproval', token: await this.newAccount(), feeReceiver: randomAddress() };
  }

  private async plainOperation(request: SponsoredRequest & { readonly call?: Hex }): Promise<UserOperation> {
    const { version, sender, nonce, reverts, call = '0x00' } = request;
    const gas = { verificationGasLimit: 300_000n, callGasLimit: 100_000n, preVerificationGas: 100_000n };
    const start = version === '0.6' ? userOperationV06Builder() : userOperationV07Builder(version);
    const drafted = {
      ...start.build(),
      ...gas,
      sender: normalizeAddress(sender ?? (await this.newAccount())),
      // Each operation has its own nonce key, so that they can land in any order.
      nonce: nonce ?? BigInt(randomHex(24)) << 64n,
      callData: reverts ? ('0xff' as Hex) : call,
      signature: '0x' as Hex,
      maxFeePerGas: 20n * GWEI,
      maxPriorityFeePerGas: GWEI,
    };
    return (version === '0.6' ? { ...drafted, initCode: '0x' } : withoutFactory(drafted)) as UserOperation;
  }
}

function gasOfSponsorship(version: EntryPointVersion, generation: ContractGeneration): PaymasterGasConstants {
  const constants = PAYMASTER_GAS_CONSTANTS[version];
  return generation === 'first' ? { ...constants, ...GAS_OF_FIRST_GENERATION } : constants;
}

function gasOfPayment(
  version: EntryPointVersion,
  way: TokenPayment['way'],
  generation: ContractGeneration,
): PaymasterGasConstants {
  if (generation !== 'first') return tokenGasTerms({ version, way, transferGas: TOKEN_TRANSFER_GAS });
  const terms = tokenGasTerms({ version, way, transferGas: 2 * TOKEN_TRANSFER_GAS });
  return { ...terms, paymasterPostOpGasLimit: terms.paymasterPostOpGasLimit + FIRST_TOKEN_POST_OP_MARGIN };
}

/** The call of an account of ours that lets the spender take all it has of the token. */
function approval(token: Address, spender: Address): Hex {
  return concat(['0xbb', token, TOKEN.encodeFunctionData('approve', [spender, MaxUint256])]) as Hex;
}

function withoutFactory(operation: object): object {
  return Object.fromEntries(
    Object.entries(operation).filter(([name]) => !name.startsWith('factory') && !name.startsWith('eip7702')),
  );
}
