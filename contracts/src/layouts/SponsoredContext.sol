// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {Calldata} from "./Calldata.sol";
import {SignedOperation, MEMBERS} from "./SignedOperation.sol";
import {VersionTerms} from "./VersionTerms.sol";

/// @dev What settlement knows of the operation.
struct Precharge {
    /// @dev The EntryPoint's hash of the operation; names it in the events.
    bytes32 userOpHash;
    /// @dev The account that acts.
    address sender;
    /// @dev The wallet that pays.
    address fundingWallet;
    /// @dev Taken from the wallet in validation, wei.
    uint256 prechargeWei;
    /// @dev The part of it above the prefund with its markup, wei: no EntryPoint can take it. Validation notes it in the
    ///      wallet's word, settlement takes it out again.
    uint256 strandedWei;
    /// @dev What the wallet pays per million of cost; 1,000,000 is no markup.
    uint256 feeMarkup;
    /// @dev Upper bound on the gas the EntryPoint takes after it measured `actualGasCost`.
    uint256 unaccountedGas;
}

/**
 * @title SponsoredContext
 * @notice What validation hands to settlement, in few words: the EntryPoint copies them several times for every
 *         operation. Token mode's `PaymentContext` follows behind.
 *
 *  | word | bits       | part                              |
 *  | ---- | ---------- | --------------------------------- |
 *  | 0    | 0 to 255   | userOpHash                        |
 *  | 1    | 96 to 255  | sender                            |
 *  |      | 0 to 95    | prechargeWei                      |
 *  | 2    | 96 to 255  | fundingWallet                     |
 *  |      | 64 to 95   | unused                            |
 *  |      | 32 to 63   | feeMarkup                         |
 *  |      | 0 to 31    | unaccountedGas                    |
 *  | 3    | 176 to 255 | strandedWei                       |
 *  |      | 0 to 175   | the version's own, `VersionTerms` |
 */
library SponsoredContext {
    using Calldata for bytes;
    using SignedOperation for uint256[MEMBERS];

    /// @dev Of a context without a token payment.
    uint256 internal constant LENGTH = 4 * 32;

    uint256 private constant _ADDRESS_AT = 96;
    uint256 private constant _FEE_MARKUP_AT = 32;
    uint256 private constant _STRANDED_AT = 176;

    /// @dev Of amounts that fit: `WalletWords.covers` has bounded both, by 96 bits and by 80.
    function encode(
        bytes32 userOpHash,
        uint256[MEMBERS] memory signed,
        VersionTerms versionTerms,
        uint256 prechargeWei,
        uint256 strandedWei
    ) internal pure returns (bytes memory) {
        return
            abi.encode(
                userOpHash,
                (uint256(uint160(signed.sender())) << _ADDRESS_AT) | prechargeWei,
                (uint256(uint160(signed.fundingWallet())) << _ADDRESS_AT) |
                    (signed.feeMarkup() << _FEE_MARKUP_AT) |
                    signed.unaccountedGas(),
                (strandedWei << _STRANDED_AT) | VersionTerms.unwrap(versionTerms)
            );
    }

    /// @dev What `encode` wrote.
    function decode(
        bytes calldata context
    ) internal pure returns (Precharge memory precharge, VersionTerms versionTerms) {
        uint256 senderAndPrecharge = context.wordAt(32);
        uint256 payerAndTerms = context.wordAt(64);
        uint256 strandedAndVersion = context.wordAt(96);
        precharge.userOpHash = bytes32(context.wordAt(0));
        precharge.sender = address(uint160(senderAndPrecharge >> _ADDRESS_AT));
        precharge.prechargeWei = uint96(senderAndPrecharge);
        precharge.fundingWallet = address(uint160(payerAndTerms >> _ADDRESS_AT));
        precharge.feeMarkup = uint32(payerAndTerms >> _FEE_MARKUP_AT);
        precharge.unaccountedGas = uint32(payerAndTerms);
        precharge.strandedWei = strandedAndVersion >> _STRANDED_AT;
        versionTerms = VersionTerms.wrap(uint176(strandedAndVersion));
    }
}
