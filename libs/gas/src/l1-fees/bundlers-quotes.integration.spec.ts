import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { ChainProvider, encodePaymasterAndData, encodeStubSponsorData, type RollupKind } from '@paymaster/chain';
import { Anvil, UNHURRIED } from '@paymaster/chain/testing';
import type { Address, EntryPointVersion, Hex, UserOperation } from '@paymaster/domain';
import { randomAddress, randomHex, userOperationV06Builder, userOperationV07Builder } from '@paymaster/domain/testing';
import { concat, getBytes, Interface, JsonRpcProvider, Transaction } from 'ethers';
import { OpStackContracts } from '../testing/op-stack-contracts';
import { L1Fees, type L1Gas } from './l1-fees';

const CHAIN_ID = 8453;
/**
 * The percentage by which alto multiplies preVerificationGas by default (`v7-pre-verification-gas-limit-multiplier`).
 */
const ALTO_PERCENT = 110n;
const GAS_PRICE_WEI = 2_000_000n;
const ENTRY_POINT = randomAddress();
/** viem's and permissionless' dummy of a SimpleAccount. */
const DUMMY_SIGNATURE: Hex = `0x${'ff'.repeat(15)}f${'0'.repeat(33)}7${'a'.repeat(63)}1c`;

interface Estimated {
  readonly operation: UserOperation;
  readonly paymasterAndData: Hex;
  /** The operation in the form that alto gets. */
  readonly wire: Record<string, unknown>;
}

/** Alto's own serialization, of the version that the local world runs. */
function altoTransactions(
  wires: readonly object[],
  { randomizeSignature }: { randomizeSignature: boolean },
): readonly Hex[] {
  const file = join(process.cwd(), 'devnet/bundler/node_modules/@pimlico/alto/esm/rpc/estimation/preVerificationGasCalculator.js'); // prettier-ignore
  const program = `
    import { getSerializedHandleOpsTx } from ${JSON.stringify(file)};
    const wires = JSON.parse(process.argv[1], (_key, value) => (/^\\d+n$/.test(value) ? BigInt(value.slice(0, -1)) : value));
    const options = { entryPoint: '${ENTRY_POINT}', chainId: ${CHAIN_ID}, removeZeros: false, randomizeSignature: ${randomizeSignature} };
    console.log(JSON.stringify(wires.map((userOp) => getSerializedHandleOpsTx({ ...options, userOps: [userOp] }))));`;
  const argument = JSON.stringify(wires, (_key, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value));
  const printed = execFileSync(process.execPath, ['--input-type=module', '-e', program, argument]).toString();
  return JSON.parse(printed) as Hex[];
}

const erc20 = new Interface(['function transfer(address,uint256)', 'function approve(address,uint256)']);
const account = new Interface([
  'function execute(address,uint256,bytes)',
  'function executeBatch((address,uint256,bytes)[])',
]);
const call = (name: 'transfer' | 'approve') => erc20.encodeFunctionData(name, [randomAddress(), 25_000_000n]);

/** An operation as a client has it estimated: with a dummy signature and our stub. */
function estimated(version: EntryPointVersion, callData: string, factory?: Address): Estimated {
  const paymaster = randomAddress();
  const paymasterGasLimits = { paymasterVerificationGasLimit: 60_000n, paymasterPostOpGasLimit: 45_000n };
  const stub = { fundingWallet: randomAddress(), feeMarkupMillionths: 1_000_000n, unaccountedGas: 50_000n };
  const paymasterData = encodeStubSponsorData(stub);
  const paymasterAndData = encodePaymasterAndData({ version, paymaster, paymasterGasLimits, paymasterData });
  const factoryData: Hex = `0x5fbfb9cf${randomAddress().slice(2).padStart(64, '0')}${'0'.repeat(64)}`;
  const common = {
    ...{ sender: randomAddress(), nonce: 5n, callData: callData as Hex, signature: DUMMY_SIGNATURE },
    ...{ callGasLimit: 91_234n, verificationGasLimit: 83_411n, preVerificationGas: 58_121n },
    ...{ maxFeePerGas: 1_212_345_678n, maxPriorityFeePerGas: 1_000_111n },
  };
  if (version === '0.6') {
    const initCode: Hex = factory ? (concat([factory, factoryData]) as Hex) : '0x';
    const operation = { ...userOperationV06Builder().build(), ...common, initCode };
    return { operation, paymasterAndData, wire: { ...common, initCode, paymasterAndData } };
  }
  const deployment = factory ? { factory, factoryData } : {};
  const operation = { ...userOperationV07Builder(version).build(), ...common, ...deployment };
  return {
    operation,
    paymasterAndData,
    wire: { ...common, ...deployment, paymaster, paymasterData, ...paymasterGasLimits },
  };
}

/**
 * The gas that an Arbitrum node quotes for data: NodeInterface wraps the data into a transaction of its own, and adds
 * padding.
 */
function nodeInterfaceWei(data: Hex, weiPerUnit: bigint, level: number): bigint {
  const wrapped = Transaction.from({
    ...{ type: 2, chainId: CHAIN_ID, to: ENTRY_POINT, data, nonce: 2 ** 50 + 123_456_789 },
    ...{ maxPriorityFeePerGas: BigInt(randomHex(4)), maxFeePerGas: 2n ** 32n + BigInt(randomHex(4)), gasLimit: 3_141_592_653n }, // prettier-ignore
    signature: { r: `0x3f${randomHex(31).slice(2)}`, s: `0x3f${randomHex(31).slice(2)}`, v: 27 },
  });
  const params = { [constants.BROTLI_PARAM_QUALITY]: level, [constants.BROTLI_PARAM_LGWIN]: 22 };
  const bytes = brotliCompressSync(getBytes(wrapped.serialized), { params }).length + 16;
  return (((BigInt(bytes) * 16n * 10_100n) / 10_000n) * weiPerUnit * 11_000n) / 10_000n;
}

/**
 * Honest quotes pass because of alto's default padding, and the bound does not accept just any quote: alto asks for
 * about what the chain takes. The test takes all operations together, because alto inserts random bytes whose
 * compressed size varies.
 */
function expectToPass(altoGas: readonly bigint[], ours: readonly L1Gas[]): void {
  const sum = (amounts: readonly bigint[]) => amounts.reduce((total, amount) => total + amount, 0n);
  const alto = sum(altoGas);
  expect((alto * ALTO_PERCENT) / 100n).toBeLessThanOrEqual(sum(ours.map(({ highest }) => highest)));
  expect(Number(alto) / Number(sum(ours.map(({ expected }) => expected)))).toBeGreaterThan(0.9);
}

/** A contract that answers one word, whatever it is asked. */
const answering = (word: bigint): string => `0x7f${word.toString(16).padStart(64, '0')}5f5260205ff3`;

describe('what bundlers ask for L1 data', () => {
  let anvil: Anvil;
  let rpc: JsonRpcProvider;
  const all = (['0.6', '0.7', '0.8', '0.9'] as const).flatMap((version) => [
    estimated(version, account.encodeFunctionData('execute', [randomAddress(), 0n, call('transfer')])),
    estimated(
      version,
      account.encodeFunctionData('executeBatch', [
        [call('approve'), call('transfer'), call('transfer')].map((data) => [randomAddress(), 0n, data]),
      ]),
    ),
    estimated(version, account.encodeFunctionData('execute', [randomAddress(), 0n, randomHex(1_500)]), randomAddress()),
  ]);

  const wires = all.map(({ wire }) => wire);

  beforeEach(async () => {
    anvil = await Anvil.start({ chainId: CHAIN_ID });
    rpc = new JsonRpcProvider(anvil.url, CHAIN_ID, { staticNetwork: true, cacheTimeout: -1 });
  });
  afterEach(async () => {
    rpc.destroy();
    await anvil.stop();
  });

  const open = async (rollup: RollupKind) => {
    const paymaster = randomAddress();
    const entryPoints = Object.fromEntries(
      (['0.6', '0.7', '0.8', '0.9'] as const).map((version) => [version, { entryPoint: ENTRY_POINT, paymaster }]),
    );
    const provider = new ChainProvider({ chainId: CHAIN_ID, rpcUrls: [anvil.url] }, UNHURRIED);
    const fees = new L1Fees({ chainId: CHAIN_ID, rollup, entryPoints }, provider);
    await fees.refresh();
    return ({ operation, paymasterAndData }: Estimated) =>
      fees.preVerificationGas({ operation, paymasterAndData, gasPriceWei: GAS_PRICE_WEI, transactionGas: 0n });
  };

  it("lets alto's estimate pass on an OP stack chain, its padding included", async () => {
    const contracts = new OpStackContracts(rpc);
    await contracts.install('fjord');
    const scalars = { baseFeeScalar: 5_227n, blobBaseFeeScalar: 1_014_213n };
    await contracts.setPrices({ ...scalars, l1BaseFee: 15_000_000_000n, blobBaseFee: 1_000_000n });
    const gasOf = await open('opStack');
    const asked = altoTransactions(wires, { randomizeSignature: true });
    const altoGas = await Promise.all(
      asked.map(async (transaction) => (await contracts.l1FeeWei(getBytes(transaction))) / GAS_PRICE_WEI),
    );
    expectToPass(altoGas, all.map(gasOf));
  });

  it.each([0, 1])("lets alto's estimate pass on Arbitrum with brotli %d, its padding included", async (level) => {
    const weiPerUnit = 321_987_654n;
    await rpc.send('anvil_setCode', ['0x0000000000000000000000000000000000000064', '0xfe']);
    await rpc.send('anvil_setCode', ['0x000000000000000000000000000000000000006b', answering(BigInt(level))]);
    await rpc.send('anvil_setCode', ['0x000000000000000000000000000000000000006c', answering(weiPerUnit)]);
    const gasOf = await open('arbitrum');
    const asked = altoTransactions(wires, { randomizeSignature: false });
    const altoGas = asked.map((transaction) => nodeInterfaceWei(transaction, weiPerUnit, level) / GAS_PRICE_WEI);
    expectToPass(altoGas, all.map(gasOf));
  });
});
