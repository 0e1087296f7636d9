// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {IPaymaster} from "@account-abstraction/contracts-v07/interfaces/IPaymaster.sol";
import {PackedUserOperation} from "@account-abstraction/contracts-v07/interfaces/PackedUserOperation.sol";
import {IHybridPaymaster} from "../interfaces/IHybridPaymaster.sol";
import {IPackedHybridPaymaster} from "../interfaces/IPackedHybridPaymaster.sol";
import {NamedRefusals} from "./NamedRefusals.sol";
import {TokenMode} from "./TokenMode.sol";
import {UnsettledPrecharges} from "./UnsettledPrecharges.sol";

/**
 * @title PackedHybridPaymaster
 * @notice What EntryPoint v0.7, v0.8 and v0.9 share: the packed operation, its digest and the `postOp` signature. What
 *         the EntryPoint takes after `postOp` differs, so each version supplies its own cost.
 */
abstract contract PackedHybridPaymaster is TokenMode, UnsettledPrecharges, NamedRefusals {
    /// @inheritdoc IPackedHybridPaymaster
    /// @dev What `test_postOp_fitsTheLeastLimit` of test/GasConstants.t.sol measures, a tenth, and 10,000 that the
    ///      EntryPoint sets aside for itself.
    uint256 public constant MIN_POST_OP_GAS = 22_000;
    /// @inheritdoc IHybridPaymaster
    /// @dev What `test_unaccountedGas_coversWhatComesAfterTheMeasure` of test/GasConstants.t.sol measures, and a tenth.
    uint256 public constant MIN_UNACCOUNTED_GAS = 8_000;

    /// @dev paymaster (20), paymasterVerificationGasLimit (16), paymasterPostOpGasLimit (16).
    uint256 private constant _PREFIX_LENGTH = 52;
    /// @dev Gas limits in the prefix, and their size.
    uint256 private constant _VERIFICATION_GAS_LIMIT_AT = 20;
    uint256 private constant _POST_OP_GAS_LIMIT_AT = 36;
    uint256 private constant _GAS_LIMIT_LENGTH = 16;

    bytes32 private constant _SPONSORED_USER_OPERATION_TYPEHASH =
        keccak256(
            "SponsoredUserOperation(address entryPoint,uint8 mode,address sender,address delegate,uint256 nonce,bytes initCode,bytes callData,bytes32 accountGasLimits,uint256 preVerificationGas,bytes32 gasFees,uint128 paymasterVerificationGasLimit,uint128 paymasterPostOpGasLimit,uint48 validUntil,uint48 validAfter,address fundingWallet,uint32 feeMarkup,uint32 unaccountedGas)"
        );
    bytes32 private constant _TOKEN_PAID_USER_OPERATION_TYPEHASH =
        keccak256(
            "TokenPaidUserOperation(address entryPoint,uint8 mode,address sender,address delegate,uint256 nonce,bytes initCode,bytes callData,bytes32 accountGasLimits,uint256 preVerificationGas,bytes32 gasFees,uint128 paymasterVerificationGasLimit,uint128 paymasterPostOpGasLimit,uint48 validUntil,uint48 validAfter,address fundingWallet,uint32 feeMarkup,uint32 unaccountedGas,uint8 way,address token,uint192 exchangeRate,uint32 premium,address feeReceiver,uint192 maxTokenCharge,bytes permit)"
        );

    /// @inheritdoc IPaymaster
    function validatePaymasterUserOp(
        PackedUserOperation calldata userOp,
        bytes32 userOpHash,
        uint256 maxCost
    ) external override onlyEntryPoint returns (bytes memory context, uint256 validationData) {
        bytes calldata paymasterAndData = _withoutSuffix(userOp.paymasterAndData);
        (PaymasterData memory data, bytes calldata fields) = _parse(paymasterAndData, _PREFIX_LENGTH);
        {
            bytes calldata signature = _signatureOf(paymasterAndData, fields);
            _requireSignature(userOp.paymasterAndData, signature);
            _requireGas(
                data,
                _uintAt(paymasterAndData, _POST_OP_GAS_LIMIT_AT, _GAS_LIMIT_LENGTH),
                MIN_POST_OP_GAS,
                MIN_UNACCOUNTED_GAS
            );
            bytes32 structHash = _structHash(userOp, paymasterAndData, data, fields);
            validationData = _validationData(data, signature, structHash);
        }
        (uint256 prechargeWei, uint256 strandedWei) = _precharge(
            data,
            userOpHash,
            maxCost,
            uint128(uint256(userOp.gasFees))
        );
        context = _encodeContext(
            userOpHash,
            userOp.sender,
            _billingOf(userOp, paymasterAndData),
            data,
            prechargeWei,
            strandedWei
        );
        if (data.mode == MODE_TOKEN) {
            bytes memory payment;
            (payment, validationData) = _takePayment(userOp.sender, prechargeWei, fields, validationData);
            if (_wayOf(fields) == WAY_BATCH_APPROVAL) _recordUnsettled(data.fundingWallet, prechargeWei - strandedWei);
            context = bytes.concat(context, payment);
        }
    }

    /// @inheritdoc IPaymaster
    function postOp(
        PostOpMode mode,
        bytes calldata context,
        uint256 actualGasCost,
        uint256 actualUserOpFeePerGas
    ) external override onlyEntryPoint {
        (Precharge memory precharge, uint256 billing) = _decodeContext(context);
        // A reverted operation costs the wallet the same, whatever the mode.
        uint256 chargedWei = _settle(
            precharge,
            _cost(precharge.unaccountedGas, billing, actualGasCost, actualUserOpFeePerGas)
        );
        if (context.length == _SPONSORED_CONTEXT_LENGTH) return;

        TokenPayment memory payment = _decodePayment(context);
        if (payment.way == WAY_BATCH_APPROVAL) _clearUnsettled(precharge.fundingWallet, _unsettled(precharge));
        _settlePayment(precharge, payment, chargedWei, CallsEnding(uint8(mode)));
    }

    /// @inheritdoc IPackedHybridPaymaster
    function getDigest(PackedUserOperation calldata userOp) external view returns (bytes32) {
        bytes calldata paymasterAndData = _withoutSuffix(userOp.paymasterAndData);
        (PaymasterData memory data, bytes calldata fields) = _parse(paymasterAndData, _PREFIX_LENGTH);
        return _hashTypedDataV4(_structHash(userOp, paymasterAndData, data, fields));
    }

    /// @inheritdoc IHybridPaymaster
    /// @dev These EntryPoints see to it that `postOp` gets its limit; what they fall short of it is little.
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
    function _billingOf(
        uint256 preOperationGas,
        uint256 callGasLimit,
        uint256 postOpGasLimit
    ) internal pure virtual returns (uint256);

    function _billingOf(
        PackedUserOperation calldata userOp,
        bytes calldata paymasterAndData
    ) private pure returns (uint256) {
        uint256 accountGasLimits = uint256(userOp.accountGasLimits);
        // The EntryPoint takes no limit above 120 bits.
        unchecked {
            return
                _billingOf(
                    userOp.preVerificationGas +
                        (accountGasLimits >> 128) +
                        _uintAt(paymasterAndData, _VERIFICATION_GAS_LIMIT_AT, _GAS_LIMIT_LENGTH),
                    uint128(accountGasLimits),
                    _uintAt(paymasterAndData, _POST_OP_GAS_LIMIT_AT, _GAS_LIMIT_LENGTH)
                );
        }
    }

    /**
     * @dev Upper bound on what the EntryPoint takes for the operation, wei.
     * @param unaccountedGas The signed bound on gas spent after `actualGasCost` was measured.
     * @param billing What `_billingOf` answered.
     * @param actualGasCost What the EntryPoint measured before `postOp`, wei.
     * @param feePerGas The price per gas the EntryPoint applies.
     */
    function _cost(
        uint256 unaccountedGas,
        uint256 billing,
        uint256 actualGasCost,
        uint256 feePerGas
    ) internal pure virtual returns (uint256);

    /// @dev The field as the parser reads it: without what an EntryPoint wants behind the signature.
    function _withoutSuffix(bytes calldata paymasterAndData) internal pure virtual returns (bytes calldata) {
        return paymasterAndData;
    }

    /// @dev Refuses a signature that the EntryPoint would look for elsewhere.
    function _requireSignature(bytes calldata sent, bytes calldata signature) internal pure virtual {}

    /// @dev EntryPoint v0.8 takes the EIP-7702 marker with and without its zeros, and bundlers send either for the same
    ///      operation: what is shorter than an address counts as padded. Other EntryPoints refuse it.
    function _initCodeHash(bytes calldata initCode) private pure returns (bytes32) {
        if (initCode.length == 0 || initCode.length >= 20) return _hash(initCode);
        return keccak256(abi.encodePacked(bytes20(initCode)));
    }

    /// @dev What of a precharge is certainly the EntryPoint's or, when `postOp` reverted, the wallet's: all but the
    ///      stranded part.
    function _unsettled(Precharge memory precharge) private pure returns (uint256) {
        return precharge.prechargeWei - precharge.strandedWei;
    }

    function _structHash(
        PackedUserOperation calldata userOp,
        bytes calldata paymasterAndData,
        PaymasterData memory data,
        bytes calldata fields
    ) private view returns (bytes32) {
        uint256[_MEMBERS] memory members;
        members[0] = uint256(_SPONSORED_USER_OPERATION_TYPEHASH);
        members[1] = uint160(address(entryPoint()));
        members[2] = data.mode;
        address sender = userOp.sender;
        members[3] = uint160(sender);
        members[4] = uint160(_delegateOf(sender));
        members[5] = userOp.nonce;
        members[6] = uint256(_initCodeHash(userOp.initCode));
        members[7] = uint256(_hash(userOp.callData));
        members[8] = uint256(userOp.accountGasLimits);
        members[9] = userOp.preVerificationGas;
        members[10] = uint256(userOp.gasFees);
        members[11] = _uintAt(paymasterAndData, _VERIFICATION_GAS_LIMIT_AT, _GAS_LIMIT_LENGTH);
        members[12] = _uintAt(paymasterAndData, _POST_OP_GAS_LIMIT_AT, _GAS_LIMIT_LENGTH);
        members[13] = data.validUntil;
        members[14] = data.validAfter;
        members[15] = uint160(data.fundingWallet);
        members[16] = data.feeMarkup;
        members[17] = data.unaccountedGas;
        return _hashMembers(members, data.mode, fields, _TOKEN_PAID_USER_OPERATION_TYPEHASH);
    }
}
