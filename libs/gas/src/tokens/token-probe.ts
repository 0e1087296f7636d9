import {
  StateOverridesUnsupportedError,
  supportsStateOverrides,
  TokenAnswerError,
  type ChainProvider,
} from '@paymaster/chain';
import {
  MAX_TOKEN_DECIMALS,
  NATIVE_PSEUDO_ADDRESS,
  normalizeAddress,
  ZERO_ADDRESS,
  type Address,
} from '@paymaster/domain';
import { findBalanceSlot } from './balance-slot';
import { randomAccount } from './random-account';
import { TokenReader } from './token-reader';
import { TokenRefusedError, type TokenProblem } from './token-refused.error';
import { tryTransfers } from './transfer-trial';

/** The code of an EOA that delegates (EIP-7702): a person's account, not a token. */
const DELEGATION_PREFIX = '0xef0100';
/** Added to a whole token, so that a transfer fee of a hundredth of a percent is visible even without decimals. */
const ODD_BASE_UNITS = 10_007n;

/** Facts of a token, read on chain. */
export interface InspectedToken {
  readonly symbol: string;
  /** 0 to 36. */
  readonly decimals: number;
  /** Upper bound on one `transfer` or `transferFrom` to a new owner; gas, with a margin. */
  readonly transferGas: number;
}

/**
 * Checks whether fees can be paid in a token, before an owner registers it. It checks what the token does today: an
 * upgradeable token may change, and exposure caps are there for that.
 */
export class TokenProbe {
  private readonly reader: TokenReader;

  constructor(
    private readonly provider: Pick<ChainProvider, 'chain' | 'code' | 'ethCall' | 'touchedSlots' | 'storageAt'>,
  ) {
    this.reader = new TokenReader(provider);
  }

  /**
   * @returns what the token says of itself, and the gas of its transfers
   * @throws {TokenRefusedError} whose `problem` says why fees can't be paid in it
   * @throws {StateOverridesUnsupportedError} when the chain's nodes can't simulate a transfer
   * @throws {DependencyUnavailableError} `chain`, when it can't be read
   */
  async inspect(address: Address): Promise<InspectedToken> {
    const token = normalizeAddress(address);
    if (token === ZERO_ADDRESS || token === NATIVE_PSEUDO_ADDRESS) throw new TokenRefusedError(token, 'NATIVE_COIN');
    const code = await this.provider.code(token);
    if (code === '0x' || code.startsWith(DELEGATION_PREFIX))
      throw new TokenRefusedError(token, 'NOT_AN_ADDRESS_OF_CODE');
    const decimals = await this.answered(token, 'NO_DECIMALS', this.reader.decimals(token));
    if (decimals > MAX_TOKEN_DECIMALS) throw new TokenRefusedError(token, 'TOO_MANY_DECIMALS');
    const symbol = await this.answered(token, 'BAD_SYMBOL', this.reader.symbol(token));
    return { symbol, decimals, transferGas: await this.transferGas(token, decimals) };
  }

  private async transferGas(token: Address, decimals: number): Promise<number> {
    // Checked first: on a node that ignores overrides, every token would look like a rebasing one.
    if (!(await supportsStateOverrides(this.provider)))
      throw new StateOverridesUnsupportedError(this.provider.chain.chainId);
    const holder = randomAccount();
    const amountBaseUnits = 10n ** BigInt(decimals) + ODD_BASE_UNITS;
    const holdingBaseUnits = 3n * amountBaseUnits + 1n;
    const slot = await findBalanceSlot(this.provider, { token, account: holder, balanceBaseUnits: holdingBaseUnits });
    if (!slot) throw new TokenRefusedError(token, 'BALANCE_NOT_STORED');
    const trial = await tryTransfers(this.provider, { token, holder, slot, holdingBaseUnits, amountBaseUnits });
    if ('problem' in trial) throw new TokenRefusedError(token, trial.problem);
    return trial.transferGas;
  }

  /** A view's answer; a wrong answer becomes a refusal of the token. */
  private async answered<T>(token: Address, problem: TokenProblem, asked: Promise<T>): Promise<T> {
    try {
      return await asked;
    } catch (error) {
      if (error instanceof TokenAnswerError) throw new TokenRefusedError(token, problem, { cause: error });
      throw error;
    }
  }
}
