import { CallRevertedError, encodeSponsorData, encodeTokenData, type BundledOperation } from '@paymaster/chain';
import { sponsorFieldsBuilder, tokenFieldsBuilder } from '@paymaster/chain/testing';
import { prechargeWei, type Hex } from '@paymaster/domain';
import { randomAddress, randomHex, userOperationV07Builder } from '@paymaster/domain/testing';
import type { UnsettledOperation } from '@paymaster/ledger/settlement';
import { unsettledRecords } from './unsettled-records';

const [paymaster, entryPoint, wallet] = [randomAddress(), randomAddress(), randomAddress()];
const FINAL = 100n;
const word = (value: bigint): Hex => `0x${value.toString(16).padStart(64, '0')}`;

interface Failed {
  readonly operation: UnsettledOperation;
  readonly bundled: BundledOperation;
  readonly recordedWei: bigint;
}

/** An operation whose `postOp` was undone, as the books and its transaction tell it. */
function failed({
  way = 'batchApproval',
  takenWei = 10n,
}: { way?: 'batchApproval' | 'allowance' | 'none'; takenWei?: bigint } = {}): Failed {
  const operation = userOperationV07Builder().build();
  const signature = randomHex(65);
  const tokenFields = tokenFieldsBuilder(way === 'none' ? 'allowance' : way).build();
  const sponsorFields = sponsorFieldsBuilder().build();
  const { feeMarkupMillionths, unaccountedGas } = way === 'none' ? sponsorFields : tokenFields;
  const sent = {
    paymaster,
    ...{ paymasterVerificationGasLimit: 60_000n, paymasterPostOpGasLimit: 90_000n },
    paymasterData:
      way === 'none' ? encodeSponsorData(sponsorFields, signature) : encodeTokenData(tokenFields, signature),
  };
  const price = {
    version: '0.7',
    limits: { ...operation, ...sent },
    maxFeePerGas: operation.maxFeePerGas,
    feeMarkupMillionths,
  } as const;
  return {
    operation: {
      ...{ contract: paymaster, wallet, entryPoint, entryPointVersion: '0.7' },
      ...{ userOpHash: randomHex(32), transactionHash: randomHex(32), sender: operation.sender },
      ...{ nonce: operation.nonce, blockNumber: FINAL, actualGasCostWei: takenWei },
      chargedWei: prechargeWei({ ...price, unaccountedGas }),
    },
    bundled: { complete: { operation, paymaster: sent }, blockHash: randomHex(32), blockNumber: FINAL },
    recordedWei: prechargeWei({ ...price, unaccountedGas: 0n }),
  };
}

/** What is found where the contract has that record, and the books those operations, the newest first. */
async function found(recordedWei: bigint, operations: readonly Failed[]) {
  const final = { number: FINAL, hash: word(FINAL), timeSeconds: 7 };
  const { records } = await unsettledRecords({
    chain: { chainId: 1, entryPoints: { '0.7': { entryPoint, paymaster } } },
    books: {
      cursor: async () => ({ head: final, final, haltedReason: null }),
      unsettledOperations: async () => operations.map(({ operation }) => operation),
    },
    source: {
      callAt: async (_hash, { data }) => {
        if (data.startsWith('0x0c38ef86')) throw new CallRevertedError('', `0xe425971d${word(0n).slice(2)}`);
        return word(data.startsWith('0xf4195da0') ? recordedWei : 0n);
      },
      bundled: async ({ transactionHash }) =>
        operations.find(({ operation }) => operation.transactionHash === transactionHash)!.bundled,
    },
  });
  return records;
}

describe('unsettledRecords', () => {
  it('leaves of the record what the EntryPoint took, and stops at operations that were stated before', async () => {
    const [newest, second, stated] = [failed({ takenWei: 3n }), failed({ takenWei: 4n }), failed()] as const;
    const recordedWei = newest.recordedWei + second.recordedWei;
    expect(await found(recordedWei, [newest, second, stated])).toEqual([
      {
        ...{ contract: paymaster, wallet, recordedWei, strandedWei: 0n, creditableAtSeconds: undefined },
        statement: { returnedWei: recordedWei - 7n, operations: [newest.operation, second.operation] },
      },
    ]);
  });

  it('passes over operations for which the contract keeps no record', async () => {
    const [allowance, sponsored, kept] = [failed({ way: 'allowance' }), failed({ way: 'none' }), failed()] as const;
    const [record] = await found(kept.recordedWei, [allowance, sponsored, kept]);
    expect(record!.statement).toEqual({ returnedWei: kept.recordedWei - 10n, operations: [kept.operation] });
  });

  it.each<[string, bigint, (of: Failed) => Failed]>([
    ['there is more than the operations left', 1n, (of) => of],
    ['there is less than the operations left', -1n, (of) => of],
    ['an operation is not found in its transaction', 0n, (of) => ({ ...of, bundled: null as never })],
    [
      'its transaction has an operation that would have had another precharge',
      0n,
      (of) => ({ ...of, operation: { ...of.operation, chargedWei: of.operation.chargedWei + 1n } }),
    ],
    [
      'its paymaster data are not what our contract takes',
      0n,
      (of) => ({ ...of, bundled: { ...of.bundled, complete: withoutData(of.bundled) } }),
    ],
    [
      'nobody paid for it but the account',
      0n,
      (of) => ({ ...of, bundled: { ...of.bundled, complete: { ...of.bundled.complete, paymaster: undefined } } }),
    ],
    [
      'the EntryPoint took more than is recorded',
      0n,
      (of) => ({ ...of, operation: { ...of.operation, actualGasCostWei: of.recordedWei + 1n } }),
    ],
  ])('states nothing where %s', async (_what, moreWei, change) => {
    const one = failed();
    const [record] = await found(one.recordedWei + moreWei, [change(one)]);
    expect(record).toMatchObject({ recordedWei: one.recordedWei + moreWei, statement: undefined });
  });

  it('looks neither at blocks above the final one, nor at contracts that are not served any more', async () => {
    const [later, elsewhere] = [failed(), failed()] as const;
    const operations = [
      { ...later, operation: { ...later.operation, blockNumber: FINAL + 1n } },
      { ...elsewhere, operation: { ...elsewhere.operation, contract: randomAddress() } },
    ];
    expect(await found(later.recordedWei, operations)).toEqual([]);
  });

  it('says nothing of wallets of which everything was stated and credited', async () => {
    expect(await found(0n, [failed()])).toEqual([]);
  });
});

function withoutData({ complete }: BundledOperation): BundledOperation['complete'] {
  return { ...complete, paymaster: { ...complete.paymaster!, paymasterData: '0x02' } };
}
