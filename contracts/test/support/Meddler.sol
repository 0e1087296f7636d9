// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {UserOperation} from "@account-abstraction/contracts-v06/interfaces/UserOperation.sol";
import {PackedUserOperation} from "@account-abstraction/contracts-v07/interfaces/PackedUserOperation.sol";

/// @notice An account of every EntryPoint version that makes a call while it is validated, whatever becomes of it.
contract Meddler {
    address private _target;
    bytes private _data;
    bool public succeeded;
    bytes public answer;

    function setCall(address target, bytes calldata data) external {
        (_target, _data) = (target, data);
    }

    function validateUserOp(UserOperation calldata, bytes32, uint256) external returns (uint256) {
        return _meddle();
    }

    function validateUserOp(PackedUserOperation calldata, bytes32, uint256) external returns (uint256) {
        return _meddle();
    }

    function _meddle() private returns (uint256) {
        (succeeded, answer) = _target.call(_data);
        return 0;
    }
}
