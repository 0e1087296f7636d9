// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {IPaymaster} from "@account-abstraction/contracts-v07/interfaces/IPaymaster.sol";
import {PackedUserOperation} from "@account-abstraction/contracts-v07/interfaces/PackedUserOperation.sol";
import {IHybridPaymaster} from "../interfaces/IHybridPaymaster.sol";
import {IPackedHybridPaymaster} from "../interfaces/IPackedHybridPaymaster.sol";
import {PaymentContext, TokenPayment} from "../layouts/PaymentContext.sol";
import {MEMBERS, SignedOperation} from "../layouts/SignedOperation.sol";
import {SignedOperationPacked} from "../layouts/SignedOperationPacked.sol";
import {Precharge, SponsoredContext} from "../layouts/SponsoredContext.sol";
import {VersionTerms} from "../layouts/VersionTerms.sol";
import {Refusals} from "./Refusals.sol";
import {TokenMode} from "./TokenMode.sol";
import {UnsettledPrecharges} from "./UnsettledPrecharges.sol";

/**
 * @title PackedHybridPaymaster
 * @notice What EntryPoint v0.7, v0.8 and v0.9 share: the packed operation, its digest and the `postOp` signature. What
 *         the EntryPoint takes after `postOp` differs, so each version supplies its own cost.
 */
abstract contract PackedHybridPaymaster is TokenMode, UnsettledPrecharges {
    using SignedOperation for uint256[MEMBERS];

    /// @inheritdoc IPackedHybridPaymaster
    /// @dev `test_postOp_fitsTheLeastLimit` of test/GasConstants.t.sol asks for what it measures, a tenth, and 10,000 by
    ///      which the EntryPoint may fall short of the limit.
    uint256 public constant MIN_POST_OP_GAS = 21_100;
    /// @inheritdoc IHybridPaymaster
    /// @dev `test_unaccountedGas_coversWhatComesAfterTheMeasure` of test/GasConstants.t.sol asks for what it measures, and
    ///      a tenth.
    uint256 public constant MIN_UNACCOUNTED_GAS = 7_050;

    /// @dev paymaster (20), paymasterVerificationGasLimit (16), paymasterPostOpGasLimit (16).
    uint256 private constant _PREFIX_LENGTH = 52;

    /// @inheritdoc IPaymaster
    function validatePaymasterUserOp(
        PackedUserOperation calldata userOp,
        bytes32 userOpHash,
        uint256 maxCost
    ) external override onlyEntryPoint returns (bytes memory context, uint256 validationData) {
        (uint256[MEMBERS] memory signed, bytes calldata tokenFields, bytes calldata signature) = _read(userOp);
        _requireSignature(userOp.paymasterAndData, signature);
        _parseTokenTerms(signed, tokenFields);
        _requireGas(
            signed,
            signed[SignedOperationPacked.PAYMASTER_POST_OP_GAS_LIMIT],
            MIN_POST_OP_GAS,
            MIN_UNACCOUNTED_GAS
        );
        validationData = _validationData(signed, signature);
        (uint256 prechargeWei, uint256 strandedWei) = _precharge(
            signed,
            userOpHash,
            maxCost,
            uint128(signed[SignedOperationPacked.GAS_FEES])
        );
        context = SponsoredContext.encode(userOpHash, signed, _versionTermsOf(signed), prechargeWei, strandedWei);
        if (signed.isTokenPaid()) {
            (uint256 most, bool isCovered) = _takePayment(signed, tokenFields, prechargeWei);
            if (!isCovered) validationData |= _SIG_FAILED;
            if (signed.way() == WAY_BATCH_APPROVAL) {
                _recordUnsettled(signed.fundingWallet(), _recordedOf(prechargeWei, strandedWei));
            }
            context = bytes.concat(context, PaymentContext.encode(signed, most));
        }
    }

    /// @inheritdoc IPaymaster
    function postOp(
        PostOpMode mode,
        bytes calldata context,
        uint256 actualGasCost,
        uint256 actualUserOpFeePerGas
    ) external override onlyEntryPoint {
        (Precharge memory precharge, VersionTerms versionTerms) = SponsoredContext.decode(context);
        // A reverted operation costs the wallet the same, whatever the mode.
        uint256 chargedWei = _settle(
            precharge,
            _cost(precharge.unaccountedGas, versionTerms, actualGasCost, actualUserOpFeePerGas)
        );
        if (context.length == SponsoredContext.LENGTH) return;

        TokenPayment memory payment = PaymentContext.decode(context);
        if (payment.wayByte.way() == WAY_BATCH_APPROVAL) {
            _clearUnsettled(precharge.fundingWallet, _recordedOf(precharge.prechargeWei, precharge.strandedWei));
        }
        _settlePayment(precharge, payment, chargedWei, CallsEnding(uint8(mode)));
    }

    /// @inheritdoc IPackedHybridPaymaster
    function getDigest(PackedUserOperation calldata userOp) external view returns (bytes32) {
        (uint256[MEMBERS] memory signed, bytes calldata tokenFields, ) = _read(userOp);
        _parseTokenTerms(signed, tokenFields);
        return _hashTypedDataV4(signed.structHash());
    }

    /// @inheritdoc IHybridPaymaster
    /// @dev These EntryPoints see to it that `postOp` gets its limit, less the 10,000 gas that a long revert reason of the
    ///      calls may cost them.
    function TOKEN_POST_OP_MARGIN() public pure override(IHybridPaymaster, TokenMode) returns (uint256) {
        return 10_000;
    }

    /**
     * @dev What `_cost` needs to know of the operation's gas limits.
     * @param preOperationGas preVerificationGas and both verification limits: the most that is spent before the
     *        user's call.
     * @param callGasLimit Limit of the user's call.
     * @param postOpGasLimit Limit of `postOp`.
     */
    function _versionTerms(
        uint256 preOperationGas,
        uint256 callGasLimit,
        uint256 postOpGasLimit
    ) internal pure virtual returns (VersionTerms);

    function _versionTermsOf(uint256[MEMBERS] memory signed) private pure returns (VersionTerms) {
        uint256 accountGasLimits = signed[SignedOperationPacked.ACCOUNT_GAS_LIMITS];
        // The EntryPoint takes no limit above 120 bits.
        unchecked {
            return
                _versionTerms(
                    signed[SignedOperationPacked.PRE_VERIFICATION_GAS] +
                        (accountGasLimits >> 128) +
                        signed[SignedOperationPacked.PAYMASTER_VERIFICATION_GAS_LIMIT],
                    uint128(accountGasLimits),
                    signed[SignedOperationPacked.PAYMASTER_POST_OP_GAS_LIMIT]
                );
        }
    }

    /**
     * @dev Upper bound on what the EntryPoint takes for the operation, wei.
     * @param unaccountedGas The signed bound on gas spent after `actualGasCost` was measured.
     * @param versionTerms What `_versionTerms` answered.
     * @param actualGasCost What the EntryPoint measured before `postOp`, wei.
     * @param feePerGas The price per gas the EntryPoint applies.
     */
    function _cost(
        uint256 unaccountedGas,
        VersionTerms versionTerms,
        uint256 actualGasCost,
        uint256 feePerGas
    ) internal pure virtual returns (uint256);

    /// @dev The field as the parser reads it: without what an EntryPoint wants behind the signature.
    function _withoutSuffix(bytes calldata paymasterAndData) internal pure virtual returns (bytes calldata) {
        return paymasterAndData;
    }

    /// @dev Refuses a signature that the EntryPoint would look for elsewhere.
    function _requireSignature(bytes calldata sent, bytes calldata signature) internal pure virtual {}

    /// @dev What is recorded of a precharge until `postOp` settles it: the prefund with its markup. The stranded part is
    ///      the rest.
    function _recordedOf(uint256 prechargeWei, uint256 strandedWei) private pure returns (uint256) {
        unchecked {
            return prechargeWei - strandedWei;
        }
    }

    /// @dev All that is signed but token mode's terms, which `_parseTokenTerms` reads.
    function _read(
        PackedUserOperation calldata userOp
    )
        private
        view
        returns (uint256[MEMBERS] memory signed, bytes calldata tokenFields, bytes calldata signature)
    {
        bytes calldata paymasterAndData = _withoutSuffix(userOp.paymasterAndData);
        tokenFields = _parseTerms(signed, paymasterAndData, _PREFIX_LENGTH);
        signature = _signatureOf(paymasterAndData, tokenFields);
        SignedOperationPacked.write(signed, address(entryPoint()), userOp, paymasterAndData);
    }

    /// @inheritdoc Refusals
    function _revert(bytes32, bytes memory encodedError) internal pure override {
        assembly ("memory-safe") {
            revert(add(encodedError, 32), mload(encodedError))
        }
    }
}
