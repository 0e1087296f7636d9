// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

/// @title Calldata
/// @notice Reads parts of calldata without checking bounds: who asks has checked the whole length.
library Calldata {
    /// @dev A number of so many bytes.
    function uintAt(bytes calldata self, uint256 offset, uint256 size) internal pure returns (uint256 value) {
        assembly ("memory-safe") {
            value := shr(sub(256, shl(3, size)), calldataload(add(self.offset, offset)))
        }
    }

    function wordAt(bytes calldata self, uint256 offset) internal pure returns (uint256 word) {
        assembly ("memory-safe") {
            word := calldataload(add(self.offset, offset))
        }
    }

    function slice(
        bytes calldata self,
        uint256 offset,
        uint256 length
    ) internal pure returns (bytes calldata part) {
        assembly ("memory-safe") {
            part.offset := add(self.offset, offset)
            part.length := length
        }
    }

    /// @dev The hash, written behind the memory in use: nothing is kept of it.
    function hash(bytes calldata self) internal pure returns (bytes32 result) {
        assembly ("memory-safe") {
            let free := mload(0x40)
            calldatacopy(free, self.offset, self.length)
            result := keccak256(free, self.length)
        }
    }
}
