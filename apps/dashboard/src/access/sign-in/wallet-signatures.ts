import { Injectable, Logger } from '@nestjs/common';
import { CallRevertedError, ChainProvider } from '@paymaster/chain';
import { DependencyUnavailableError, type Address, type Hex } from '@paymaster/domain';
import { AbiCoder, concat, hashMessage } from 'ethers';
import { SupportedChains } from '../../platform/chains/supported-chains';
import { recoverSigner } from '../../platform/crypto/recover-signer';
import { ChainUnavailableError } from '../../platform/http/dashboard-errors';
import type { ProvenWallet } from '../people/person';
import { withDeadline } from '../../platform/chains/with-deadline';

/** All that a chain is asked for one signature; milliseconds. */
const DEADLINE_MS = 5_000;
/** Enough for a passkey that is verified in Solidity, several times. */
const MOST_GAS = 5_000_000n;
/** `isValidSignature(bytes32,bytes)`, which is also what it answers to a good signature (ERC-1271). */
const IS_VALID_SIGNATURE = '0x1626ba7e';
const YES = IS_VALID_SIGNATURE.padEnd(66, '0');

/** Finds out whether a wallet signed a text: one with a key, or a contract that says so itself. */
@Injectable()
export class WalletSignatures {
  private readonly logger = new Logger(WalletSignatures.name);

  constructor(private readonly chains: SupportedChains) {}

  /**
   * @param chainId where the wallet is, if it is a contract; one that the operator serves
   * @returns null when it did not
   * @throws {ChainUnavailableError} when the wallet could be a contract, and the chain does not answer
   */
  async signerOf(by: {
    address: Address;
    message: string;
    signature: Hex;
    chainId: number;
  }): Promise<ProvenWallet | null> {
    const walletAddress = by.address;
    if (recoverSigner(by.message, by.signature) === walletAddress) return { walletAddress, walletChainId: null };
    const data = concat([
      IS_VALID_SIGNATURE,
      AbiCoder.defaultAbiCoder().encode(['bytes32', 'bytes'], [hashMessage(by.message), by.signature]),
    ]) as Hex;
    try {
      const call = { to: by.address, data, gas: MOST_GAS };
      const answer = await withDeadline(
        this.freshProvider(by.chainId).ethCall(call, (value) => value),
        DEADLINE_MS,
      );
      return answer === YES ? { walletAddress, walletChainId: by.chainId } : null;
    } catch (error) {
      if (error instanceof CallRevertedError) return null;
      if (error instanceof DependencyUnavailableError) throw new ChainUnavailableError({ cause: error });
      throw error;
    }
  }

  /** One for each signature: what a hostile contract makes of its breaker is forgotten with it. */
  private freshProvider(chainId: number): ChainProvider {
    const chain = this.chains.find(chainId);
    if (!chain) throw new Error(`the chain ${chainId} is not served`);
    const onFault = ({ message }: Error): void =>
      this.logger.warn({ chainId, problem: message }, 'a chain endpoint did not answer as it should');
    return new ChainProvider(chain, { onFault });
  }
}
