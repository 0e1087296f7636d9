// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {Refusals} from "./Refusals.sol";

/**
 * @title SponsorDataParser
 * @notice Reads `paymasterAndData`; the layout is docs/architecture/paymaster-data.md.
 * @dev Every length is exact and every field is range-checked here, once, so no later step meets a value it
 *      would have to guess about (short data read as zeros, trailing bytes outside the signature's reach).
 */
abstract contract SponsorDataParser is Refusals {
    /// @notice First byte of `paymasterData`: a funding wallet pays.
    uint8 public constant MODE_SPONSOR = 1;
    /// @notice First byte of `paymasterData`: the sender pays in an ERC-20 token.
    uint8 public constant MODE_TOKEN = 2;
    /// @notice Denominator of `feeMarkup`, and its least value: no markup.
    uint256 public constant MARKUP_UNIT = 1_000_000;
    /// @notice Greatest `feeMarkup`: twice the cost, whatever a signer signs.
    uint256 public constant MAX_MARKUP = 2_000_000;

    uint256 private constant _SPONSOR_DATA_LENGTH = 106;
    /// @dev Bit 47 is a flag (block range) in later EntryPoints.
    uint256 private constant _VALID_UNTIL_LIMIT = 1 << 47;

    struct SponsorData {
        /// @dev Last second the signature holds, unix time.
        uint48 validUntil;
        /// @dev First second the signature holds, unix time.
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
     * @param minUnaccountedGas Least `unaccountedGas` the version's accounting is proven for.
     */
    function _parse(
        bytes calldata paymasterAndData,
        uint256 prefixLength,
        uint256 minUnaccountedGas
    ) internal pure returns (SponsorData memory data) {
        uint256 length = paymasterAndData.length;
        uint256 sponsorLength = prefixLength + _SPONSOR_DATA_LENGTH;
        if (length <= prefixLength) _refuse(Refusal.DataLength, length, sponsorLength);

        bytes calldata body = paymasterAndData[prefixLength:];
        uint8 mode = uint8(body[0]);
        if (mode == MODE_TOKEN) _refuse(Refusal.TokenMode, 0, 0);
        if (mode != MODE_SPONSOR) _refuse(Refusal.UnknownMode, mode, 0);
        if (length != sponsorLength) _refuse(Refusal.DataLength, length, sponsorLength);

        data.validUntil = uint48(bytes6(body[1:7]));
        data.validAfter = uint48(bytes6(body[7:13]));
        data.fundingWallet = address(bytes20(body[13:33]));
        data.feeMarkup = uint32(bytes4(body[33:37]));
        data.unaccountedGas = uint32(bytes4(body[37:41]));
        data.r = bytes32(body[41:73]);
        data.s = bytes32(body[73:105]);
        data.v = uint8(body[105]);

        // validUntil 0 would mean "for ever" to the EntryPoint.
        if (data.validUntil >= _VALID_UNTIL_LIMIT || data.validAfter >= data.validUntil) {
            _refuse(Refusal.ValidityWindow, data.validUntil, data.validAfter);
        }
        if (data.fundingWallet == address(0)) _refuse(Refusal.FundingWallet, 0, 0);
        if (data.feeMarkup < MARKUP_UNIT || data.feeMarkup > MAX_MARKUP) {
            _refuse(Refusal.FeeMarkup, data.feeMarkup, MARKUP_UNIT);
        }
        if (data.unaccountedGas < minUnaccountedGas) {
            _refuse(Refusal.UnaccountedGas, data.unaccountedGas, minUnaccountedGas);
        }
    }
}
