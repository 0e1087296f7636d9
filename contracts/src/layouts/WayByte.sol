// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

/**
 * @notice How the sender is charged, and what the chain asks for gas, in one signed byte:
 *
 *  | bits   | part                                                                          |
 *  | ------ | ----------------------------------------------------------------------------- |
 *  | 4 to 7 | by how many quarters token mode's gas constants are raised; 0 on most chains  |
 *  | 0 to 3 | way: one of `WAY_*`                                                           |
 */
type WayByte is uint256;

using WayByteOf for WayByte global;

/// @title WayByteOf
/// @notice Reads `WayByte`.
library WayByteOf {
    uint256 private constant _WAY_BITS = 0x0f;
    uint256 private constant _RAISE_AT = 4;

    /// @dev How the sender is charged, one of `WAY_*`.
    function way(WayByte self) internal pure returns (uint256) {
        return WayByte.unwrap(self) & _WAY_BITS;
    }

    /**
     * @dev How many quarters of a gas constant count on this chain: 4 where gas is what it was in the Cancun fork, for
     *      which the constants were measured, and up to 19 where a later fork made it dearer. Never fewer than 4.
     */
    function gasQuarters(WayByte self) internal pure returns (uint256) {
        unchecked {
            return 4 + (WayByte.unwrap(self) >> _RAISE_AT);
        }
    }
}
