import { concatHex, encodeFunctionData, numberToHex, parseAbi, parseEventLogs, toHex, type Log } from 'viem';
import { entryPointV07Abi } from '@paymaster/contract-abis';
import { DEV_KEYS, Neighbours, rpc, startBundler } from '@paymaster/devnet';
import {
  CANONICAL_ENTRY_POINTS,
  normalizeAddress,
  type Address,
  type EntryPointVersion,
  type Hex,
  type PolicySnapshot,
  type UserOperation,
} from '@paymaster/domain';
import { until } from '@paymaster/domain/testing';
import { ServedChains } from '../../src/chains/served-chains';
import type { AskedOfWallet } from '../../src/hold/client-ask';
import { Reservations } from '../../src/hold/reservations.service';
import { startGatewayWorld, type GatewayWorld } from '../../src/testing/gateway-world';
import { call, sponsoredMode } from '../../src/testing/rpc-call';
import { toWire } from '../attacks/testing/attack-target';
import type { PaidOperation } from '../../src/testing/token-call';
import { encodeHandleOps } from '../attacks/testing/bundle';
import { SiphonL1, type Rollup } from './siphon-l1';

const CHAIN_ID = 31337;
const OUTSIDER = normalizeAddress(DEV_KEYS.bundlerExecutor.address);
/** No settlement runs here, so holds are never released; this is enough for all requests of a search. */
const DEPOSIT_WEI = 10n ** 24n;
/** A block has room for this beside the gas of the neighbours. */
const BUNDLE_GAS = 12_000_000n;
/** After this many blocks, the gateway's window of fees contains only these blocks. */
const WINDOW_BLOCKS = 24;
/** What others tip, in percent of the base fee. */
const USUAL_TIP_PERCENT = 0.5;
const STARTING_BASE_FEE_WEI = 10n ** 10n;
const BLOCK_MS = 250;
const EVENTS = parseAbi([
  'event UserOperationEvent(bytes32 indexed userOpHash, address indexed sender, address indexed paymaster, uint256 nonce, bool success, uint256 actualGasCost, uint256 actualGasUsed)',
]);

/** An operation that was signed, and what was counted for it. */
export interface CountedOperation extends PaidOperation {
  readonly asked: AskedOfWallet;
}

/** What one bundle cost the attacker who sent it, and what the EntryPoint paid him for it. */
export interface Haul {
  readonly operations: number;
  /** Wei; the transaction's gas at the base fee, without a tip, and its L1 data. */
  readonly costWei: bigint;
  /** The part of it that a rollup takes for the data; wei. */
  readonly l1Wei: bigint;
  /** Wei. */
  readonly receivedWei: bigint;
  readonly transactionGas: bigint;
  /** The gas of the operations in the EntryPoint's events, in sum. */
  readonly paidGas: bigint;
}

/** Why the gateway did not sign, and the limit that it would accept. */
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
 * A chain with other users, whose base fee the attacker chooses; a gateway with default bounds; and an attacker with
 * the public API key, his own accounts and his own bundler.
 */
export class SiphonWorld {
  private apiKey = '';
  private baseFeeWei = STARTING_BASE_FEE_WEI;
  /** What the gateway counted for the newest signature. */
  private asked: AskedOfWallet | undefined;

  private constructor(
    readonly world: GatewayWorld,
    private readonly neighbours: Neighbours,
    private readonly l1: SiphonL1 | undefined,
  ) {}

  /** @param rollup the kind of rollup; absent: the chain is not a rollup */
  static async start({ rollup }: { rollup?: Rollup } = {}): Promise<SiphonWorld> {
    let neighbours: Neighbours | undefined;
    let l1: SiphonL1 | undefined;
    const world = await startGatewayWorld({
      ...{ neighbours: false, fundingWei: DEPOSIT_WEI },
      prepareChain: async ({ anvil, onStop }) => {
        // The attacker decides when a block is mined; until the bundler is up, blocks are mined automatically.
        await rpc(anvil.url, 'evm_setIntervalMining', [0]);
        const moved = (neighbours = await Neighbours.moveIn(anvil.url));
        for (let block = 0; block < WINDOW_BLOCKS; block++) await moved.mine(STARTING_BASE_FEE_WEI);
        const blocks = setInterval(() => void moved.mine(STARTING_BASE_FEE_WEI), BLOCK_MS);
        const alto = await startBundler({ chainRpc: anvil.url });
        onStop(() => alto.stop());
        clearInterval(blocks);
        if (!rollup) return { bundlerUrl: alto.url };
        const installed = (l1 = await SiphonL1.install(rollup, { url: anvil.url, chainId: CHAIN_ID }));
        onStop(() => installed.stop());
        return { bundlerUrl: alto.url, rollup };
      },
    });
    if (!neighbours) throw new Error('the chain was not prepared');
    const siphon = new SiphonWorld(world, neighbours, l1);
    const reservations = world.app.get(Reservations);
    const hold = reservations.hold.bind(reservations);
    reservations.hold = (promised) => hold(promised).then(() => void (siphon.asked = promised.asked));
    await rpc(world.anvil.url, 'anvil_setBalance', [OUTSIDER, numberToHex(DEPOSIT_WEI)]);
    siphon.newPaymaster();
    return siphon;
  }

  stop(): Promise<void> {
    return this.world.stop();
  }

  /** Begins an attack on a fresh paymaster. @param changes to its default settings */
  newPaymaster(changes: Partial<PolicySnapshot> = {}): void {
    this.apiKey = this.world.newPaymaster(changes).apiKey;
  }

  /**
   * Sets the base fee from now on, and lets the gateway and the neighbours know it.
   *
   * @param tipPercent what the neighbours tip, in percent of the base fee
   * @param blocks how many blocks have it by then
   */
  async setBaseFee(baseFeeWei: bigint, tipPercent = USUAL_TIP_PERCENT, blocks = WINDOW_BLOCKS): Promise<void> {
    this.baseFeeWei = baseFeeWei;
    const tipWei = (baseFeeWei * BigInt(10 * tipPercent)) / 1_000n;
    for (let block = 0; block < blocks; block++) await this.neighbours.mine(this.baseFeeWei, tipWei);
    const { head, fees } = this.world.app.get(ServedChains).get(CHAIN_ID);
    await until(async () => {
      await head.refresh();
      return head.baseFeePerGasWei() === baseFeeWei;
    }, 'the gateway knows the base fee');
    await fees.refresh();
  }

  /** Sets the price of L1 data to a multiple of its usual price. The gateway learns it at its next reading. */
  async setL1Price(times: number): Promise<void> {
    await this.l1?.setPrice(times);
  }

  /** Makes the gateway read the price of L1 data. */
  async readL1Price(): Promise<void> {
    await this.world.app.get(ServedChains).get(CHAIN_ID).l1Fees.refresh();
  }

  /** The nonce of the account's next operation. */
  async nextNonce(version: EntryPointVersion, sender: Address): Promise<bigint> {
    const data = encodeFunctionData({ abi: entryPointV07Abi, functionName: 'getNonce', args: [sender, 0n] });
    const call = { to: CANONICAL_ENTRY_POINTS[version], data };
    return BigInt(await rpc<Hex>(this.world.anvil.url, 'eth_call', [call, 'latest']));
  }

  /** Requests a signature like a client that sends its own limits. */
  async ask(operation: UserOperation): Promise<CountedOperation | Refusal> {
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
    if (!json.error) {
      if (!this.asked) throw new Error('nothing was held for the signature');
      return { operation, paymasterAndData: json.result?.['paymasterAndData'] as Hex, asked: this.asked };
    }
    const { reason, field, limit } = json.error.data;
    if (reason === 'INTERNAL_ERROR') throw new Error(json.error.message);
    return {
      reason: String(reason),
      field: field === undefined ? undefined : String(field).replace('params[0].', ''),
      limit: limit === undefined ? undefined : BigInt(limit as string),
    };
  }

  /**
   * Sends the bundle without a tip; its beneficiary is the attacker.
   *
   * @param inflater SiphonInflater, if it is to be sent to that
   * @returns undefined if the whole bundle reverts
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

/** A longer run of one word is given to SiphonInflater by its length. */
const LEAST_WORDS = 2;

/**
 * The call data with which SiphonInflater calls a contract. It contains repeated words only once.
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
