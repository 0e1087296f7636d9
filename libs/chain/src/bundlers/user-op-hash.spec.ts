import {
  CANONICAL_ENTRY_POINTS,
  EIP7702_MARKER,
  ENTRY_POINT_VERSIONS,
  isPacked,
  type EntryPointVersion,
  type Hex,
} from '@paymaster/domain';
import { randomAddress, randomHex, userOperationV06Builder, userOperationV07Builder } from '@paymaster/domain/testing';
import { getUserOperationHash } from 'viem/account-abstraction';
import type { CompleteOperation } from './complete-operation';
import { userOpHash } from './user-op-hash';

const CHAIN_ID = 8_453;
const authorization = { chainId: 8_453n, address: randomAddress(), nonce: 0n, r: 1n, s: 1n, yParity: 0 } as const;

const paymaster = () => ({
  paymaster: randomAddress(),
  paymasterData: randomHex(106),
  paymasterVerificationGasLimit: 33_000n,
  paymasterPostOpGasLimit: 22_000n,
});
const operationOf = (version: EntryPointVersion) =>
  version === '0.6'
    ? userOperationV06Builder().with('initCode', randomHex(60)).build()
    : userOperationV07Builder(version).with('factory', randomAddress()).with('factoryData', randomHex(40)).build();

/** As viem computes it: another implementation of the same standard. */
function viemsHash({ operation, paymaster: sent }: CompleteOperation): Hex {
  const version = operation.entryPointVersion;
  const wire = isPacked(operation)
    ? {
        ...operation,
        ...sent,
        ...(operation.eip7702Auth && { authorization: { ...operation.eip7702Auth, chainId: CHAIN_ID } }),
      }
    : { ...operation, paymasterAndData: sent ? `${sent.paymaster}${sent.paymasterData.slice(2)}` : '0x' };
  return getUserOperationHash({
    chainId: CHAIN_ID,
    entryPointAddress: CANONICAL_ENTRY_POINTS[version],
    entryPointVersion: version,
    userOperation: wire as never,
  });
}

const ours = (complete: CompleteOperation): Hex => {
  const { operation } = complete;
  const entryPoint = CANONICAL_ENTRY_POINTS[operation.entryPointVersion];
  const delegate = isPacked(operation) ? operation.eip7702Auth?.address : undefined;
  return userOpHash(complete, { entryPoint, chainId: CHAIN_ID, delegate });
};

describe('userOpHash', () => {
  it.each(ENTRY_POINT_VERSIONS)('of v%s equals that of viem, with a paymaster and without', (version) => {
    for (const sent of [undefined, paymaster()]) {
      const complete = { operation: operationOf(version), paymaster: sent };
      expect(ours(complete)).toBe(viemsHash(complete));
    }
  });

  it('of v0.9 depends on whether the paymaster signs apart, and not on how', () => {
    const operation = operationOf('0.9');
    const sent = paymaster();
    const signed = (signature: Hex) => ({ operation, paymaster: { ...sent, paymasterSignature: signature } });
    expect(ours(signed(randomHex(65)))).toBe(viemsHash(signed(randomHex(65))));
    expect(ours(signed(randomHex(65)))).not.toBe(ours({ operation, paymaster: sent }));
  });

  it.each(['0.8', '0.9'] as const)(
    'of a delegated account of v%s has the delegate in the place of the marker',
    (version) => {
      const operation = userOperationV07Builder(version)
        .with('factory', EIP7702_MARKER)
        .with('factoryData', '0xbeef')
        .with('eip7702Auth', authorization)
        .build();
      const complete = { operation, paymaster: undefined };
      const viems = getUserOperationHash({
        ...{ chainId: CHAIN_ID, entryPointAddress: CANONICAL_ENTRY_POINTS[version], entryPointVersion: version },
        userOperation: {
          ...operation,
          factory: '0x7702',
          authorization: { ...authorization, chainId: CHAIN_ID, nonce: 0, r: randomHex(32), s: randomHex(32) },
        } as never,
      });
      expect(ours(complete)).toBe(viems);
    },
  );
});
