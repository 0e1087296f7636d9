// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {IPaymaster} from "@account-abstraction/contracts-v06/interfaces/IPaymaster.sol";
import {UserOperation} from "@account-abstraction/contracts-v06/interfaces/UserOperation.sol";
import {IStakeManager} from "@account-abstraction/contracts-v07/interfaces/IStakeManager.sol";
import {HybridPaymasterCore} from "./core/HybridPaymasterCore.sol";
import {StringRefusals} from "./core/StringRefusals.sol";
import {TokenMode} from "./core/TokenMode.sol";

/**
 * @title HybridPaymasterV06
 * @notice The paymaster for EntryPoint v0.6.
 * @dev This EntryPoint has no unused-gas penalty. `verificationGasLimit` also limits `postOp`, so its lower bound
 *      stands in for the postOp limit of later versions: a `postOp` out of gas here reverts the whole bundle. The
 *      EntryPoint doesn't say its price per gas to `postOp`; it is worked out the same way from the signed fees and
 *      the base fee (the bundler's `tx.gasprice` is the bundler's to choose). When the first `postOp` is undone, the
 *      second call finds the ledger as validation left it and settles in the same way; it must not revert, so what a
 *      sender can't pay there becomes a `TokenPaymentDue`.
 */
contract HybridPaymasterV06 is TokenMode, StringRefusals, IPaymaster {
    /// @notice Least `verificationGasLimit`: it also limits `postOp`, which must never run out of gas.
    uint256 public constant MIN_VERIFICATION_GAS = 40_000;
    /// @notice Least `unaccountedGas`: settlement and the EntryPoint's tail, measured, with a margin.
    uint256 public constant MIN_UNACCOUNTED_GAS = 15_000;

    uint256 private constant _PREFIX_LENGTH = 20;
    /// @dev A precharge and the fees; a token payment follows in token mode.
    uint256 private constant _COMMON_CONTEXT_LENGTH = 9 * 32;

    bytes32 private constant _SPONSORED_USER_OPERATION_TYPEHASH =
        keccak256(
            "SponsoredUserOperation(address entryPoint,uint8 mode,address sender,address delegate,uint256 nonce,bytes initCode,bytes callData,uint256 callGasLimit,uint256 verificationGasLimit,uint256 preVerificationGas,uint256 maxFeePerGas,uint256 maxPriorityFeePerGas,uint48 validUntil,uint48 validAfter,address fundingWallet,uint32 feeMarkup,uint32 unaccountedGas)"
        );
    bytes32 private constant _TOKEN_PAID_USER_OPERATION_TYPEHASH =
        keccak256(
            "TokenPaidUserOperation(address entryPoint,uint8 mode,address sender,address delegate,uint256 nonce,bytes initCode,bytes callData,uint256 callGasLimit,uint256 verificationGasLimit,uint256 preVerificationGas,uint256 maxFeePerGas,uint256 maxPriorityFeePerGas,uint48 validUntil,uint48 validAfter,address fundingWallet,uint32 feeMarkup,uint32 unaccountedGas,uint8 way,address token,uint192 exchangeRate,uint32 premium,address feeReceiver,uint192 maxTokenCharge,bytes permit)"
        );

    struct Fees {
        /// @dev The operation's highest price per gas.
        uint256 maxFeePerGas;
        /// @dev The operation's tip per gas; equal to the price on chains without a base fee.
        uint256 maxPriorityFeePerGas;
    }

    constructor(
        IStakeManager entryPoint_,
        address owner_,
        address[] memory signers_,
        uint256 withdrawalDelaySeconds_
    ) HybridPaymasterCore(entryPoint_, owner_, signers_, withdrawalDelaySeconds_) {}

    /// @inheritdoc IPaymaster
    function validatePaymasterUserOp(
        UserOperation calldata userOp,
        bytes32 userOpHash,
        uint256 maxCost
    ) external override onlyEntryPoint returns (bytes memory context, uint256 validationData) {
        (PaymasterData memory data, TokenTerms memory terms) = _parseBothModes(userOp.paymasterAndData, _PREFIX_LENGTH);
        _requireGas(data, userOp.verificationGasLimit, MIN_VERIFICATION_GAS, MIN_UNACCOUNTED_GAS);
        Precharge memory precharge;
        (precharge, validationData) = _precharge(
            data,
            _structHash(userOp, data, terms),
            userOpHash,
            userOp.sender,
            maxCost,
            userOp.maxFeePerGas
        );
        context = abi.encode(precharge, Fees(userOp.maxFeePerGas, userOp.maxPriorityFeePerGas));
        if (data.mode == MODE_TOKEN) {
            (TokenPayment memory payment, bool covered) = _takePayment(precharge, terms, userOp.paymasterAndData);
            if (!covered) validationData |= _SIG_FAILED;
            context = bytes.concat(context, abi.encode(payment));
        }
    }

    /// @inheritdoc IPaymaster
    function postOp(PostOpMode mode, bytes calldata context, uint256 actualGasCost) external override onlyEntryPoint {
        (Precharge memory precharge, Fees memory fees) = abi.decode(context, (Precharge, Fees));
        // A reverted operation costs the wallet the same, whatever the mode.
        uint256 chargedWei = _settle(precharge, actualGasCost + precharge.unaccountedGas * _feePerGas(fees));
        if (context.length == _COMMON_CONTEXT_LENGTH) return;

        TokenPayment memory payment = abi.decode(context[_COMMON_CONTEXT_LENGTH:], (TokenPayment));
        _settlePayment(precharge, payment, chargedWei, CallsEnding(uint8(mode)));
    }

    /// @notice The digest a signer signs. Reverts where the paymaster data is malformed.
    function getDigest(UserOperation calldata userOp) external view returns (bytes32) {
        (PaymasterData memory data, TokenTerms memory terms) = _parseBothModes(userOp.paymasterAndData, _PREFIX_LENGTH);
        return _hashTypedDataV4(_structHash(userOp, data, terms));
    }

    /// @dev The EntryPoint's price per gas, equal fees being its legacy case.
    function _feePerGas(Fees memory fees) private view returns (uint256) {
        if (fees.maxFeePerGas == fees.maxPriorityFeePerGas) return fees.maxFeePerGas;
        return _min(fees.maxFeePerGas, fees.maxPriorityFeePerGas + block.basefee);
    }

    function _structHash(
        UserOperation calldata userOp,
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
            keccak256(userOp.initCode),
            keccak256(userOp.callData),
            userOp.callGasLimit,
            userOp.verificationGasLimit,
            userOp.preVerificationGas
        );
        bytes memory sponsorship = abi.encode(
            userOp.maxFeePerGas,
            userOp.maxPriorityFeePerGas,
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
