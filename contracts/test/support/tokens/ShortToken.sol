// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {TestToken} from "./TestToken.sol";

/// @notice A token that takes from its holders what it was not told to move.
contract ShortToken is TestToken {
    enum Fee {
        None,
        /// @dev A hundredth more from who sends.
        OnTop,
        /// @dev A hundredth of what arrives.
        OnTransfer
    }

    Fee private _fee;

    constructor() TestToken(6) {}

    function setFee(Fee fee) external {
        _fee = fee;
    }

    /// @notice As a rebase does, for one holder.
    function take(address account, uint256 amount) external {
        _balances[account] -= amount;
    }

    function transfer(address to, uint256 amount) external override returns (bool) {
        _move(msg.sender, to, amount);
        if (_fee == Fee.OnTop) _balances[msg.sender] -= amount / 100;
        if (_fee == Fee.OnTransfer) _balances[to] -= amount / 100;
        return true;
    }
}
