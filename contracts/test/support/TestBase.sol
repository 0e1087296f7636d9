// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {Vm} from "./Vm.sol";

/// @notice Cheatcodes and assertions. forge-std is not used: its npm package is incomplete.
abstract contract TestBase {
    Vm internal constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));

    error NotEqual(string what, uint256 actual, uint256 expected);
    error NotAtLeast(string what, uint256 actual, uint256 minimum);
    error NotAtMost(string what, uint256 actual, uint256 maximum);
    error NotTrue(string what);

    function assertEq(uint256 actual, uint256 expected, string memory what) internal pure {
        if (actual != expected) revert NotEqual(what, actual, expected);
    }

    function assertEq(address actual, address expected, string memory what) internal pure {
        assertEq(uint160(actual), uint160(expected), what);
    }

    function assertEq(bytes32 actual, bytes32 expected, string memory what) internal pure {
        assertEq(uint256(actual), uint256(expected), what);
    }

    function assertGe(uint256 actual, uint256 minimum, string memory what) internal pure {
        if (actual < minimum) revert NotAtLeast(what, actual, minimum);
    }

    function assertLe(uint256 actual, uint256 maximum, string memory what) internal pure {
        if (actual > maximum) revert NotAtMost(what, actual, maximum);
    }

    function assertTrue(bool condition, string memory what) internal pure {
        if (!condition) revert NotTrue(what);
    }

    function bound(uint256 value, uint256 low, uint256 high) internal pure returns (uint256) {
        return value >= low && value <= high ? value : low + (value % (high - low + 1));
    }
}
