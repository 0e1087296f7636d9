// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {Refusals} from "./Refusals.sol";

/**
 * @title PaymasterDataParser
 * @notice Reads what both modes have in `paymasterAndData`; the layout is docs/architecture/paymaster-data.md.
 * @dev Every length is exact and every field is range-checked here and in `TokenDataParser`, once, so no later step
 *      meets a value it would have to guess about (short data read as zeros, trailing bytes outside the signature's
 *      reach).
 */
abstract contract PaymasterDataParser is Refusals {
    /// @dev First byte of `paymasterData`: a funding wallet pays.
    uint8 internal constant MODE_SPONSOR = 1;
    /// @dev First byte of `paymasterData`: a funding wallet pays, and the sender pays for it in an ERC-20 token.
    uint8 internal constant MODE_TOKEN = 2;
    /// @dev Denominator of `feeMarkup`, and its least value: no markup.
    uint256 internal constant MARKUP_UNIT = 1_000_000;
    /// @dev Greatest `feeMarkup`: twice the cost, whatever a signer signs.
    uint256 internal constant MAX_MARKUP = 2_000_000;

    // Where the fields begin, counted from the mode.
    uint256 private constant _VALID_UNTIL_AT = 1;
    uint256 private constant _VALID_AFTER_AT = 7;
    uint256 private constant _FUNDING_WALLET_AT = 13;
    uint256 private constant _FEE_MARKUP_AT = 33;
    uint256 private constant _UNACCOUNTED_GAS_AT = 37;
    uint256 private constant _TERMS_LENGTH = 41;

    /// @dev r (32), s (32), v (1); the last field.
    uint256 internal constant _SIGNATURE_LENGTH = 65;
    /// @dev The same with v as the highest bit of s (EIP-2098).
    uint256 private constant _SHORT_SIGNATURE_LENGTH = 64;
    /// @dev Bit 47 is a flag (block range) in later EntryPoints.
    uint256 private constant _VALID_UNTIL_LIMIT = 1 << 47;

    struct PaymasterData {
        /// @dev `MODE_SPONSOR` or `MODE_TOKEN`.
        uint256 mode;
        /// @dev Last second the signature holds, unix time.
        uint256 validUntil;
        /// @dev First second the signature holds, unix time; on EntryPoint v0.8 the last one it does not hold.
        uint256 validAfter;
        /// @dev Whose gas deposit is debited.
        address fundingWallet;
        /// @dev What the wallet pays per million of cost.
        uint256 feeMarkup;
        /// @dev Upper bound on the gas the EntryPoint takes after it measured `actualGasCost`.
        uint256 unaccountedGas;
    }

    /**
     * @param paymasterAndData The operation's field.
     * @param prefixLength Bytes before `paymasterData`: 20 on v0.6, 52 later.
     * @return data The fields of both modes.
     * @return tokenFields What token mode adds between them and the signature; empty in sponsorship.
     */
    function _parse(
        bytes calldata paymasterAndData,
        uint256 prefixLength
    ) internal pure returns (PaymasterData memory data, bytes calldata tokenFields) {
        uint256 length = paymasterAndData.length;
        uint256 expected = prefixLength + _TERMS_LENGTH + _SIGNATURE_LENGTH;
        if (length <= prefixLength) _invalidPaymasterAndDataLength(length, expected);

        bytes calldata body = _slice(paymasterAndData, prefixLength, 0);
        uint256 mode = _uintAt(body, 0, 1);
        if (mode == MODE_TOKEN) {
            bool hasFields = length >= expected;
            tokenFields = _slice(body, _TERMS_LENGTH, hasFields ? 1 : 0);
            tokenFields = _slice(body, _TERMS_LENGTH, _tokenFieldsLength(tokenFields));
        } else {
            if (mode != MODE_SPONSOR) _unknownMode(mode);
            tokenFields = _slice(body, _TERMS_LENGTH, 0);
        }
        expected += tokenFields.length;
        if (length != expected && length != expected - _SIGNATURE_LENGTH + _SHORT_SIGNATURE_LENGTH) {
            _invalidPaymasterAndDataLength(length, expected);
        }

        data.mode = mode;
        data.validUntil = _uintAt(body, _VALID_UNTIL_AT, 6);
        data.validAfter = _uintAt(body, _VALID_AFTER_AT, 6);
        data.fundingWallet = _addressAt(body, _FUNDING_WALLET_AT);
        data.feeMarkup = _uintAt(body, _FEE_MARKUP_AT, 4);
        data.unaccountedGas = _uintAt(body, _UNACCOUNTED_GAS_AT, 4);
        // validUntil 0 would mean "for ever" to the EntryPoint.
        if (data.validUntil >= _VALID_UNTIL_LIMIT || data.validAfter >= data.validUntil) {
            _invalidValidityWindow(data.validUntil, data.validAfter);
        }
        if (data.fundingWallet == address(0)) _zeroFundingWallet();
        if (data.feeMarkup < MARKUP_UNIT || data.feeMarkup > MAX_MARKUP) {
            _feeMarkupOutOfRange(data.feeMarkup);
        }
    }

    /// @dev The signature, 65 bytes or 64 (EIP-2098): what `_parse` found behind the fields.
    function _signatureOf(
        bytes calldata paymasterAndData,
        bytes calldata tokenFields
    ) internal pure returns (bytes calldata signature) {
        assembly ("memory-safe") {
            signature.offset := add(tokenFields.offset, tokenFields.length)
            signature.length := sub(add(paymasterAndData.offset, paymasterAndData.length), signature.offset)
        }
    }

    /// @dev A number of so many bytes in calldata. No bounds are checked: the whole length was.
    function _uintAt(bytes calldata data, uint256 offset, uint256 size) internal pure returns (uint256 value) {
        assembly ("memory-safe") {
            value := shr(sub(256, shl(3, size)), calldataload(add(data.offset, offset)))
        }
    }

    /// @dev The hash of a part of calldata, written behind the memory in use: nothing is kept of it.
    function _hash(bytes calldata data) internal pure returns (bytes32 hash) {
        assembly ("memory-safe") {
            let free := mload(0x40)
            calldatacopy(free, data.offset, data.length)
            hash := keccak256(free, data.length)
        }
    }

    function _addressAt(bytes calldata data, uint256 offset) internal pure returns (address) {
        return address(uint160(_uintAt(data, offset, 20)));
    }

    /// @dev A part of calldata. No bounds are checked: the whole length was.
    function _slice(
        bytes calldata data,
        uint256 offset,
        uint256 length
    ) internal pure returns (bytes calldata part) {
        assembly ("memory-safe") {
            part.offset := add(data.offset, offset)
            part.length := length
        }
    }

    /**
     * @dev Exact length of token mode's own fields.
     * @param fields The bytes where they begin, or none where the data is too short for any.
     */
    function _tokenFieldsLength(bytes calldata fields) internal pure virtual returns (uint256);
}
