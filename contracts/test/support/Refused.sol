// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {Op} from "./Op.sol";
import {Version} from "./Version.sol";

/// @notice Assertions about refusals, which v0.6 tells in strings and later versions in named errors.
library Refused {
    error NotRefused(string expected);
    error OtherReason(string expected, bytes actual);

    /// @notice Validation reverts with that reason.
    function byValidation(Version version, Op memory op, bytes4 selector, string memory text) internal {
        (bool ok, bytes memory result) = version.callAsEntryPoint(version.validateCall(op, version.prefundWei(op)));
        if (ok) revert NotRefused(text);
        hasReason(version, result, selector, text);
    }

    /// @notice The EntryPoint refuses a bundle of the operation with that code.
    function byBundle(Version version, Op memory op, string memory code) internal {
        try version.send(op) {
            revert NotRefused(code);
        } catch (bytes memory reason) {
            if (!contains(reason, bytes(code))) revert OtherReason(code, reason);
        }
    }

    function hasReason(Version version, bytes memory result, bytes4 selector, string memory text) internal pure {
        bool same = keccak256(bytes(version.name())) == keccak256("v06")
            ? keccak256(result) == keccak256(abi.encodeWithSignature("Error(string)", text))
            : bytes4(result) == selector;
        if (!same) revert OtherReason(text, result);
    }

    function contains(bytes memory data, bytes memory needle) internal pure returns (bool) {
        for (uint256 i = 0; i + needle.length <= data.length; i++) {
            uint256 j = 0;
            while (j < needle.length && data[i + j] == needle[j]) j++;
            if (j == needle.length) return true;
        }
        return false;
    }
}
