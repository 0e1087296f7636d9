// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

/// @notice An amount whose slot never returns to zero: only its first use pays for a new slot.
struct KeptAmount {
    /// @dev The amount plus one, 0 where there never was one.
    uint256 plusOne;
}

/// @title KeptAmounts
/// @notice What can be done with a `KeptAmount`.
library KeptAmounts {
    function value(KeptAmount storage self) internal view returns (uint256) {
        uint256 plusOne = self.plusOne;
        return plusOne == 0 ? 0 : plusOne - 1;
    }

    /// @dev Whether there ever was an amount; it may be zero again.
    function isKept(KeptAmount storage self) internal view returns (bool) {
        return self.plusOne != 0;
    }

    function add(KeptAmount storage self, uint256 amount) internal {
        uint256 plusOne = self.plusOne;
        self.plusOne = (plusOne == 0 ? 1 : plusOne) + amount;
    }

    /// @dev Of an amount that is at least so large.
    function subtract(KeptAmount storage self, uint256 amount) internal {
        self.plusOne -= amount;
    }
}
