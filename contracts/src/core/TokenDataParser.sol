// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {PaymasterDataParser} from "./PaymasterDataParser.sol";

/**
 * @title TokenDataParser
 * @notice Reads the fields that token mode adds to `paymasterAndData`, and encodes them for the digest.
 */
abstract contract TokenDataParser is PaymasterDataParser {
    /// @notice The sender's allowance is there when the operation is validated.
    uint8 public constant WAY_ALLOWANCE = 1;
    /// @notice An EIP-2612 permit in the data gives the allowance.
    uint8 public constant WAY_PERMIT = 2;
    /// @notice The operation's own calls give the allowance; the sender is charged after them.
    uint8 public constant WAY_BATCH_APPROVAL = 3;
    /// @notice Denominator of `premium`, and its least value: none.
    uint256 public constant PREMIUM_UNIT = 1_000_000;
    /// @notice Greatest `premium`: twice the rate, whatever a signer signs.
    uint256 public constant MAX_PREMIUM = 2_000_000;

    uint256 private constant _FIELDS_LENGTH = 93;
    uint256 private constant _PERMIT_LENGTH = 129;

    /// @dev The members token mode adds to the digest's struct, in its order: `abi.encode` of it is their EIP-712 form.
    struct TokenTerms {
        /// @dev How the sender is charged, one of `WAY_*`.
        uint8 way;
        /// @dev What it pays in.
        address token;
        /// @dev Base units per 1e18 wei, without the premium.
        uint192 exchangeRate;
        /// @dev What the sender pays per million of the rate.
        uint32 premium;
        /// @dev Whom it pays.
        address feeReceiver;
        /// @dev The most it pays, base units.
        uint192 maxTokenCharge;
        /// @dev Of the permit's bytes, or of none for the other ways.
        bytes32 permitHash;
    }

    /// @dev Reads all of `paymasterAndData`; the token terms are zeros in sponsorship.
    function _parseBothModes(
        bytes calldata paymasterAndData,
        uint256 prefixLength
    ) internal pure returns (PaymasterData memory data, TokenTerms memory terms) {
        bytes calldata fields;
        (data, fields) = _parse(paymasterAndData, prefixLength);
        if (data.mode == MODE_SPONSOR) return (data, terms);

        terms.way = uint8(fields[0]);
        terms.token = address(bytes20(_word(fields, 1)));
        terms.exchangeRate = uint192(bytes24(_word(fields, 21)));
        terms.premium = uint32(bytes4(_word(fields, 45)));
        terms.feeReceiver = address(bytes20(_word(fields, 49)));
        terms.maxTokenCharge = uint192(bytes24(_word(fields, 69)));
        terms.permitHash = keccak256(fields[_FIELDS_LENGTH:]);

        if (terms.token == address(0)) _refuse(Refusal.Token, 0, 0);
        if (terms.exchangeRate == 0) _refuse(Refusal.ExchangeRate, 0, 0);
        if (terms.premium < PREMIUM_UNIT || terms.premium > MAX_PREMIUM) _refuse(Refusal.Premium, terms.premium, 0);
        if (terms.feeReceiver == address(0)) _refuse(Refusal.FeeReceiver, 0, 0);
        if (terms.maxTokenCharge == 0) _refuse(Refusal.MaxTokenCharge, 0, 0);
    }

    /**
     * @dev The permit in front of the signature, in a `paymasterAndData` that has one: the arguments of EIP-2612
     *      `permit`, value (32), deadline (32), r (32), s (32), v (1).
     */
    function _permitOf(bytes calldata paymasterAndData) internal pure returns (bytes calldata) {
        uint256 end = paymasterAndData.length - _SIGNATURE_LENGTH;
        return paymasterAndData[end - _PERMIT_LENGTH:end];
    }

    /// @inheritdoc PaymasterDataParser
    function _tokenFieldsLength(bytes calldata fields) internal pure override returns (uint256) {
        if (fields.length == 0) return _FIELDS_LENGTH;
        uint8 way = uint8(fields[0]);
        if (way < WAY_ALLOWANCE || way > WAY_BATCH_APPROVAL) _refuse(Refusal.ChargingWay, way, 0);
        return way == WAY_PERMIT ? _FIELDS_LENGTH + _PERMIT_LENGTH : _FIELDS_LENGTH;
    }
}
