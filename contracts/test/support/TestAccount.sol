// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {UserOperation} from "@account-abstraction/contracts-v06/interfaces/UserOperation.sol";
import {PackedUserOperation} from "@account-abstraction/contracts-v07/interfaces/PackedUserOperation.sol";

/// @notice An account of every EntryPoint version that accepts any signature: the worst sender a paymaster can meet.
contract TestAccount {
    uint256 private _written;

    receive() external payable {}

    function validateUserOp(UserOperation calldata, bytes32, uint256) external pure returns (uint256) {
        return 0;
    }

    function validateUserOp(PackedUserOperation calldata, bytes32, uint256) external pure returns (uint256) {
        return 0;
    }

    function execute(address target, uint256 value, bytes calldata data) external {
        (bool ok, bytes memory result) = target.call{value: value}(data);
        if (!ok) {
            assembly {
                revert(add(result, 32), mload(result))
            }
        }
    }

    function nothing() external {}

    function write(uint256 value) external {
        _written = value;
    }

    /// @notice Uses up about that much gas.
    function spend(uint256 amount) external view {
        uint256 start = gasleft();
        while (start - gasleft() < amount) {}
    }

    function burnEverything() external pure {
        assembly {
            invalid()
        }
    }

    function revertWith(uint256 length) external pure {
        assembly {
            revert(0, length)
        }
    }

    /// @notice Leaves almost no gas to the EntryPoint and makes it copy the longest revert reason.
    function revertLate(uint256 length, uint256 leave) external view {
        while (gasleft() > leave) {}
        assembly {
            revert(0, length)
        }
    }
}

/// @notice Deploys a `TestAccount` at a known address.
contract TestAccountFactory {
    function create(bytes32 salt) external returns (address) {
        return address(new TestAccount{salt: salt}());
    }

    function addressOf(bytes32 salt) external view returns (address) {
        bytes32 hash = keccak256(
            abi.encodePacked(bytes1(0xff), address(this), salt, keccak256(type(TestAccount).creationCode))
        );
        return address(uint160(uint256(hash)));
    }
}
