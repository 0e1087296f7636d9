import {
  DEFAULT_PAYMASTER_SETTINGS,
  NATIVE_PSEUDO_ADDRESS,
  ZERO_ADDRESS,
  type PolicySnapshot,
  type TokenListing,
} from '@paymaster/domain';
import {
  policySnapshotBuilder,
  randomAddress,
  rulesPolicyBuilder,
  tokenListingBuilder,
} from '@paymaster/domain/testing';
import { compilePolicy } from '@paymaster/policy';
import type { LoadedPolicy } from '../snapshots/policy-copies';
import { supportedToken } from '../decide/tokens/supported-token';
import { tokenRegistry } from './token-registry';

const contracts = [{ address: randomAddress(), selectors: [] }];

const loaded = (changes: Partial<PolicySnapshot>): LoadedPolicy => {
  const snapshot = { ...policySnapshotBuilder().with('contracts', contracts).build(), ...changes };
  return { snapshot, policy: compilePolicy(snapshot) };
};

describe('tokenRegistry', () => {
  const ofChain = tokenListingBuilder().with('symbol', 'CHAIN').build();
  const other = tokenListingBuilder().with('chargingWays', ['batchApproval']).build();
  const chain = { tokens: [ofChain, other] };

  it('has the tokens of the chain in their order, then those of the paymaster', () => {
    const own = tokenListingBuilder().build();
    const { byAddress } = tokenRegistry(loaded({ tokens: [own] }), chain);
    expect([...byAddress.keys()]).toEqual([ofChain.address, other.address, own.address]);
  });

  it('lets the paymaster override a token of the chain in its place', () => {
    const own = tokenListingBuilder().with('address', ofChain.address).with('symbol', 'OWN').build();
    const { byAddress } = tokenRegistry(loaded({ tokens: [own] }), chain);
    expect([...byAddress.values()].map(({ listing }) => listing)).toEqual([own, other]);
  });

  it('leaves out tokens for which the paymaster allows no way', () => {
    const settings = { ...DEFAULT_PAYMASTER_SETTINGS, tokenChargingWays: ['allowance'] as const };
    const { byAddress } = tokenRegistry(loaded({ settings }), chain);
    const token = { listing: ofChain, ways: ['allowance'], lacksBatchApproval: false, gasKind: expect.any(String) };
    expect([...byAddress.values()]).toEqual([token]);
  });

  describe('of a paymaster without a contract and a policy', () => {
    const ways = (changes: Partial<PolicySnapshot>) =>
      tokenRegistry(loaded({ contracts: [], ...changes }), chain).byAddress.get(ofChain.address);

    it('offers no approval in the batch until the owner turns it on', () => {
      expect(ways({})).toMatchObject({ ways: ['allowance', 'permit'], lacksBatchApproval: true });
      const settings = { ...DEFAULT_PAYMASTER_SETTINGS, allowBatchApprovalWithoutRules: true };
      const all = { ways: ofChain.chargingWays, lacksBatchApproval: false };
      expect(ways({ settings })).toMatchObject(all);
      expect(ways({ contracts })).toMatchObject(all);
      expect(ways({ policies: [rulesPolicyBuilder().build()] })).toMatchObject(all);
    });

    it('says so of a token that has no other way', () => {
      const registry = tokenRegistry(loaded({ contracts: [] }), chain);
      expect(() => supportedToken(registry, other.address, 'params[1]')).toThrow('allowBatchApprovalWithoutRules');
    });
  });

  it('gives tokens with equal ways and transfer gas the same kind of gas', () => {
    const listing = (changes: Partial<TokenListing>): TokenListing => ({
      ...{ ...tokenListingBuilder().build(), chargingWays: ['allowance', 'permit'], transferGas: 65_000 },
      ...changes,
    });
    const listings = [
      listing({ decimals: 6, premiumMillionths: 0 }),
      listing({ decimals: 18, premiumMillionths: 1 }),
      listing({ transferGas: 65_001 }),
      listing({ chargingWays: ['allowance'] }),
    ];
    const { byAddress } = tokenRegistry(loaded({}), { tokens: listings });
    const [kind, same, dearer, fewerWays] = [...byAddress.values()].map(({ gasKind }) => gasKind);
    expect(same).toBe(kind);
    expect(new Set([kind, dearer, fewerWays]).size).toBe(3);
  });

  it.each([NATIVE_PSEUDO_ADDRESS, ZERO_ADDRESS])('does not accept %s as a token, in any list', (address) => {
    const native = tokenListingBuilder().with('address', address).build();
    const registry = tokenRegistry(loaded({ tokens: [native] }), chain);
    expect(registry.byAddress.has(address)).toBe(false);
    expect(() => supportedToken(registry, address, 'params[1]')).toThrow(`Token ${address} is not supported`);
  });

  it('is made once for each copy of a policy', () => {
    const paymaster = loaded({});
    expect(tokenRegistry(paymaster, chain)).toBe(tokenRegistry(paymaster, chain));
  });
});
