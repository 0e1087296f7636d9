// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {Ownable2Step} from "@openzeppelin/contracts/access/Ownable2Step.sol";
import {IHybridPaymaster} from "../interfaces/IHybridPaymaster.sol";

/// @title RequiredOwner
/// @notice An owner who can hand over, in two steps, and can't leave.
abstract contract RequiredOwner is Ownable2Step, IHybridPaymaster {
    /// @notice Refused: without an owner no signer could be rotated and no stake unlocked.
    function renounceOwnership() public view override onlyOwner {
        revert OwnerRequired();
    }
}
