// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {TestAccount} from "../TestAccount.sol";

/// @notice A `TestAccount` that batches calls and signs permits with its owner's key (ERC-1271).
contract TokenAccount is TestAccount {
    address private immutable _owner;

    constructor(address owner) {
        _owner = owner;
    }

    /// @notice Calls all targets in order; one failure undoes them all.
    function executeBatch(address[] calldata targets, bytes[] calldata datas) external {
        for (uint256 i = 0; i < targets.length; i++) {
            (bool ok, bytes memory result) = targets[i].call(datas[i]);
            if (!ok) {
                assembly {
                    revert(add(result, 32), mload(result))
                }
            }
        }
    }

    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
        (address signer, , ) = ECDSA.tryRecover(hash, signature);
        return signer == _owner ? this.isValidSignature.selector : bytes4(0xffffffff);
    }
}
