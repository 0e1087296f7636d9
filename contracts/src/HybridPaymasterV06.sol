// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {IPaymaster} from "@account-abstraction/contracts-v06/interfaces/IPaymaster.sol";
import {UserOperation} from "@account-abstraction/contracts-v06/interfaces/UserOperation.sol";
import {IStakeManager} from "@account-abstraction/contracts-v07/interfaces/IStakeManager.sol";
import {IHybridPaymaster} from "./interfaces/IHybridPaymaster.sol";
import {IHybridPaymasterV06} from "./interfaces/IHybridPaymasterV06.sol";
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
 * @custom:security-contact See SECURITY.md in the repository of this source.
 */
contract HybridPaymasterV06 is IHybridPaymasterV06, TokenMode, StringRefusals {
    /// @inheritdoc IHybridPaymasterV06
    /// @dev Above what `test_postOp_fitsTheLeastLimit` of test/GasConstants.t.sol measures, and a tenth.
    uint256 public constant MIN_VERIFICATION_GAS = 25_000;
    /// @inheritdoc IHybridPaymaster
    /// @dev What `test_unaccountedGas_coversWhatComesAfterTheMeasure` of test/GasConstants.t.sol measures, and a tenth.
    uint256 public constant MIN_UNACCOUNTED_GAS = 8_000;

    uint256 private constant _PREFIX_LENGTH = 20;

    bytes32 private constant _SPONSORED_USER_OPERATION_TYPEHASH =
        keccak256(
            "SponsoredUserOperation(address entryPoint,uint8 mode,address sender,address delegate,uint256 nonce,bytes initCode,bytes callData,uint256 callGasLimit,uint256 verificationGasLimit,uint256 preVerificationGas,uint256 maxFeePerGas,uint256 maxPriorityFeePerGas,uint48 validUntil,uint48 validAfter,address fundingWallet,uint32 feeMarkup,uint32 unaccountedGas)"
        );
    bytes32 private constant _TOKEN_PAID_USER_OPERATION_TYPEHASH =
        keccak256(
            "TokenPaidUserOperation(address entryPoint,uint8 mode,address sender,address delegate,uint256 nonce,bytes initCode,bytes callData,uint256 callGasLimit,uint256 verificationGasLimit,uint256 preVerificationGas,uint256 maxFeePerGas,uint256 maxPriorityFeePerGas,uint48 validUntil,uint48 validAfter,address fundingWallet,uint32 feeMarkup,uint32 unaccountedGas,uint8 way,address token,uint192 exchangeRate,uint32 premium,address feeReceiver,uint192 maxTokenCharge,bytes permit)"
        );

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
        (PaymasterData memory data, bytes calldata fields) = _parse(userOp.paymasterAndData, _PREFIX_LENGTH);
        _requireGas(data, userOp.verificationGasLimit, MIN_VERIFICATION_GAS, MIN_UNACCOUNTED_GAS);
        validationData = _validationData(
            data,
            _signatureOf(userOp.paymasterAndData, fields),
            _structHash(userOp, data, fields)
        );
        (uint256 prechargeWei, uint256 strandedWei) = _precharge(data, userOpHash, maxCost, userOp.maxFeePerGas);
        context = _encodeContext(
            userOpHash,
            userOp.sender,
            _billing(userOp.maxFeePerGas, userOp.maxPriorityFeePerGas),
            data,
            prechargeWei,
            strandedWei
        );
        if (data.mode == MODE_TOKEN) {
            bytes memory payment;
            (payment, validationData) = _takePayment(userOp.sender, prechargeWei, fields, validationData);
            context = bytes.concat(context, payment);
        }
    }

    /// @inheritdoc IPaymaster
    function postOp(PostOpMode mode, bytes calldata context, uint256 actualGasCost) external override onlyEntryPoint {
        (Precharge memory precharge, uint256 billing) = _decodeContext(context);
        // A reverted operation costs the wallet the same, whatever the mode.
        uint256 chargedWei = _settle(precharge, actualGasCost + precharge.unaccountedGas * _feePerGas(billing));
        if (context.length == _SPONSORED_CONTEXT_LENGTH) return;

        TokenPayment memory payment = _decodePayment(context);
        _settlePayment(precharge, payment, chargedWei, CallsEnding(uint8(mode)));
    }

    /// @inheritdoc IHybridPaymasterV06
    function getDigest(UserOperation calldata userOp) external view returns (bytes32) {
        (PaymasterData memory data, bytes calldata fields) = _parse(userOp.paymasterAndData, _PREFIX_LENGTH);
        return _hashTypedDataV4(_structHash(userOp, data, fields));
    }

    /// @inheritdoc IHybridPaymaster
    /// @dev This EntryPoint does not look whether enough gas is left for `postOp`.
    function TOKEN_POST_OP_MARGIN() public pure override(IHybridPaymaster, TokenMode) returns (uint256) {
        return 20_000;
    }

    /// @dev The EntryPoint's price per gas, equal fees being its legacy case.
    function _feePerGas(uint256 billing) private view returns (uint256) {
        (uint256 maxFeePerGas, uint256 maxPriorityFeePerGas) = _billingParts(billing);
        if (maxFeePerGas == maxPriorityFeePerGas) return maxFeePerGas;
        return _min(maxFeePerGas, maxPriorityFeePerGas + block.basefee);
    }

    function _structHash(
        UserOperation calldata userOp,
        PaymasterData memory data,
        bytes calldata fields
    ) private view returns (bytes32) {
        uint256[_MEMBERS] memory members;
        address sender = userOp.sender;
        members[0] = uint256(_SPONSORED_USER_OPERATION_TYPEHASH);
        members[1] = uint160(address(entryPoint()));
        members[2] = data.mode;
        members[3] = uint160(sender);
        members[4] = uint160(_delegateOf(sender));
        members[5] = userOp.nonce;
        members[6] = uint256(_hash(userOp.initCode));
        members[7] = uint256(_hash(userOp.callData));
        members[8] = userOp.callGasLimit;
        members[9] = userOp.verificationGasLimit;
        members[10] = userOp.preVerificationGas;
        members[11] = userOp.maxFeePerGas;
        members[12] = userOp.maxPriorityFeePerGas;
        members[13] = data.validUntil;
        members[14] = data.validAfter;
        members[15] = uint160(data.fundingWallet);
        members[16] = data.feeMarkup;
        members[17] = data.unaccountedGas;
        return _hashMembers(members, data.mode, fields, _TOKEN_PAID_USER_OPERATION_TYPEHASH);
    }
}
