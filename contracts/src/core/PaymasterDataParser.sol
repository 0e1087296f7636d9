// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {IRefusals} from "../interfaces/IRefusals.sol";
import {Calldata} from "../layouts/Calldata.sol";
import "../layouts/SignedOperation.sol";
import {WayByte} from "../layouts/WayByte.sol";
import {Refusals} from "./Refusals.sol";

/**
 * @title PaymasterDataParser
 * @notice Reads `paymasterAndData`; the layout is docs/architecture/paymaster-data.md.
 * @dev Every length is exact and every field is range-checked here, once, so no later step meets a value it would have
 *      to guess about (short data read as zeros, trailing bytes outside the signature's reach).
 */
abstract contract PaymasterDataParser is Refusals {
    using Calldata for bytes;
    using SignedOperation for uint256[MEMBERS];

    /// @dev The sender's allowance is there when the operation is validated.
    uint256 internal constant WAY_ALLOWANCE = 1;
    /// @dev An EIP-2612 permit in the data gives the allowance.
    uint256 internal constant WAY_PERMIT = 2;
    /// @dev The operation's own calls give the allowance; the sender is charged after them.
    uint256 internal constant WAY_BATCH_APPROVAL = 3;
    /// @dev Denominator of `feeMarkup`, and its least value: no markup.
    uint256 internal constant MARKUP_UNIT = 1_000_000;
    /// @dev Greatest `feeMarkup`: twice the cost, whatever a signer signs.
    uint256 internal constant MAX_MARKUP = 2_000_000;
    /// @dev Denominator of `premium`, and its least value: none.
    uint256 internal constant PREMIUM_UNIT = 1_000_000;
    /// @dev Greatest `premium`: twice the rate, whatever a signer signs.
    uint256 internal constant MAX_PREMIUM = 2_000_000;

    // Where the fields of both modes begin, counted from the mode.
    uint256 private constant _VALID_UNTIL_AT = 1;
    uint256 private constant _VALID_AFTER_AT = 7;
    uint256 private constant _FUNDING_WALLET_AT = 13;
    uint256 private constant _FEE_MARKUP_AT = 33;
    uint256 private constant _UNACCOUNTED_GAS_AT = 37;
    uint256 private constant _TERMS_LENGTH = 41;

    // Where the fields begin that token mode has behind them, counted from the way.
    uint256 private constant _TOKEN_AT = 1;
    uint256 private constant _EXCHANGE_RATE_AT = 21;
    uint256 private constant _PREMIUM_AT = 45;
    uint256 private constant _FEE_RECEIVER_AT = 49;
    uint256 private constant _MAX_TOKEN_CHARGE_AT = 69;
    uint256 private constant _TOKEN_TERMS_LENGTH = 93;
    /// @dev The arguments of EIP-2612 `permit`, behind them: value (32), deadline (32), r (32), s (32), v (1).
    uint256 private constant _PERMIT_LENGTH = 129;

    /// @dev r (32), s (32), v (1); the last field.
    uint256 internal constant _SIGNATURE_LENGTH = 65;
    /// @dev The same with v as the highest bit of s (EIP-2098).
    uint256 private constant _SHORT_SIGNATURE_LENGTH = 64;
    /// @dev Bit 47 is a flag (block range) in later EntryPoints.
    uint256 private constant _VALID_UNTIL_LIMIT = 1 << 47;

    /**
     * @dev Checks the length and reads what both modes have.
     * @param signed Where it is written.
     * @param paymasterAndData The operation's field.
     * @param prefixLength Bytes before `paymasterData`: 20 on v0.6, 52 later.
     * @return tokenFields What token mode adds between these fields and the signature; empty in sponsorship.
     */
    function _parseTerms(
        uint256[MEMBERS] memory signed,
        bytes calldata paymasterAndData,
        uint256 prefixLength
    ) internal pure returns (bytes calldata tokenFields) {
        bytes calldata body = paymasterAndData.slice(prefixLength, 0);
        tokenFields = _tokenFieldsOf(body, paymasterAndData.length, prefixLength);
        signed[MODE] = body.uintAt(0, 1);
        signed[UNACCOUNTED_GAS] = body.uintAt(_UNACCOUNTED_GAS_AT, 4);
        uint256 validUntil = signed[VALID_UNTIL] = body.uintAt(_VALID_UNTIL_AT, 6);
        uint256 validAfter = signed[VALID_AFTER] = body.uintAt(_VALID_AFTER_AT, 6);
        uint256 fundingWallet = signed[FUNDING_WALLET] = body.uintAt(_FUNDING_WALLET_AT, 20);
        uint256 feeMarkup = signed[FEE_MARKUP] = body.uintAt(_FEE_MARKUP_AT, 4);
        // validUntil 0 would mean "for ever" to the EntryPoint.
        if (validUntil >= _VALID_UNTIL_LIMIT || validAfter >= validUntil) {
            _refuse("PM validity window", IRefusals.InvalidValidityWindow.selector, validUntil, validAfter);
        }
        if (fundingWallet == 0) _refuse("PM zero funding wallet", IRefusals.ZeroFundingWallet.selector);
        if (feeMarkup < MARKUP_UNIT || feeMarkup > MAX_MARKUP) {
            _refuse("PM fee markup", IRefusals.FeeMarkupOutOfRange.selector, feeMarkup);
        }
    }

    /**
     * @dev Reads what token mode adds. Nothing in sponsorship.
     * @param signed Where it is written; the mode is there.
     * @param tokenFields What `_parseTerms` found.
     */
    function _parseTokenTerms(uint256[MEMBERS] memory signed, bytes calldata tokenFields) internal pure {
        if (!signed.isTokenPaid()) return;
        uint256 token = signed[TOKEN] = tokenFields.uintAt(_TOKEN_AT, 20);
        uint256 exchangeRate = signed[EXCHANGE_RATE] = tokenFields.uintAt(_EXCHANGE_RATE_AT, 24);
        uint256 premium = signed[PREMIUM] = tokenFields.uintAt(_PREMIUM_AT, 4);
        uint256 feeReceiver = signed[FEE_RECEIVER] = tokenFields.uintAt(_FEE_RECEIVER_AT, 20);
        uint256 maxTokenCharge = signed[MAX_TOKEN_CHARGE] = tokenFields.uintAt(_MAX_TOKEN_CHARGE_AT, 24);
        signed[WAY] = tokenFields.uintAt(0, 1);
        signed[PERMIT_HASH] = uint256(_permitOf(tokenFields).hash());
        if (token == 0) _refuse("PM zero token", IRefusals.ZeroToken.selector);
        if (exchangeRate == 0) _refuse("PM zero exchange rate", IRefusals.ZeroExchangeRate.selector);
        if (premium < PREMIUM_UNIT || premium > MAX_PREMIUM) {
            _refuse("PM premium", IRefusals.PremiumOutOfRange.selector, premium);
        }
        if (feeReceiver == 0) _refuse("PM zero fee receiver", IRefusals.ZeroFeeReceiver.selector);
        if (maxTokenCharge == 0) _refuse("PM zero token charge", IRefusals.ZeroMaxTokenCharge.selector);
    }

    /// @dev The permit behind the token mode's terms; empty where the way has none.
    function _permitOf(bytes calldata tokenFields) internal pure returns (bytes calldata) {
        return tokenFields[_TOKEN_TERMS_LENGTH:];
    }

    /// @dev The signature, 65 bytes or 64 (EIP-2098): what `_parseTerms` found behind the fields.
    function _signatureOf(
        bytes calldata paymasterAndData,
        bytes calldata tokenFields
    ) internal pure returns (bytes calldata signature) {
        assembly ("memory-safe") {
            signature.offset := add(tokenFields.offset, tokenFields.length)
            signature.length := sub(add(paymasterAndData.offset, paymasterAndData.length), signature.offset)
        }
    }

    /**
     * @dev Checks that the data is as long as its mode and way say.
     * @param body The data where the mode is.
     * @param length Bytes of `paymasterAndData`.
     * @return tokenFields What token mode adds; empty in sponsorship.
     */
    function _tokenFieldsOf(
        bytes calldata body,
        uint256 length,
        uint256 prefixLength
    ) private pure returns (bytes calldata tokenFields) {
        uint256 expected = prefixLength + _TERMS_LENGTH + _SIGNATURE_LENGTH;
        if (length <= prefixLength) _refuseLength(length, expected);
        uint256 mode = body.uintAt(0, 1);
        uint256 fieldsLength;
        if (mode == MODE_TOKEN) {
            // Without these fields the data is too short for every way.
            fieldsLength = length < expected
                ? _TOKEN_TERMS_LENGTH
                : _tokenFieldsLength(WayByte.wrap(body.uintAt(_TERMS_LENGTH, 1)).way());
        } else if (mode != MODE_SPONSOR) {
            _refuse("PM unknown mode", IRefusals.UnknownMode.selector, mode);
        }
        expected += fieldsLength;
        if (length != expected && length != expected - _SIGNATURE_LENGTH + _SHORT_SIGNATURE_LENGTH) {
            _refuseLength(length, expected);
        }
        return body.slice(_TERMS_LENGTH, fieldsLength);
    }

    function _tokenFieldsLength(uint256 way) private pure returns (uint256) {
        if (way < WAY_ALLOWANCE || way > WAY_BATCH_APPROVAL) {
            _refuse("PM unknown charging way", IRefusals.UnknownChargingWay.selector, way);
        }
        return way == WAY_PERMIT ? _TOKEN_TERMS_LENGTH + _PERMIT_LENGTH : _TOKEN_TERMS_LENGTH;
    }

    function _refuseLength(uint256 actual, uint256 expected) internal pure {
        _refuse("PM data length", IRefusals.InvalidPaymasterAndDataLength.selector, actual, expected);
    }
}
