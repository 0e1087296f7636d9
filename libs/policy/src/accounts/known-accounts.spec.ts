import { getCreateAddress } from 'ethers';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isAddress, type Address } from '@paymaster/domain';
import { randomAddress } from '@paymaster/domain/testing';
import type { AccountFamily } from './account-family';
import * as families from './families';
import { KNOWN_ACCOUNT_IMPLEMENTATIONS } from './known-implementations';
import { compileKnownAccounts } from './known-accounts';
import { KNOWN_DELEGATES } from './known-delegates';
import { KNOWN_ACCOUNT_FACTORIES } from './known-factories';
import { KNOWN_VALIDATORS } from './known-validators';
import { MODULES, MULTI_SENDS } from './safe';
import { SIMPLE_ACCOUNT } from './simple-account';

const lowerCaseAddress = (address: string) => isAddress(address) && address === address.toLowerCase();

describe('known accounts', () => {
  it('should be addresses in the form they are compared in, each once', () => {
    const lists = [
      KNOWN_ACCOUNT_FACTORIES.map(({ address }) => address),
      KNOWN_ACCOUNT_IMPLEMENTATIONS.map(({ address }) => address),
      ...[MULTI_SENDS, MODULES.keys(), MODULES.values(), KNOWN_VALIDATORS].map((addresses) => [...addresses]),
    ];
    for (const list of lists) {
      expect(list.filter((address) => !lowerCaseAddress(address))).toEqual([]);
      expect(new Set(list).size).toBe(list.length);
    }
  });

  it('should have a name each, which traces show', () => {
    const all: readonly AccountFamily[] = Object.values(families);
    const lists = [
      all.map(({ name }) => name),
      all.flatMap(({ factories = [] }) => factories).map(({ name }) => name),
      all.flatMap(({ implementations = [] }) => implementations).map(({ name }) => name),
      all.flatMap(({ delegates = [] }) => delegates).map(({ name }) => name),
      [...new Set(all.flatMap(({ nonceLayout = [] }) => nonceLayout))].map(({ name }) => name),
      [...new Set(all.flatMap(({ functions }) => functions))].map(({ name }) => name),
    ];
    for (const names of lists) {
      expect(names.filter((name) => name.trim() === '')).toEqual([]);
      expect(new Set(names).size).toBe(names.length);
    }
  });

  it('should have the contracts of a Safe that clients deploy', () => {
    const accounts = dirname(require.resolve('permissionless/accounts'));
    const published = readFileSync(join(accounts, 'safe/toSafeSmartAccount.js'), 'utf8');
    for (const address of [...MULTI_SENDS, ...[...MODULES].flat()]) {
      expect(published.toLowerCase()).toContain(address);
    }
    expect([MULTI_SENDS.size, MODULES.size]).toEqual([4, 2]);
  });

  it('should have the SimpleAccount implementation that each SimpleAccountFactory creates first', () => {
    const firstCreations = SIMPLE_ACCOUNT.factories?.map(({ address }) =>
      getCreateAddress({ from: address, nonce: 1 }).toLowerCase(),
    );
    expect(firstCreations).toHaveLength(4);
    expect(SIMPLE_ACCOUNT.implementations?.map(({ address }) => address)).toEqual(firstCreations);
  });

  it('should have a row in the documented table for each family', () => {
    const readme = readFileSync(join(__dirname, '../../README.md'), 'utf8');
    for (const { name } of Object.values(families)) expect(readme).toMatch(new RegExp(`^\\| ${name} +\\|`, 'm'));
  });

  it("should be extended by the operator's lists, in any case", () => {
    const own = randomAddress();
    const upper = own.toUpperCase().replace('0X', '0x') as typeof own;
    const { factories, implementations, delegates } = compileKnownAccounts({
      ...{ factories: [upper], implementations: [upper], delegates: [upper] },
    });
    expect(factories.get(own)).toEqual({ name: expect.any(String), address: own });
    expect(factories.size).toBe(KNOWN_ACCOUNT_FACTORIES.length + 1);
    expect(implementations.has(own)).toBe(true);
    expect(delegates.get(own)).toEqual({ name: expect.any(String), address: own });
  });

  it("should keep what is known of a contract that is in the operator's lists too", () => {
    const addressesOf = (list: ReadonlyArray<{ readonly address: Address }>) => list.map(({ address }) => address);
    const known = compileKnownAccounts({
      factories: addressesOf(KNOWN_ACCOUNT_FACTORIES),
      implementations: addressesOf(KNOWN_ACCOUNT_IMPLEMENTATIONS),
      delegates: addressesOf(KNOWN_DELEGATES),
    });
    expect(known).toEqual(compileKnownAccounts());
  });
});
