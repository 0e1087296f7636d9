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
    /// @notice First byte of `paymasterData`: a funding wallet pays.
    uint8 public constant MODE_SPONSOR = 1;
    /// @notice First byte of `paymasterData`: a funding wallet pays, and the sender pays for it in an ERC-20 token.
    uint8 public constant MODE_TOKEN = 2;
    /// @notice Denominator of `feeMarkup`, and its least value: no markup.
    uint256 public constant MARKUP_UNIT = 1_000_000;
    /// @notice Greatest `feeMarkup`: twice the cost, whatever a signer signs.
    uint256 public constant MAX_MARKUP = 2_000_000;

    /// @dev From the mode to `unaccountedGas`.
    uint256 private constant _TERMS_LENGTH = 41;
    /// @dev r (32), s (32), v (1); the last field.
    uint256 internal constant _SIGNATURE_LENGTH = 65;
    /// @dev Bit 47 is a flag (block range) in later EntryPoints.
    uint256 private constant _VALID_UNTIL_LIMIT = 1 << 47;

    struct PaymasterData {
        /// @dev `MODE_SPONSOR` or `MODE_TOKEN`.
        uint8 mode;
        /// @dev Last second the signature holds, unix time.
        uint48 validUntil;
        /// @dev First second the signature holds, unix time; on EntryPoint v0.8 the last one it does not hold.
        uint48 validAfter;
        /// @dev Whose gas deposit is debited.
        address fundingWallet;
        /// @dev What the wallet pays per million of cost.
        uint32 feeMarkup;
        /// @dev Upper bound on the gas the EntryPoint takes after it measured `actualGasCost`.
        uint32 unaccountedGas;
        /// @dev Signature, `r`.
        bytes32 r;
        /// @dev Signature, `s`; only the low half is accepted.
        bytes32 s;
        /// @dev Signature, `v`; 27 or 28.
        uint8 v;
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
        if (length <= prefixLength) _refuse(Refusal.DataLength, length, expected);

        bytes calldata body = paymasterAndData[prefixLength:];
        data.mode = uint8(body[0]);
        if (data.mode == MODE_TOKEN) {
            expected += _tokenFieldsLength(length < expected ? body[:0] : body[_TERMS_LENGTH:]);
        } else if (data.mode != MODE_SPONSOR) {
            _refuse(Refusal.UnknownMode, data.mode, 0);
        }
        if (length != expected) _refuse(Refusal.DataLength, length, expected);

        data.validUntil = uint48(bytes6(_word(body, 1)));
        data.validAfter = uint48(bytes6(_word(body, 7)));
        data.fundingWallet = address(bytes20(_word(body, 13)));
        data.feeMarkup = uint32(bytes4(_word(body, 33)));
        data.unaccountedGas = uint32(bytes4(_word(body, 37)));
        uint256 signatureAt = body.length - _SIGNATURE_LENGTH;
        data.r = _word(body, signatureAt);
        data.s = _word(body, signatureAt + 32);
        data.v = uint8(bytes1(_word(body, signatureAt + 64)));
        tokenFields = body[_TERMS_LENGTH:signatureAt];

        // validUntil 0 would mean "for ever" to the EntryPoint.
        if (data.validUntil >= _VALID_UNTIL_LIMIT || data.validAfter >= data.validUntil) {
            _refuse(Refusal.ValidityWindow, data.validUntil, data.validAfter);
        }
        if (data.fundingWallet == address(0)) _refuse(Refusal.FundingWallet, 0, 0);
        if (data.feeMarkup < MARKUP_UNIT || data.feeMarkup > MAX_MARKUP) {
            _refuse(Refusal.FeeMarkup, data.feeMarkup, MARKUP_UNIT);
        }
    }

    /// @dev 32 bytes of calldata. No bounds are checked: the whole length was, and what follows a shorter field is cut off.
    function _word(bytes calldata data, uint256 offset) internal pure returns (bytes32 word) {
        assembly ("memory-safe") {
            word := calldataload(add(data.offset, offset))
        }
    }

    /**
     * @dev Exact length of token mode's own fields.
     * @param fields The bytes where they begin, or none where the data is too short for any.
     */
    function _tokenFieldsLength(bytes calldata fields) internal pure virtual returns (uint256);
}
