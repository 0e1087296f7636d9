// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {TestToken} from "./tokens/TestToken.sol";

/// @notice A token whose paying out (`transfer`, or `transferFrom` to anyone but its spender) depends on its gas.
contract MeteredToken is TestToken {
    enum Payout {
        Pays,
        Refuses,
        BurnsEverything,
        /// @dev Pays when the call was given that much gas (`setNeeded`), else reverts.
        PaysForGas
    }

    Payout public payout;
    uint256 public needed;

    constructor() TestToken(18) {}

    function setPayout(Payout payout_) external {
        payout = payout_;
    }

    function setNeeded(uint256 needed_) external {
        needed = needed_;
    }

    function transfer(address to, uint256 amount) external override returns (bool) {
        if (!_willPay()) return false;
        _move(msg.sender, to, amount);
        return true;
    }

    function transferFrom(address from, address to, uint256 amount) external override returns (bool) {
        if (to != msg.sender && !_willPay()) return false;
        _spendAllowance(from, amount);
        _move(from, to, amount);
        return true;
    }

    function _willPay() private view returns (bool) {
        uint256 given = gasleft();
        if (payout == Payout.BurnsEverything) {
            assembly {
                invalid()
            }
        }
        // What finding the function and reading the two slots took.
        if (payout == Payout.PaysForGas) require(given + 600 >= needed);
        return payout != Payout.Refuses;
    }
}
