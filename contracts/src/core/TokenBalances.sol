// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {IHybridPaymaster} from "../interfaces/IHybridPaymaster.sol";
import {FundingWallets} from "./FundingWallets.sol";
import {KeptAmount, KeptAmounts} from "./KeptAmount.sol";
import {TokenCalls} from "./TokenCalls.sol";

/**
 * @title TokenBalances
 * @notice Whose the tokens are that this contract holds.
 *
 * Money flow
 *  - in:   token mode pulls a payment from a sender and books it for the fee receiver;
 *  - back: settlement takes the unused part off again and sends it to the sender. What the token refuses is booked;
 *  - out:  `withdrawTokens` and `withdrawSomeTokens` send an account's balance to that account, whoever calls. There is
 *          no other way out.
 *
 * Always: for each token, sum(balances) <= the tokens held, if the token keeps its promises. Books of different
 * tokens are apart, so a token that breaks them (rebasing down, lying) hurts only those who took it. There, who
 * withdraws first is paid first, and what is missing stays owed. Tokens sent here by mistake are credited to nobody,
 * and make up for what is missing.
 *
 * Guards
 *  - No withdrawal in a transaction that validated an operation: until `postOp` a part of the receiver's balance is
 *    the sender's refund.
 *  - The balance is taken off before the token is called, so a receiver's hook (ERC-777) that calls back finds nothing.
 */
abstract contract TokenBalances is FundingWallets {
    using KeptAmounts for KeptAmount;

    mapping(address token => mapping(address account => KeptAmount)) private _balances;

    /// @inheritdoc IHybridPaymaster
    function withdrawTokens(address token, address account) external {
        withdrawSomeTokens(token, account, type(uint256).max);
    }

    /// @inheritdoc IHybridPaymaster
    function withdrawSomeTokens(address token, address account, uint256 amount) public {
        _startReturnForAnyone();
        uint256 owed = tokenBalanceOf(token, account);
        amount = _min(amount, owed);
        if (amount == 0) revert NoTokenBalance(token, account);
        (bool isKnown, uint256 held) = TokenCalls.tryBalanceOf(token, address(this));
        if (isKnown) amount = _min(amount, held);
        if (amount == 0) revert NoTokensHeld(token, account, owed);

        _balances[token][account].subtract(amount);
        emit TokensWithdrawn(token, account, amount);
        if (amount < owed) emit TokensStillOwed(token, account, owed - amount);
        if (!TokenCalls.tryTransfer(token, account, amount, TokenCalls.ALL_GAS)) {
            revert TokenWithdrawalFailed(token, account, amount);
        }
    }

    /// @inheritdoc IHybridPaymaster
    function tokenBalanceOf(address token, address account) public view returns (uint256) {
        return _balances[token][account].value();
    }

    /// @dev Whether the account's slot is there; its balance may be zero again.
    function _hadBalance(address token, address account) internal view returns (bool) {
        return _balances[token][account].isKept();
    }

    /// @dev Adds tokens that are here to an account's balance.
    function _book(address token, address account, uint256 amount) internal {
        _balances[token][account].add(amount);
    }

    /// @dev Takes back what `_book` added in the same transaction.
    function _unbook(address token, address account, uint256 amount) internal {
        _balances[token][account].subtract(amount);
    }
}
