import { getUserOperationHash, toSmartAccount, type SmartAccount } from 'viem/account-abstraction';
import { entryPoint06Abi } from 'viem/account-abstraction';
import type { Hex } from '@paymaster/domain';
import type { Stack } from '@paymaster/devnet';
import { publicClient } from './chain';
import { execute, executeBatch, type InnerCall } from './call-data';
import type { SimpleAccount } from './simple-account';

/** 65 bytes with a low s that recover to nobody. */
const STUB_SIGNATURE: Hex = `0x${'ff'.repeat(15)}f0${'00'.repeat(16)}7${'a'.repeat(63)}1c`;

/** A SimpleAccount as viem's own account abstraction knows accounts. */
export function viemAccount(stack: Stack, account: SimpleAccount): Promise<SmartAccount> {
  const { version, owner, address, factory, factoryData } = account;
  const entryPointAddress = stack.entryPoints[version];
  return toSmartAccount({
    client: publicClient(stack),
    // getNonce is the only function viem takes from this ABI, and it is the same in every version.
    entryPoint: { abi: entryPoint06Abi, address: entryPointAddress, version: version as '0.6' },
    getAddress: () => Promise.resolve(address),
    getFactoryArgs: () => Promise.resolve({ factory, factoryData }),
    getStubSignature: () => Promise.resolve(STUB_SIGNATURE),
    encodeCalls(calls) {
      const inner = calls.map(({ to, data = '0x', value }): InnerCall => ({ to, data, valueWei: value }));
      const [only] = inner;
      return Promise.resolve(only && inner.length === 1 ? execute(only) : executeBatch(version, inner));
    },
    signUserOperation({ chainId = stack.chainId, ...operation }) {
      const hash = getUserOperationHash({
        chainId,
        entryPointAddress,
        entryPointVersion: version as '0.6',
        userOperation: { ...operation, sender: address, signature: '0x' } as never,
      });
      return version === '0.6' || version === '0.7'
        ? owner.signMessage({ message: { raw: hash } })
        : owner.sign({ hash });
    },
    signMessage: ({ message }) => owner.signMessage({ message }),
    signTypedData: (typedData) => owner.signTypedData(typedData as never),
  });
}
