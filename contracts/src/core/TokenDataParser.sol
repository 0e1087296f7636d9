// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {PaymasterDataParser} from "./PaymasterDataParser.sol";

/**
 * @title TokenDataParser
 * @notice Reads the fields that token mode adds to `paymasterAndData`, and encodes them for the digest.
 */
abstract contract TokenDataParser is PaymasterDataParser {
    /// @dev The sender's allowance is there when the operation is validated.
    uint8 internal constant WAY_ALLOWANCE = 1;
    /// @dev An EIP-2612 permit in the data gives the allowance.
    uint8 internal constant WAY_PERMIT = 2;
    /// @dev The operation's own calls give the allowance; the sender is charged after them.
    uint8 internal constant WAY_BATCH_APPROVAL = 3;
    /// @dev Denominator of `premium`, and its least value: none.
    uint256 internal constant PREMIUM_UNIT = 1_000_000;
    /// @dev Greatest `premium`: twice the rate, whatever a signer signs.
    uint256 internal constant MAX_PREMIUM = 2_000_000;

    /// @dev Members of the digest's struct in token mode, the type hash among them.
    uint256 internal constant _MEMBERS = 25;
    /// @dev The same in sponsorship, which has the first of them.
    uint256 private constant _SPONSORED_MEMBERS = 18;

    // Where the fields begin, counted from the way, and their sizes.
    uint256 private constant _TOKEN_AT = 1;
    uint256 private constant _EXCHANGE_RATE_AT = 21;
    uint256 private constant _PREMIUM_AT = 45;
    uint256 private constant _FEE_RECEIVER_AT = 49;
    uint256 private constant _MAX_TOKEN_CHARGE_AT = 69;
    uint256 private constant _FIELDS_LENGTH = 93;
    /// @dev The arguments of EIP-2612 `permit`, behind the fields: value (32), deadline (32), r (32), s (32), v (1).
    uint256 private constant _PERMIT_LENGTH = 129;

    /// @dev What token mode adds to the data, without the permit.
    struct TokenTerms {
        /// @dev How the sender is charged, one of `WAY_*`.
        uint256 way;
        /// @dev What it pays in.
        address token;
        /// @dev Base units per 1e18 wei, without the premium.
        uint256 exchangeRate;
        /// @dev What the sender pays per million of the rate.
        uint256 premium;
        /// @dev Whom it pays.
        address feeReceiver;
        /// @dev The most it pays, base units.
        uint256 maxTokenCharge;
    }

    /// @dev Reads the fields that `_parse` found.
    function _parseTokenFields(bytes calldata fields) internal pure returns (TokenTerms memory) {
        TokenTerms memory terms = TokenTerms({
            way: _wayOf(fields),
            token: _addressAt(fields, _TOKEN_AT),
            exchangeRate: _uintAt(fields, _EXCHANGE_RATE_AT, 24),
            premium: _uintAt(fields, _PREMIUM_AT, 4),
            feeReceiver: _addressAt(fields, _FEE_RECEIVER_AT),
            maxTokenCharge: _uintAt(fields, _MAX_TOKEN_CHARGE_AT, 24)
        });
        if (terms.token == address(0)) _zeroToken();
        if (terms.exchangeRate == 0) _zeroExchangeRate();
        if (terms.premium < PREMIUM_UNIT || terms.premium > MAX_PREMIUM) _premiumOutOfRange(terms.premium);
        if (terms.feeReceiver == address(0)) _zeroFeeReceiver();
        if (terms.maxTokenCharge == 0) _zeroMaxTokenCharge();
        return terms;
    }

    function _wayOf(bytes calldata fields) internal pure returns (uint256) {
        return _uintAt(fields, 0, 1);
    }

    /**
     * @dev EIP-712 struct hash of the operation.
     * @param members Those of sponsorship, behind the type hash; the others follow here.
     * @param mode `MODE_SPONSOR` or `MODE_TOKEN`.
     * @param fields What token mode adds to the data.
     * @param tokenTypeHash Token mode's type hash, in place of sponsorship's.
     */
    function _hashMembers(
        uint256[_MEMBERS] memory members,
        uint256 mode,
        bytes calldata fields,
        bytes32 tokenTypeHash
    ) internal pure returns (bytes32 hash) {
        uint256 count = _SPONSORED_MEMBERS;
        if (mode == MODE_TOKEN) {
            TokenTerms memory terms = _parseTokenFields(fields);
            members[0] = uint256(tokenTypeHash);
            members[18] = terms.way;
            members[19] = uint160(terms.token);
            members[20] = terms.exchangeRate;
            members[21] = terms.premium;
            members[22] = uint160(terms.feeReceiver);
            members[23] = terms.maxTokenCharge;
            members[24] = uint256(_hash(_permitOf(fields)));
            count = _MEMBERS;
        }
        assembly ("memory-safe") {
            hash := keccak256(members, shl(5, count))
        }
    }

    /// @dev The permit behind the fields; empty where the way has none.
    function _permitOf(bytes calldata fields) internal pure returns (bytes calldata) {
        return fields[_FIELDS_LENGTH:];
    }

    /// @inheritdoc PaymasterDataParser
    function _tokenFieldsLength(bytes calldata fields) internal pure override returns (uint256) {
        if (fields.length == 0) return _FIELDS_LENGTH;
        uint256 way = _wayOf(fields);
        if (way < WAY_ALLOWANCE || way > WAY_BATCH_APPROVAL) _unknownChargingWay(way);
        return way == WAY_PERMIT ? _FIELDS_LENGTH + _PERMIT_LENGTH : _FIELDS_LENGTH;
    }
}
