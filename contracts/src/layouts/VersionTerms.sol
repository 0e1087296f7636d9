// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

/**
 * @notice What a version's settlement has to know of the operation besides the rest of the context, 176 bits:
 *
 *  | EntryPoint | bits 88 to 175                                 | bits 0 to 87                                 |
 *  | ---------- | ---------------------------------------------- | -------------------------------------------- |
 *  | v0.6       | maxFeePerGas, wei                              | maxPriorityFeePerGas, wei                    |
 *  | v0.7       | preOperationGas: the most gas before the calls | executionGasLimit: of the calls and `postOp` |
 *  | v0.8, v0.9 | 0                                              | postOpGasLimit                               |
 */
type VersionTerms is uint256;

using VersionTermsOf for VersionTerms global;

/// @title VersionTermsOf
/// @notice Packs and unpacks `VersionTerms`, a pair of functions for each layout.
library VersionTermsOf {
    /// @dev What each part holds at most. `_requireGasInRange` refuses gas limits and prices above it.
    uint256 internal constant MAX_PART = type(uint88).max;

    uint256 private constant _FIRST_AT = 88;

    /// @dev Parts that fit.
    function v06(uint256 maxFeePerGas, uint256 maxPriorityFeePerGas) internal pure returns (VersionTerms) {
        return _pack(maxFeePerGas, maxPriorityFeePerGas);
    }

    function asV06(VersionTerms self) internal pure returns (uint256 maxFeePerGas, uint256 maxPriorityFeePerGas) {
        return _unpack(self);
    }

    /// @dev Parts that fit.
    function v07(uint256 preOperationGas, uint256 executionGasLimit) internal pure returns (VersionTerms) {
        return _pack(preOperationGas, executionGasLimit);
    }

    function asV07(VersionTerms self) internal pure returns (uint256 preOperationGas, uint256 executionGasLimit) {
        return _unpack(self);
    }

    /// @dev A limit that fits.
    function v08(uint256 postOpGasLimit) internal pure returns (VersionTerms) {
        return VersionTerms.wrap(postOpGasLimit);
    }

    function asV08(VersionTerms self) internal pure returns (uint256 postOpGasLimit) {
        return VersionTerms.unwrap(self);
    }

    function _pack(uint256 first, uint256 second) private pure returns (VersionTerms) {
        return VersionTerms.wrap((first << _FIRST_AT) | second);
    }

    function _unpack(VersionTerms terms) private pure returns (uint256 first, uint256 second) {
        return (VersionTerms.unwrap(terms) >> _FIRST_AT, uint88(VersionTerms.unwrap(terms)));
    }
}
