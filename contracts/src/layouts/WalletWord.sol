// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

/**
 * @notice What the ledger knows of a funding wallet, wei, in one word: validation and settlement write it anyway, and
 *         each further slot would cost every operation 5,000 gas.
 *
 *  | bits       | part     | what it is                                                                       |
 *  | ---------- | -------- | -------------------------------------------------------------------------------- |
 *  | 160 to 255 | balance  | what the wallet can spend or withdraw                                            |
 *  | 80 to 159  | stranded | of operations that are validated and not settled, the part of the precharge      |
 *  |            |          | above the prefund with its markup: no EntryPoint can take it                      |
 *  | 0 to 79    | fees     | markup that the wallet has paid and nobody has collected yet                     |
 */
type WalletWord is uint256;

using WalletWords for WalletWord global;

/// @title WalletWords
/// @notice Reads a `WalletWord`, and says what it becomes.
library WalletWords {
    uint256 internal constant MAX_BALANCE_WEI = type(uint96).max;
    uint256 internal constant MAX_STRANDED_WEI = type(uint80).max;
    uint256 internal constant MAX_FEES_WEI = type(uint80).max;

    uint256 private constant _BALANCE_AT = 160;
    uint256 private constant _STRANDED_AT = 80;

    function balanceWei(WalletWord self) internal pure returns (uint256) {
        return WalletWord.unwrap(self) >> _BALANCE_AT;
    }

    function strandedWei(WalletWord self) internal pure returns (uint256) {
        return uint80(WalletWord.unwrap(self) >> _STRANDED_AT);
    }

    function feesWei(WalletWord self) internal pure returns (uint256) {
        return uint80(WalletWord.unwrap(self));
    }

    /// @dev Of amounts that fit.
    function pack(uint256 balance, uint256 stranded, uint256 fees) internal pure returns (WalletWord) {
        return WalletWord.wrap((balance << _BALANCE_AT) | (stranded << _STRANDED_AT) | fees);
    }

    /// @dev With another balance, which fits.
    function withBalance(WalletWord self, uint256 balance) internal pure returns (WalletWord) {
        return WalletWord.wrap((balance << _BALANCE_AT) | uint160(WalletWord.unwrap(self)));
    }

    /// @dev Whether the balance covers a precharge, and the word has room for its stranded part.
    function covers(WalletWord self, uint256 precharge, uint256 stranded) internal pure returns (bool) {
        // No overflow: a stranded part is part of its precharge, which the other condition bounds.
        unchecked {
            return precharge <= self.balanceWei() && self.strandedWei() + stranded <= MAX_STRANDED_WEI;
        }
    }

    /// @dev After a precharge that the word `covers`.
    function debited(WalletWord self, uint256 precharge, uint256 stranded) internal pure returns (WalletWord) {
        // Neither part leaves its bits.
        unchecked {
            return
                WalletWord.wrap(
                    WalletWord.unwrap(self) - (precharge << _BALANCE_AT) + (stranded << _STRANDED_AT)
                );
        }
    }

    /**
     * @dev After a settlement, which must not revert: what does not fit stays in the deposit, credited to nobody.
     * @param refund What goes back to the balance. Too much only where deposits of some 79 billion coins meet refunds
     *        that are under way.
     * @param stranded What `debited` recorded for the operation.
     * @param fee The markup that the wallet has paid.
     */
    function credited(
        WalletWord self,
        uint256 refund,
        uint256 stranded,
        uint256 fee
    ) internal pure returns (WalletWord) {
        return
            pack(
                _atMost(self.balanceWei() + refund, MAX_BALANCE_WEI),
                self.strandedWei() - stranded,
                _atMost(self.feesWei() + fee, MAX_FEES_WEI)
            );
    }

    /// @dev With the stranded part in the balance.
    function withStrandedReturned(WalletWord self) internal pure returns (WalletWord) {
        return pack(_atMost(self.balanceWei() + self.strandedWei(), MAX_BALANCE_WEI), 0, self.feesWei());
    }

    /// @dev Without its fees.
    function withFeesCollected(WalletWord self) internal pure returns (WalletWord) {
        return pack(self.balanceWei(), self.strandedWei(), 0);
    }

    function _atMost(uint256 amount, uint256 most) private pure returns (uint256) {
        return amount < most ? amount : most;
    }
}
