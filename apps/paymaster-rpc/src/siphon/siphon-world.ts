import { concatHex, encodeFunctionData, numberToHex, parseAbi, parseEventLogs, toHex, type Log } from 'viem';
import { entryPointV07Abi } from '@paymaster/contract-abis';
import { DEV_KEYS, Neighbours, paymasterAbi, rpc, startBundler } from '@paymaster/devnet';
import {
  CANONICAL_ENTRY_POINTS,
  normalizeAddress,
  type Address,
  type EntryPointVersion,
  type Hex,
  type PolicySnapshot,
  type UserOperation,
} from '@paymaster/domain';
import { ServedChains } from '../chains/served-chains';
import { startGatewayWorld, type GatewayWorld } from '../testing/gateway-world';
import { call, sponsoredMode } from '../testing/rpc-call';
import { until } from '../testing/until';
import { toWire } from '../token-mode/attacks/testing/attack-target';
import type { PaidOperation } from '../testing/token-call';
import { encodeHandleOps } from '../token-mode/attacks/testing/bundle';
import { SiphonL1, type Rollup } from './siphon-l1';

const CHAIN_ID = 31337;
const OUTSIDER = normalizeAddress(DEV_KEYS.bundlerExecutor.address);
/** Nothing settles here, so what is held for an operation is never given back: enough for all that a search asks for. */
const DEPOSIT_WEI = 10n ** 24n;
/** Fits beside what the neighbours use of a block. */
const BUNDLE_GAS = 12_000_000n;
/** Blocks that the gateway's window of fees is gone after, and that its memory of the day is made of. */
const WINDOW_BLOCKS = 24;
const SETTLED_BLOCKS = 200;
/** More than four times any lower one that is searched: else its tips would be taken for lately paid ones for 30 s. */
const STARTING_BASE_FEE_WEI = 10n ** 10n;
const BLOCK_MS = 250;
const EVENTS = parseAbi([
  'event UserOperationEvent(bytes32 indexed userOpHash, address indexed sender, address indexed paymaster, uint256 nonce, bool success, uint256 actualGasCost, uint256 actualGasUsed)',
]);

/** What one bundle cost the attacker who sent it, and what the EntryPoint paid him for it. */
export interface Haul {
  readonly operations: number;
  /** Wei; the transaction's gas at the base fee, without a tip, and its L1 data. */
  readonly costWei: bigint;
  /** Of it, what a rollup takes for the data; wei. */
  readonly l1Wei: bigint;
  /** Wei. */
  readonly receivedWei: bigint;
  readonly transactionGas: bigint;
  /** What the EntryPoint says of the operations, in sum; gas. */
  readonly paidGas: bigint;
}

/** Why the gateway did not sign, and what it would sign. */
export interface Refusal {
  readonly reason: string;
  readonly field: string | undefined;
  readonly limit: bigint | undefined;
}

interface ReceiptOfBundle {
  readonly transactionHash: Hex;
  readonly status: Hex;
  readonly gasUsed: Hex;
  readonly effectiveGasPrice: Hex;
  readonly logs: Log[];
  readonly contractAddress: Hex | null;
}

/**
 * A chain with neighbours whose base fee stands where the attacker wants it, a gateway with default bounds, and an
 * attacker with the public API key, accounts of his own and a bundler of his own.
 */
export class SiphonWorld {
  private apiKey = '';
  private baseFeeWei = STARTING_BASE_FEE_WEI;

  private constructor(
    readonly world: GatewayWorld,
    private readonly neighbours: Neighbours,
    private readonly l1: SiphonL1 | undefined,
  ) {}

  /** @param rollup what kind the chain is; not a rollup when absent */
  static async start({ rollup }: { rollup?: Rollup } = {}): Promise<SiphonWorld> {
    let neighbours: Neighbours | undefined;
    let l1: SiphonL1 | undefined;
    const world = await startGatewayWorld({
      prepareChain: async ({ anvil, onStop }) => {
        // A block comes when the attacker wants it; until the bundler is up, whenever there is time.
        await rpc(anvil.url, 'evm_setIntervalMining', [0]);
        const moved = (neighbours = await Neighbours.moveIn(anvil.url));
        for (let block = 0; block < SETTLED_BLOCKS; block++) await moved.mine(STARTING_BASE_FEE_WEI);
        const blocks = setInterval(() => void moved.mine(STARTING_BASE_FEE_WEI), BLOCK_MS);
        const alto = await startBundler({
          chainRpc: anvil.url,
          entryPoints: Object.values(CANONICAL_ENTRY_POINTS),
          executorKey: DEV_KEYS.bundlerExecutor.privateKey,
          utilityKey: DEV_KEYS.bundlerUtility.privateKey,
        });
        onStop(() => alto.stop());
        clearInterval(blocks);
        if (!rollup) return { bounds: {}, bundlerUrl: alto.url };
        const installed = (l1 = await SiphonL1.install(rollup, { url: anvil.url, chainId: CHAIN_ID }));
        onStop(() => installed.stop());
        return { bounds: {}, bundlerUrl: alto.url, rollup };
      },
    });
    if (!neighbours) throw new Error('the chain was not prepared');
    const siphon = new SiphonWorld(world, neighbours, l1);
    await siphon.fundWallet();
    siphon.newPaymaster();
    return siphon;
  }

  /** Gives the wallet that all paymasters have so much that no base fee uses it up. */
  private async fundWallet(): Promise<void> {
    const { paymasters, ledger, anvil } = this.world;
    const wallet = normalizeAddress(DEV_KEYS.fundingWallet.address);
    const data = encodeFunctionData({ abi: paymasterAbi, functionName: 'depositFor', args: [wallet] });
    for (const contract of Object.values(paymasters)) {
      await rpc(anvil.url, 'anvil_setBalance', [OUTSIDER, numberToHex(2n * DEPOSIT_WEI)]);
      await this.send({ to: contract, data, value: DEPOSIT_WEI, gas: BUNDLE_GAS });
      await ledger.seeWallet({ contract, wallet });
    }
  }

  stop(): Promise<void> {
    return this.world.stop();
  }

  /** Attacks a paymaster that nothing has been taken from. @param changes to what the default is */
  newPaymaster(changes: Partial<PolicySnapshot> = {}): void {
    this.apiKey = this.world.newPaymaster(changes).apiKey;
  }

  /** Has the base fee stand there from now on, and the gateway and the neighbours know it. */
  async setBaseFee(baseFeeWei: bigint): Promise<void> {
    this.baseFeeWei = baseFeeWei;
    for (let block = 0; block < WINDOW_BLOCKS; block++) await this.neighbours.mine(this.baseFeeWei);
    const { head, fees } = this.world.app.get(ServedChains).get(CHAIN_ID);
    await until('the gateway knows the base fee', async () => {
      await head.refresh();
      return head.baseFeePerGasWei() === baseFeeWei;
    });
    await fees.refresh();
  }

  /** Has L1 data cost so many times what it usually costs. The gateway hears of it when it reads next. */
  async setL1Price(times: number): Promise<void> {
    await this.l1?.setPrice(times);
  }

  /** Has the gateway read what L1 data costs. */
  async readL1Price(): Promise<void> {
    await this.world.app.get(ServedChains).get(CHAIN_ID).l1Fees.refresh();
  }

  /** The nonce of the account's next operation. */
  async nextNonce(version: EntryPointVersion, sender: Address): Promise<bigint> {
    const data = encodeFunctionData({ abi: entryPointV07Abi, functionName: 'getNonce', args: [sender, 0n] });
    const call = { to: CANONICAL_ENTRY_POINTS[version], data };
    return BigInt(await rpc<Hex>(this.world.anvil.url, 'eth_call', [call, 'latest']));
  }

  /** Asks for a signature as a client does that sends its own limits. */
  async ask(operation: UserOperation): Promise<PaidOperation | Refusal> {
    const params = [
      toWire(operation),
      CANONICAL_ENTRY_POINTS[operation.entryPointVersion],
      sponsoredMode({ calculateGasLimits: false }),
    ];
    const { json } = await call(
      `${this.world.url}/api/v2/${CHAIN_ID}/${this.apiKey}`,
      'pm_sponsorUserOperation',
      params,
    );
    if (!json.error) return { operation, paymasterAndData: json.result?.['paymasterAndData'] as Hex };
    const { reason, field, limit } = json.error.data;
    if (reason === 'INTERNAL_ERROR') throw new Error(json.error.message);
    return {
      reason: String(reason),
      field: field === undefined ? undefined : String(field).replace('params[0].', ''),
      limit: limit === undefined ? undefined : BigInt(limit as string),
    };
  }

  /**
   * Sends the bundle, at no tip, with himself as the beneficiary.
   *
   * @param inflater SiphonInflater, if it is to be sent to that
   * @returns undefined when it reverts as a whole
   */
  async land(operations: readonly PaidOperation[], inflater?: Address): Promise<Haul | undefined> {
    const version = operations[0]?.operation.entryPointVersion ?? '0.7';
    const to = CANONICAL_ENTRY_POINTS[version];
    const data = encodeHandleOps(version, operations, OUTSIDER);
    const receipt = await this.send({
      ...(inflater ? { to: inflater, data: inflated(to, data) } : { to, data }),
      gas: BUNDLE_GAS,
    });
    if (receipt.status !== '0x1') return undefined;
    const events = parseEventLogs({ abi: EVENTS, logs: receipt.logs });
    const receivedWei = events.reduce((sum, { args }) => sum + args.actualGasCost, 0n);
    const paidGas = events.reduce((sum, { args }) => sum + args.actualGasUsed, 0n);
    const transactionGas = BigInt(receipt.gasUsed);
    const l1Wei = (await this.l1?.feeWei(receipt.transactionHash)) ?? 0n;
    const costWei = transactionGas * BigInt(receipt.effectiveGasPrice) + l1Wei;
    return { operations: events.length, costWei, l1Wei, receivedWei, transactionGas, paidGas };
  }

  /** Lands one of the attacker's transactions. */
  async send(transaction: {
    from?: Address;
    to?: Address;
    data: Hex;
    value?: bigint;
    gas: bigint;
  }): Promise<ReceiptOfBundle> {
    const { url } = this.world.anvil;
    const hash = await rpc<Hex>(url, 'eth_sendTransaction', [
      {
        from: transaction.from ?? OUTSIDER,
        ...(transaction.to && { to: transaction.to }),
        data: transaction.data,
        value: numberToHex(transaction.value ?? 0n),
        gas: numberToHex(transaction.gas),
        maxFeePerGas: numberToHex(2n * this.baseFeeWei + 1n),
        maxPriorityFeePerGas: '0x0',
      },
    ]);
    await this.neighbours.mine(this.baseFeeWei);
    return rpc<ReceiptOfBundle>(url, 'eth_getTransactionReceipt', [hash]);
  }
}

/** Longer runs of one word are told to SiphonInflater by their length. */
const LEAST_WORDS = 2;

/**
 * The call data that has SiphonInflater call a contract: a word that repeats itself is in it once.
 *
 * @param data `handleOps`
 */
function inflated(to: Address, data: Hex): Hex {
  const bytes = data.slice(2);
  const parts: Hex[] = [to];
  let literal = '';
  const end = (words: number, word: string): void => {
    parts.push(toHex(literal.length / 2, { size: 2 }), `0x${literal}`, toHex(words, { size: 2 }), `0x${word}`);
    literal = '';
  };
  for (let at = 0; at < bytes.length;) {
    const word = bytes.slice(at, at + 64);
    let words = 1;
    while (bytes.slice(at + 64 * words, at + 64 * (words + 1)) === word) words += 1;
    if (word.length === 64 && words >= LEAST_WORDS) {
      end(words, word);
      at += 64 * words;
    } else {
      literal += bytes.slice(at, at + 2);
      at += 2;
    }
  }
  if (literal) end(0, '');
  return concatHex(parts);
}
