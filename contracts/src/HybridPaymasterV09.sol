// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {IStakeManager} from "@account-abstraction/contracts-v07/interfaces/IStakeManager.sol";
import {PackedHybridPaymaster} from "./core/PackedHybridPaymaster.sol";
import {Calldata} from "./layouts/Calldata.sol";
import {HybridPaymasterV08} from "./HybridPaymasterV08.sol";

/**
 * @title HybridPaymasterV09
 * @notice The paymaster for EntryPoint v0.9: it takes and bills what the one for v0.8 does.
 * @dev This EntryPoint leaves a paymaster's signature out of `userOpHash` where it knows which bytes are the signature.
 *      It finds them by a suffix: length of the signature (2), magic (8). So the account can sign before the paymaster
 *      does. The paymaster takes its signature with the suffix and without it; the digest is the same.
 *
 *      Validity windows of blocks, which this EntryPoint marks by bit 47, are refused as on every version.
 * @custom:security-contact See SECURITY.md in the repository of this source.
 */
contract HybridPaymasterV09 is HybridPaymasterV08 {
    using Calldata for bytes;

    /// @dev The only suffix there is: a signature has 65 bytes. The magic is the EntryPoint's.
    uint256 private constant _SUFFIX = 0x004122e325a297439656;
    uint256 private constant _SUFFIX_LENGTH = 10;

    constructor(
        IStakeManager entryPoint_,
        address owner_,
        address[] memory signers_,
        uint256 withdrawalDelaySeconds_
    ) HybridPaymasterV08(entryPoint_, owner_, signers_, withdrawalDelaySeconds_) {}

    /// @inheritdoc PackedHybridPaymaster
    /// @dev Any other ending stays where it is, and the exact lengths of the parser refuse it. The EntryPoint refused
    ///      what is shorter than its own 52 bytes; `getDigest` may be asked about anything.
    function _withoutSuffix(bytes calldata paymasterAndData) internal pure override returns (bytes calldata) {
        if (paymasterAndData.length < _SUFFIX_LENGTH) return paymasterAndData;
        uint256 end = paymasterAndData.length - _SUFFIX_LENGTH;
        bool hasSuffix = paymasterAndData.uintAt(end, _SUFFIX_LENGTH) == _SUFFIX;
        return hasSuffix ? paymasterAndData.slice(0, end) : paymasterAndData;
    }

    /// @inheritdoc PackedHybridPaymaster
    /// @dev The suffix says 65 bytes. In front of a shorter signature it would leave a byte of the terms out of
    ///      `userOpHash`.
    function _requireSignature(bytes calldata sent, bytes calldata signature) internal pure override {
        if (signature.length < _SIGNATURE_LENGTH && _withoutSuffix(sent).length < sent.length) {
            _refuseLength(sent.length, sent.length + _SIGNATURE_LENGTH - signature.length);
        }
    }
}
