import { faker } from '@faker-js/faker';
import { ChainProvider } from '@paymaster/chain';
import {
  Anvil,
  AutomineProvider,
  compileSolidity,
  deployContract,
  inBatches,
  randomSignableOperation,
  UNHURRIED,
} from '@paymaster/chain/testing';
import type { EntryPointVersion, Hex, UserOperation } from '@paymaster/domain';
import { randomAddress, randomHex } from '@paymaster/domain/testing';
import { monotonicClock } from '@paymaster/turns';
import { getBytes, hexlify, Interface, toBeHex, Transaction, Wallet, ZeroAddress } from 'ethers';
import { OpStackContracts, type L1Prices } from '../testing/op-stack-contracts';
import { handleOpsTransaction } from './handle-ops-transaction';
import { dataFeeWei, operatorFeeWei, type L1FeeReading } from './l1-fee-scheme';
import { OpStackFeeReader } from './op-stack-fees';

const CHAIN_ID = 31337;
/** anvil's first account, known to everybody. */
const SENDER = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80';
const PRICES: L1Prices = {
  l1BaseFee: 15_432_109_876n,
  blobBaseFee: 1_234_567n,
  baseFeeScalar: 5_227n,
  blobBaseFeeScalar: 1_014_213n,
};

/**
 * An oracle like those since Isthmus: it computes the operator fee itself, and forwards all other calls to the real
 * code.
 */
const WITH_OPERATOR_FEE = `pragma solidity 0.8.28;
contract Oracle {
  address constant FJORD = 0xc0d3C0d3C0d3c0D3C0D3C0d3C0d3C0D3C0D3000f;
  function getOperatorFee(uint256 gasUsed) external pure returns (uint256) { return FEE; }
  fallback() external {
    (bool ok, bytes memory answer) = FJORD.delegatecall(msg.data);
    assembly { if iszero(ok) { revert(0, 0) } return(add(answer, 32), mload(answer)) }
  }
}`;

describe('fees of an OP stack chain', () => {
  let anvil: Anvil;
  let rpc: AutomineProvider;
  let contracts: OpStackContracts;
  let provider: ChainProvider;

  beforeAll(async () => {
    anvil = await Anvil.start({ chainId: CHAIN_ID, network: 'optimism' });
    rpc = new AutomineProvider(anvil.url, CHAIN_ID, { staticNetwork: true, cacheTimeout: -1 });
    contracts = new OpStackContracts(rpc);
    // anvil also takes L1 data fees for calls, from the caller: by default from the zero address.
    await rpc.send('anvil_setBalance', [ZeroAddress, toBeHex(10n ** 30n)]);
    provider = new ChainProvider({ chainId: CHAIN_ID, rpcUrls: [anvil.url] }, UNHURRIED);
  });
  afterAll(async () => {
    rpc.destroy();
    await anvil.stop();
  });

  const read = () => new OpStackFeeReader(provider, monotonicClock).read();
  const feeOf = (reading: L1FeeReading, transaction: Uint8Array) =>
    dataFeeWei(reading, reading.scheme.units(transaction));

  describe.each([
    ['ecotone', 'Ecotone'],
    ['fjord', 'Fjord'],
  ] as const)('since %s', (upgrade, scheme) => {
    beforeAll(async () => {
      await contracts.install(upgrade);
      await contracts.setPrices(PRICES);
    });

    it('equal the oracle’s answer for random and for hostile operations', async () => {
      const reading = await read();
      expect(reading.scheme.name).toBe(scheme);
      await inBatches(200, async () => {
        const transaction = handleOpsTransaction(hostile(), { chainId: 10, entryPoint: randomAddress() });
        expect(feeOf(reading, transaction)).toBe(await contracts.l1FeeWei(transaction));
      });
    });

    it('equal the oracle’s answer for the shortest transactions, and for an empty one', async () => {
      const reading = await read();
      for (let length = 0; length < 60; length++) {
        const transaction = getBytes(length % 2 ? `0x${'ab'.repeat(length)}` : randomHex(length));
        expect(feeOf(reading, transaction)).toBe(await contracts.l1FeeWei(transaction));
      }
    });
  });

  it('follow the prices of the chain', async () => {
    await contracts.install('fjord');
    await contracts.setPrices({ ...PRICES, l1BaseFee: 1n, blobBaseFee: 10n ** 12n });
    const transaction = handleOpsTransaction(hostile(), { chainId: 10, entryPoint: randomAddress() });
    const before = feeOf(await read(), transaction);
    expect(before).toBe(await contracts.l1FeeWei(transaction));
    await contracts.setPrices({ ...PRICES, l1BaseFee: 10n ** 12n, blobBaseFee: 1n });
    const after = feeOf(await read(), transaction);
    expect(after).toBe(await contracts.l1FeeWei(transaction));
    expect(after).not.toBe(before);
  });

  it.each([
    ['Isthmus', 'gasUsed * 4321 / 1e6 + 987654321', { operatorFeeScalar: 4_321n, operatorFeeConstant: 987_654_321n }],
    ['Jovian', 'gasUsed * 4321 * 100 + 987654321', undefined],
    ['no operator', '0', {}],
  ])('count the operator fee of %s', async (_title, fee, charged) => {
    const { Oracle } = compileSolidity({ 'Oracle.sol': WITH_OPERATOR_FEE.replace('FEE', fee) });
    await contracts.install('fjord');
    const wallet = new Wallet(SENDER, rpc);
    const deployed = await deployContract(wallet, Oracle!);
    await contracts.installBefore((await deployed.getDeployedCode()) ?? '0x');
    await contracts.setPrices({ ...PRICES, ...charged });
    const reading = await read();
    const gasUsed = 123_456n;
    expect(operatorFeeWei(reading.operatorFee, gasUsed)).toBe(
      await deployed.getFunction('getOperatorFee').staticCall(gasUsed),
    );
    if (!charged) return;

    // The fee that the chain takes from the sender of a transaction, besides its gas.
    const transaction = { to: randomAddress(), data: randomHex(700), gasLimit: 200_000n, maxPriorityFeePerGas: 1_000n };
    const balanceBefore = await rpc.getBalance(wallet.address);
    const sent = await wallet.sendTransaction(transaction);
    const receipt = (await sent.wait())!;
    const taken = balanceBefore - (await rpc.getBalance(wallet.address)) - receipt.gasUsed * receipt.gasPrice;
    const signed = getBytes(
      await wallet.signTransaction({ ...sent.toJSON(), from: undefined, type: 2, accessList: [] }),
    );
    // The chain compresses the signature too, so it is not added; the oracle adds 68 bytes for it.
    const size = reading.scheme.units(signed) - 68n * 836_500n;
    expect(taken).toBe(dataFeeWei(reading, size) + operatorFeeWei(reading.operatorFee, receipt.gasUsed));
  });

  it('are within 2 % of what the chain charges a bundler, with his own signatures and fields', async () => {
    await contracts.install('fjord');
    await contracts.setPrices(PRICES);
    const reading = await read();
    const wallet = new Wallet(SENDER, rpc);
    for (let count = 0; count < 20; count++) {
      const operation = {
        ...randomSignableOperation(faker.helpers.arrayElement(['0.6', '0.7', '0.8', '0.9'])),
        callData: transferOfTokens(),
      };
      const carried = { operation, paymasterAndData: randomHex(158) };
      const place = { chainId: CHAIN_ID, entryPoint: randomAddress() };
      const counted = handleOpsTransaction(carried, place);
      // As it really lands: with other signatures, and with the bundler as the beneficiary.
      const { data } = Transaction.from(hexlify(counted));
      // A zero at an end of his address joins the zeros beside it, for which the chain takes up to 4 % less.
      const beneficiary = `5a${randomHex(18).slice(2)}a5`;
      const landing = data.replace(data.slice(10 + 64 + 24, 10 + 128), beneficiary);
      const balanceBefore = await rpc.getBalance(wallet.address);
      const sent = await wallet.sendTransaction({ to: place.entryPoint, data: landing, gasLimit: 500_000n });
      const receipt = (await sent.wait())!;
      const taken = balanceBefore - (await rpc.getBalance(wallet.address)) - receipt.gasUsed * receipt.gasPrice;
      const ratio = Number((feeOf(reading, counted) * 10_000n) / taken) / 10_000;
      expect(ratio).toBeGreaterThan(0.98);
      expect(ratio).toBeLessThan(1.02);
    }
  });

  it('are not known where the oracle is older than Ecotone', async () => {
    await contracts.install('ecotone');
    await rpc.send('anvil_setStorageAt', ['0x420000000000000000000000000000000000000f', '0x0', `0x${'0'.repeat(64)}`]);
    await expect(read()).rejects.toThrow(/older than Ecotone/);
  });
});

/** The calls that most operations make. */
function transferOfTokens(): Hex {
  const transfer = new Interface(['function transfer(address,uint256)']);
  const account = new Interface(['function execute(address,uint256,bytes)']);
  const inner = transfer.encodeFunctionData('transfer', [randomAddress(), faker.number.bigInt({ max: 10n ** 18n })]);
  return account.encodeFunctionData('execute', [randomAddress(), 0n, inner]) as Hex;
}

/** Zeros, repeats, incompressible bytes, and mixtures of them, at every length. */
function hostile(): { operation: UserOperation; paymasterAndData: Hex } {
  const version = faker.helpers.arrayElement<EntryPointVersion>(['0.6', '0.7', '0.8', '0.9']);
  const filling = (length: number): string =>
    faker.helpers.arrayElement([
      () => '00'.repeat(length),
      () => 'a1b2c3'.repeat(length).slice(0, 2 * length),
      () => randomHex(length).slice(2),
      () => `${randomHex(7).slice(2)}${'00'.repeat(25)}`.repeat(length).slice(0, 2 * length),
    ])();
  const parts = Array.from({ length: faker.number.int({ min: 1, max: 5 }) }, () =>
    filling(faker.helpers.arrayElement([1, 31, 33, 262, 263, 270, 900, faker.number.int({ min: 1, max: 6_000 })])),
  );
  const operation = { ...randomSignableOperation(version), callData: `0x${parts.join('')}` as Hex };
  return { operation, paymasterAndData: randomHex(158) };
}
