import { DEV_KEYS } from '@paymaster/devnet';
import { normalizeAddress, type Address, type EntryPointVersion, type TokenListing } from '@paymaster/domain';
import { tokenListingBuilder } from '@paymaster/domain/testing';
import { ServedChains } from '../../../src/chains/served-chains';
import { startTokenWorld, type TokenWorld, type TokenWorldOptions } from '../../../src/testing/token-world';
import { AttackTarget } from './attack-target';
import { FollowedBooks } from './followed-books';

const CHAIN_ID = 31337;

/** Room for about five of the suites' operations, and for two of one sender. */
export const CAP_WEI = 20n * 10n ** 15n;
export const SENDER_CAP_WEI = 10n * 10n ** 15n;

/** A gateway and its chain, for an attacker who wants gas for free. */
export interface AttackWorld extends TokenWorld {
  /** Makes a new paymaster with one token: the given token, or a new one whose faults anybody can turn on. */
  newTarget(version: EntryPointVersion, listing?: Partial<TokenListing>): Promise<AttackTarget>;
}

export async function startAttackWorld(options: TokenWorldOptions = {}): Promise<AttackWorld> {
  // Own bound: lower ones than the default, which the attacks are to meet.
  const bounds = {
    tokenExposureCapWei: CAP_WEI.toString(),
    tokenSenderExposureCapWei: SENDER_CAP_WEI.toString(),
    ...options.bounds,
  };
  const world = await startTokenWorld({ ...options, bounds });
  const { config, tokens: served } = world.app.get(ServedChains).get(CHAIN_ID);
  if (!served) throw new Error('the chain has no token mode');
  const trap = await world.chain.newTrap();
  const books = await FollowedBooks.open(config, world.ledger.database.pool);

  return {
    ...world,
    async newTarget(version, listing = {}) {
      const token = listing.address ?? (await world.chain.newToken(18));
      const listed: TokenListing = { ...dollar(token), ...listing };
      const { apiKey, snapshot } = world.newPaymaster({ tokens: [listed] });
      served.prices.watch(snapshot.paymasterId, [listed]);
      await served.prices.refresh();
      return new AttackTarget({
        chain: world.chain,
        url: `${world.url}/api/v2/${CHAIN_ID}/${apiKey}`,
        ...{ version, paymaster: world.paymasters[version], token, trap },
        wallet: normalizeAddress(DEV_KEYS.fundingWallet.address),
        books,
      });
    },
  };
}

/** At one dollar, with a premium of 10 %. */
function dollar(address: Address): TokenListing {
  return tokenListingBuilder().with('address', address).with('decimals', 18).build();
}
