// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {IPaymaster} from "@account-abstraction/contracts-v06/interfaces/IPaymaster.sol";
import {UserOperation} from "@account-abstraction/contracts-v06/interfaces/UserOperation.sol";
import {IHybridPaymaster} from "./IHybridPaymaster.sol";

/// @title IHybridPaymasterV06
/// @notice The paymaster of EntryPoint v0.6, whose refusals are short strings: that EntryPoint relays nothing else.
interface IHybridPaymasterV06 is IHybridPaymaster, IPaymaster {
    /// @notice Least `verificationGasLimit`: it also limits `postOp`, which must never run out of gas.
    function MIN_VERIFICATION_GAS() external view returns (uint256);

    /// @notice The digest a signer signs. Reverts where the paymaster data is malformed.
    function getDigest(UserOperation calldata userOp) external view returns (bytes32);
}
