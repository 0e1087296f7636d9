import { getCreateAddress } from 'ethers';
import { isAddress } from '@paymaster/domain';
import { randomAddress } from '@paymaster/domain/testing';
import { compileKnownFactories, KNOWN_ACCOUNT_FACTORIES } from './known-account-factories';
import { compileKnownImplementations, KNOWN_ACCOUNT_IMPLEMENTATIONS } from './known-account-implementations';
import {
  KNOWN_MULTI_SEND_CONTRACTS,
  KNOWN_SAFE_4337_MODULES,
  KNOWN_SAFE_MODULE_SETUPS,
  KNOWN_SAFE_SINGLETONS,
} from './known-safe-contracts';

const lowerCaseAddress = (address: string) => isAddress(address) && address === address.toLowerCase();

describe('known accounts', () => {
  it('should be addresses in the form they are compared in, each once', () => {
    const lists = [
      KNOWN_ACCOUNT_FACTORIES.map(({ address }) => address),
      KNOWN_ACCOUNT_IMPLEMENTATIONS.map(({ address }) => address),
      ...[KNOWN_MULTI_SEND_CONTRACTS, KNOWN_SAFE_4337_MODULES, KNOWN_SAFE_MODULE_SETUPS, KNOWN_SAFE_SINGLETONS].map(
        (set) => [...set],
      ),
    ];
    for (const list of lists) {
      expect(list.filter((address) => !lowerCaseAddress(address))).toEqual([]);
      expect(new Set(list).size).toBe(list.length);
    }
  });

  it('should have the SimpleAccount implementation that each SimpleAccountFactory creates first', () => {
    const firstCreations = KNOWN_ACCOUNT_FACTORIES.filter(({ kind }) => kind === 'INFINITISM').map(({ address }) =>
      getCreateAddress({ from: address, nonce: 1 }).toLowerCase(),
    );
    const implementations = KNOWN_ACCOUNT_IMPLEMENTATIONS.filter(({ kind }) => kind === 'INFINITISM');
    expect(implementations.map(({ address }) => address)).toEqual(firstCreations);
  });

  it("should be extended by the operator's lists, in any case", () => {
    const own = randomAddress();
    const upper = own.toUpperCase().replace('0X', '0x') as typeof own;
    expect(compileKnownFactories([upper]).get(own)).toMatchObject({ kind: 'OPERATOR', setup: 'fixed' });
    expect(compileKnownFactories([upper]).size).toBe(KNOWN_ACCOUNT_FACTORIES.length + 1);
    expect(compileKnownImplementations([upper]).has(own)).toBe(true);
  });
});
