import {
  ENTRY_POINT_VERSIONS,
  type Address,
  type ChainEvent,
  type EntryPointVersion,
  type Hex,
} from '@paymaster/domain';
import { randomAddress } from '@paymaster/domain/testing';
import { userOpHash } from '../bundlers/user-op-hash';
import { AgreedChain } from '../providers/agreed-chain';
import { ChainProvider } from '../providers/chain-provider';
import { SponsoredChain } from '../testing/sponsored-chain';
import { UNHURRIED } from '../testing/unhurried';
import { BlockSource } from './block-source';
import { bundledOperation } from './landed-call-data';

describe('BlockSource on a chain with the real contracts', () => {
  let chain: SponsoredChain;
  let source: BlockSource;
  const faults: Error[] = [];

  beforeAll(async () => {
    chain = await SponsoredChain.start();
    const agreed = new AgreedChain(
      { chainId: 31337, rpcUrls: [chain.url], finality: { tag: 'finalized' } },
      { ...UNHURRIED, onFault: (error) => faults.push(error) },
    );
    source = new BlockSource(agreed, { entryPoints: chain.entryPoints }, { onFault: (error) => faults.push(error) });
  });
  afterAll(async () => {
    await chain?.stop();
    expect(faults).toEqual([]);
  });

  const lastEvents = async (): Promise<readonly ChainEvent[]> => {
    const { number } = await source.head();
    const [block] = await source.blocks(number, number);
    return block!.events;
  };

  it('finds the head, and the final block two below it', async () => {
    await chain.mine(3);
    const head = await source.head();
    expect((await source.final()).number).toBe(head.number - 2n);
    await expect(source.header(head.number)).resolves.toEqual(head);
    await expect(source.header(head.hash)).resolves.toEqual(head);
    await expect(source.header(head.number + 1n)).resolves.toBeUndefined();
  });

  describe.each(ENTRY_POINT_VERSIONS)('v%s', (version) => {
    const contractsOf = () => chain.world.of(version);

    it('has the whole operation in its transaction, as its hash proves', async () => {
      const operations = [await chain.selfPaid({ version }), await chain.sponsored({ version })];
      const transactionHash = await chain.handleOps(version, operations);
      const { entryPoint } = contractsOf();
      const receipt = (await chain.rpc('eth_getTransactionReceipt', transactionHash)) as {
        logs: readonly { topics: readonly Hex[] }[];
      };
      const landed = new Set(receipt.logs.map(({ topics }) => topics[1]));
      const provider = new ChainProvider({ chainId: 31337, rpcUrls: [chain.url] }, UNHURRIED);
      for (const { operation } of operations) {
        const { sender, nonce } = operation;
        const wanted = { transactionHash, entryPoint, sender, nonce, version, deadlineMs: Infinity };
        const { complete } = (await bundledOperation(provider, wanted))!;
        expect(landed).toContain(userOpHash(complete, { entryPoint, chainId: 31337 }));
      }
    });

    it('puts the events of a sponsored operation together', async () => {
      const sponsored = await chain.sponsored({ version });
      const transactionHash = await chain.handleOps(version, [sponsored]);
      const [event, ...others] = await lastEvents();
      expect(others).toEqual([]);
      expect(event).toMatchObject({
        kind: 'operation',
        transactionHash,
        contract: contractsOf().paymaster,
        wallet: sponsored.wallet,
        entryPoint: contractsOf().entryPoint,
        entryPointVersion: version,
        sender: sponsored.operation.sender,
        nonce: sponsored.operation.nonce,
        success: true,
        prechargeWei: sponsored.prechargeWei,
      });
      const { chargedWei, actualGasCostWei, prechargeWei } = event as Extract<ChainEvent, { kind: 'operation' }>;
      expect(chargedWei).toBeGreaterThan(actualGasCostWei);
      expect(chargedWei).toBeLessThan(prechargeWei);
      expect(actualGasCostWei).toBeGreaterThan(0n);
    });

    it('reads the whole precharge where postOp reverted, on v0.6 the charge', async () => {
      const unpaid = await chain.sponsored({ version, unpaid: true });
      await chain.handleOps(version, [unpaid]);
      const [event] = await lastEvents();
      const { chargedWei, ...operation } = event as Extract<ChainEvent, { kind: 'operation' }>;
      expect(operation).toMatchObject({ success: false, prechargeWei: unpaid.prechargeWei });
      if (version === '0.6') expect(chargedWei).toBeLessThan(unpaid.prechargeWei);
      else expect(chargedWei).toBe(unpaid.prechargeWei);
    });

    it('keeps operations of one bundle apart, also from those that others paid for', async () => {
      const operations = [
        await chain.sponsored({ version, reverts: true }),
        await chain.selfPaid({ version }),
        await chain.sponsored({ version }),
        await chain.sponsored({ version, unpaid: true }),
      ];
      await chain.handleOps(version, operations);
      expect(await lastEvents()).toMatchObject([
        { kind: 'operation', success: false, nonce: operations[0]!.operation.nonce },
        {
          kind: 'nonceUsed',
          contract: contractsOf().entryPoint,
          entryPoint: contractsOf().entryPoint,
          sender: operations[1]!.operation.sender,
          nonce: operations[1]!.operation.nonce,
        },
        { kind: 'operation', success: true, nonce: operations[2]!.operation.nonce },
        { kind: 'operation', nonce: operations[3]!.operation.nonce },
      ]);
    });

    it('reads deposits and withdrawals', async () => {
      const wallet = randomAddress();
      const { deployer } = chain.world;
      await chain.callPaymaster(version, 'depositFor', [wallet], 5n);
      expect(await lastEvents()).toMatchObject([{ kind: 'deposited', wallet, amountWei: 5n }]);
      await chain.callPaymaster(version, 'requestWithdrawal', [300n]);
      expect(await lastEvents()).toMatchObject([{ kind: 'withdrawalRequested', wallet: deployer, amountWei: 300n }]);
      await chain.callPaymaster(version, 'cancelWithdrawal', []);
      expect(await lastEvents()).toMatchObject([{ kind: 'withdrawalCancelled', wallet: deployer }]);
      await chain.callPaymaster(version, 'requestWithdrawal', [200n]);
      await chain.rpc('evm_increaseTime', 3_601);
      await chain.callPaymaster(version, 'executeWithdrawal', [randomAddress()]);
      expect(await lastEvents()).toMatchObject([{ kind: 'withdrawalExecuted', wallet: deployer, amountWei: 200n }]);
    });
  });

  it.each(['0.7', '0.8', '0.9'] as const)(
    'v%s: reads what comes back of precharges that were not settled',
    async (version) => {
      const wallet = await richWallet(version);
      const unpaid = await chain.sponsored({ version, wallet, unpaid: true });
      await chain.handleOps(version, [unpaid]);
      await chain.callPaymaster(version, 'returnStranded', [wallet]);
      const [stranded] = (await lastEvents()) as Array<Extract<ChainEvent, { kind: 'returned' }>>;
      expect(stranded).toMatchObject({ kind: 'returned', wallet });
      const recordedWei = unpaid.prechargeWei - stranded!.amountWei;
      for (const [ofItWei, returnedWei] of [
        [recordedWei - 1n, 7n],
        [1n, 0n],
      ]) {
        await chain.callPaymaster(version, 'returnUnsettled', [wallet, ofItWei, returnedWei]);
        expect(await lastEvents()).toEqual([]);
        await chain.rpc('evm_increaseTime', 15 * 86_400);
        await chain.callPaymaster(version, 'creditUnsettled', [wallet]);
        expect(await lastEvents()).toMatchObject(returnedWei ? [{ kind: 'returned', wallet, amountWei: 7n }] : []);
      }
    },
  );

  it('shows a reorg by changed hashes, and the operation where it is now', async () => {
    const operation = await chain.sponsored({ version: '0.7' });
    const before = await source.head();
    const snapshot = await chain.rpc('evm_snapshot');
    await chain.handleOps('0.7', [operation]);
    const [undone] = await source.blocks(before.number + 1n, before.number + 1n);
    await chain.rpc('evm_revert', snapshot);
    await chain.rpc('evm_increaseTime', 5);
    await chain.mine(1);
    await chain.handleOps('0.7', [operation]);
    const blocks = await source.blocks(before.number + 1n, before.number + 2n);
    expect(undone!.events).toMatchObject([{ kind: 'operation', nonce: operation.operation.nonce }]);
    expect(blocks[0]!.block.hash).not.toBe(undone!.block.hash);
    expect(blocks[0]).toMatchObject({ block: { parentHash: before.hash }, events: [] });
    expect(blocks[1]!.events).toMatchObject([{ kind: 'operation', nonce: operation.operation.nonce }]);
  });

  async function richWallet(version: EntryPointVersion): Promise<Address> {
    const wallet = randomAddress();
    await chain.callPaymaster(version, 'depositFor', [wallet], 10n ** 18n);
    return wallet;
  }
});
