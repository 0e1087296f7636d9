// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {IPaymaster} from "@account-abstraction/contracts-v07/interfaces/IPaymaster.sol";
import {PackedUserOperation} from "@account-abstraction/contracts-v07/interfaces/PackedUserOperation.sol";
import {NamedRefusals} from "./NamedRefusals.sol";
import {TokenMode} from "./TokenMode.sol";
import {UnsettledPrecharges} from "./UnsettledPrecharges.sol";

/**
 * @title PackedHybridPaymaster
 * @notice What EntryPoint v0.7, v0.8 and v0.9 share: the packed operation, its digest and the `postOp` signature. What
 *         the EntryPoint takes after `postOp` differs, so each version supplies its own cost.
 */
abstract contract PackedHybridPaymaster is TokenMode, UnsettledPrecharges, NamedRefusals, IPaymaster {
    /// @notice Least `paymasterPostOpGasLimit`: settlement must never run out of gas, or the user's call is undone.
    uint256 public constant MIN_POST_OP_GAS = 30_000;
    /// @notice Least `unaccountedGas`: settlement and the EntryPoint's tail, measured, with a margin.
    uint256 public constant MIN_UNACCOUNTED_GAS = 15_000;

    /// @dev paymaster (20), paymasterVerificationGasLimit (16), paymasterPostOpGasLimit (16).
    uint256 private constant _PREFIX_LENGTH = 52;
    /// @dev A precharge and the gas limits; a token payment follows in token mode.
    uint256 private constant _COMMON_CONTEXT_LENGTH = 10 * 32;

    bytes32 private constant _SPONSORED_USER_OPERATION_TYPEHASH =
        keccak256(
            "SponsoredUserOperation(address entryPoint,uint8 mode,address sender,address delegate,uint256 nonce,bytes initCode,bytes callData,bytes32 accountGasLimits,uint256 preVerificationGas,bytes32 gasFees,uint128 paymasterVerificationGasLimit,uint128 paymasterPostOpGasLimit,uint48 validUntil,uint48 validAfter,address fundingWallet,uint32 feeMarkup,uint32 unaccountedGas)"
        );
    bytes32 private constant _TOKEN_PAID_USER_OPERATION_TYPEHASH =
        keccak256(
            "TokenPaidUserOperation(address entryPoint,uint8 mode,address sender,address delegate,uint256 nonce,bytes initCode,bytes callData,bytes32 accountGasLimits,uint256 preVerificationGas,bytes32 gasFees,uint128 paymasterVerificationGasLimit,uint128 paymasterPostOpGasLimit,uint48 validUntil,uint48 validAfter,address fundingWallet,uint32 feeMarkup,uint32 unaccountedGas,uint8 way,address token,uint192 exchangeRate,uint32 premium,address feeReceiver,uint192 maxTokenCharge,bytes permit)"
        );

    struct GasLimits {
        /// @dev Limit of the user's call.
        uint256 callGasLimit;
        /// @dev Limit of `postOp`.
        uint256 paymasterPostOpGasLimit;
        /// @dev preVerificationGas and both verification limits: the most that is spent before the user's call.
        uint256 preOperationGas;
    }

    /// @inheritdoc IPaymaster
    function validatePaymasterUserOp(
        PackedUserOperation calldata userOp,
        bytes32 userOpHash,
        uint256 maxCost
    ) external override onlyEntryPoint returns (bytes memory context, uint256 validationData) {
        (PaymasterData memory data, TokenTerms memory terms) = _parseBothModes(
            _withoutSuffix(userOp.paymasterAndData),
            _PREFIX_LENGTH
        );
        GasLimits memory gasLimits = _gasLimits(userOp);
        _requireGas(data, gasLimits.paymasterPostOpGasLimit, MIN_POST_OP_GAS, MIN_UNACCOUNTED_GAS);
        Precharge memory precharge;
        (precharge, validationData) = _precharge(
            data,
            _structHash(userOp, data, terms),
            userOpHash,
            userOp.sender,
            maxCost,
            uint128(uint256(userOp.gasFees))
        );
        context = abi.encode(precharge, gasLimits);
        if (data.mode == MODE_TOKEN) {
            (TokenPayment memory payment, bool covered) = _takePayment(
                precharge,
                terms,
                _withoutSuffix(userOp.paymasterAndData)
            );
            if (!covered) validationData |= _SIG_FAILED;
            if (terms.way == WAY_BATCH_APPROVAL) _recordUnsettled(precharge.fundingWallet, _unsettled(precharge));
            context = bytes.concat(context, abi.encode(payment));
        }
    }

    /// @inheritdoc IPaymaster
    function postOp(
        PostOpMode mode,
        bytes calldata context,
        uint256 actualGasCost,
        uint256 actualUserOpFeePerGas
    ) external override onlyEntryPoint {
        (Precharge memory precharge, GasLimits memory gasLimits) = abi.decode(context, (Precharge, GasLimits));
        // A reverted operation costs the wallet the same, whatever the mode.
        uint256 chargedWei = _settle(
            precharge,
            _cost(precharge.unaccountedGas, gasLimits, actualGasCost, actualUserOpFeePerGas)
        );
        if (context.length == _COMMON_CONTEXT_LENGTH) return;

        TokenPayment memory payment = abi.decode(context[_COMMON_CONTEXT_LENGTH:], (TokenPayment));
        if (payment.way == WAY_BATCH_APPROVAL) _clearUnsettled(precharge.fundingWallet, _unsettled(precharge));
        _settlePayment(precharge, payment, chargedWei, CallsEnding(uint8(mode)));
    }

    /// @notice The digest a signer signs. Reverts where the paymaster data is malformed.
    function getDigest(PackedUserOperation calldata userOp) external view returns (bytes32) {
        (PaymasterData memory data, TokenTerms memory terms) = _parseBothModes(
            _withoutSuffix(userOp.paymasterAndData),
            _PREFIX_LENGTH
        );
        return _hashTypedDataV4(_structHash(userOp, data, terms));
    }

    /**
     * @dev Upper bound on what the EntryPoint takes for the operation, wei.
     * @param unaccountedGas The signed bound on gas spent after `actualGasCost` was measured.
     * @param gasLimits The operation's limits, for the unused-gas penalty.
     * @param actualGasCost What the EntryPoint measured before `postOp`, wei.
     * @param feePerGas The price per gas the EntryPoint applies.
     */
    function _cost(
        uint256 unaccountedGas,
        GasLimits memory gasLimits,
        uint256 actualGasCost,
        uint256 feePerGas
    ) internal pure virtual returns (uint256);

    /// @dev The field as the parser reads it: without what an EntryPoint wants behind the signature.
    function _withoutSuffix(bytes calldata paymasterAndData) internal pure virtual returns (bytes calldata) {
        return paymasterAndData;
    }

    /// @dev EntryPoint v0.8 takes the EIP-7702 marker with and without its zeros, and bundlers send either for the same
    ///      operation: what is shorter than an address counts as padded. Other EntryPoints refuse it.
    function _initCodeHash(bytes calldata initCode) private pure returns (bytes32) {
        if (initCode.length == 0 || initCode.length >= 20) return keccak256(initCode);
        return keccak256(abi.encodePacked(bytes20(initCode)));
    }

    function _gasLimits(PackedUserOperation calldata userOp) private pure returns (GasLimits memory gasLimits) {
        uint256 accountGasLimits = uint256(userOp.accountGasLimits);
        gasLimits.callGasLimit = uint128(accountGasLimits);
        gasLimits.paymasterPostOpGasLimit = uint128(bytes16(userOp.paymasterAndData[36:52]));
        gasLimits.preOperationGas =
            userOp.preVerificationGas +
            (accountGasLimits >> 128) +
            uint128(bytes16(userOp.paymasterAndData[20:36]));
    }

    /// @dev What of a precharge is certainly the EntryPoint's or, when `postOp` reverted, the wallet's: all but the
    ///      stranded part.
    function _unsettled(Precharge memory precharge) private pure returns (uint256) {
        return precharge.prechargeWei - precharge.strandedWei;
    }

    function _structHash(
        PackedUserOperation calldata userOp,
        PaymasterData memory data,
        TokenTerms memory terms
    ) private view returns (bytes32) {
        // In parts, because one `abi.encode` of all members is too deep for the stack.
        bytes memory operation = abi.encode(
            data.mode == MODE_TOKEN ? _TOKEN_PAID_USER_OPERATION_TYPEHASH : _SPONSORED_USER_OPERATION_TYPEHASH,
            entryPoint(),
            data.mode,
            userOp.sender,
            _delegateOf(userOp.sender),
            userOp.nonce,
            _initCodeHash(userOp.initCode),
            keccak256(userOp.callData),
            userOp.accountGasLimits,
            userOp.preVerificationGas,
            userOp.gasFees
        );
        bytes memory sponsorship = abi.encode(
            uint128(bytes16(userOp.paymasterAndData[20:36])),
            uint128(bytes16(userOp.paymasterAndData[36:52])),
            data.validUntil,
            data.validAfter,
            data.fundingWallet,
            data.feeMarkup,
            data.unaccountedGas
        );
        if (data.mode == MODE_SPONSOR) return keccak256(bytes.concat(operation, sponsorship));
        return keccak256(bytes.concat(operation, sponsorship, abi.encode(terms)));
    }
}
