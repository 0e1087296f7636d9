// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {TestToken} from "./TestToken.sol";

interface ITokenHook {
    function beforeTokens(address token, address from, address to, uint256 amount) external;
    function afterTokens(address token, address from, address to, uint256 amount) external;
}

/// @notice Calls both sides of a transfer, as ERC-777 does: the one who sends before, the one who receives after.
contract HookedToken is TestToken {
    mapping(address account => address) public hookOf;

    constructor(uint8 decimals_) TestToken(decimals_) {}

    function setHook(address account, address hook) external {
        hookOf[account] = hook;
    }

    function _move(address from, address to, uint256 amount) internal override {
        address sending = hookOf[from];
        if (sending != address(0)) ITokenHook(sending).beforeTokens(address(this), from, to, amount);
        super._move(from, to, amount);
        address receiving = hookOf[to];
        if (receiving != address(0)) ITokenHook(receiving).afterTokens(address(this), from, to, amount);
    }
}
