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

    /// @dev Keeps nothing of what the function allocates: thousands of calls would pay ever more for memory.
    modifier forgetsMemory() {
        uint256 free;
        assembly {
            free := mload(0x40)
        }
        _;
        assembly {
            mstore(0x40, free)
        }
    }

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

    /// @dev Deploys what the build yields of a contract, optimised as on a chain; what a test makes by `new` is not.
    function _deploy(string memory name, bytes memory arguments) internal returns (address deployed) {
        return _create(bytes.concat(vm.getCode(_artifact(name)), arguments));
    }

    /// @dev Reverts as the constructor does.
    function _create(bytes memory code) internal returns (address deployed) {
        assembly {
            deployed := create(0, add(code, 32), mload(code))
            if iszero(deployed) {
                returndatacopy(0, 0, returndatasize())
                revert(0, returndatasize())
            }
        }
    }

    /// @dev The built code of a contract, for an address that is to run it.
    function _runtimeCode(string memory name) internal view returns (bytes memory) {
        return vm.getDeployedCode(_artifact(name));
    }

    /// @dev Where the build writes a contract that has a file of its own.
    function _artifact(string memory name) internal pure returns (string memory) {
        return string.concat("out-forge/", name, ".sol/", name, ".json");
    }

    function bound(uint256 value, uint256 low, uint256 high) internal pure returns (uint256) {
        return value >= low && value <= high ? value : low + (value % (high - low + 1));
    }
}
