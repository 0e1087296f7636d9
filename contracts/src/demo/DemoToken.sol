// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// @notice An ERC-20 of any decimals whose supply anyone may raise. For local worlds and tests only.
contract DemoToken is ERC20 {
    uint8 private immutable _decimals;

    constructor(string memory name_, string memory symbol_, uint8 decimals_) ERC20(name_, symbol_) {
        _decimals = decimals_;
    }

    /// @notice The faucet: gives the account that many base units, whoever asks.
    function mint(address account, uint256 amount) external {
        _mint(account, amount);
    }

    /// @notice Digits of a whole token after the point.
    function decimals() public view virtual override returns (uint8) {
        return _decimals;
    }
}
