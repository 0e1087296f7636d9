// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {IPaymaster} from "@account-abstraction/contracts-v06/interfaces/IPaymaster.sol";
import {UserOperation} from "@account-abstraction/contracts-v06/interfaces/UserOperation.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {IStakeManager} from "@account-abstraction/contracts-v07/interfaces/IStakeManager.sol";
import {IHybridPaymaster} from "./interfaces/IHybridPaymaster.sol";
import {IHybridPaymasterV06} from "./interfaces/IHybridPaymasterV06.sol";
import {HybridPaymasterCore} from "./core/HybridPaymasterCore.sol";
import {Refusals} from "./core/Refusals.sol";
import {TokenMode} from "./core/TokenMode.sol";
import {PaymentContext} from "./layouts/PaymentContext.sol";
import {MEMBERS, SignedOperation} from "./layouts/SignedOperation.sol";
import {SignedOperationV06} from "./layouts/SignedOperationV06.sol";
import {Precharge, SponsoredContext} from "./layouts/SponsoredContext.sol";
import {VersionTerms, VersionTermsOf} from "./layouts/VersionTerms.sol";

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
contract HybridPaymasterV06 is IHybridPaymasterV06, TokenMode {
    using SignedOperation for uint256[MEMBERS];

    /// @inheritdoc IHybridPaymasterV06
    /// @dev `test_postOp_fitsTheLeastLimit` of test/GasConstants.t.sol asks for less. The margin is for two `postOp` in one
    ///      limit, which `test_leastVerificationGas_lastsForSettlement` plays.
    uint256 public constant MIN_VERIFICATION_GAS = 23_950;
    /// @inheritdoc IHybridPaymaster
    /// @dev `test_unaccountedGas_coversWhatComesAfterTheMeasure` of test/GasConstants.t.sol asks for what it measures, and
    ///      a tenth.
    uint256 public constant MIN_UNACCOUNTED_GAS = 7_150;

    /// @dev paymaster (20).
    uint256 private constant _PREFIX_LENGTH = 20;

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
        (uint256[MEMBERS] memory signed, bytes calldata tokenFields) = _read(userOp);
        _parseTokenTerms(signed, tokenFields);
        _requireGas(signed, userOp.verificationGasLimit, MIN_VERIFICATION_GAS, MIN_UNACCOUNTED_GAS);
        validationData = _validationData(signed, _signatureOf(userOp.paymasterAndData, tokenFields));
        (uint256 prechargeWei, uint256 strandedWei) = _precharge(signed, userOpHash, maxCost, userOp.maxFeePerGas);
        _requireGasInRange(userOp.maxFeePerGas | userOp.maxPriorityFeePerGas);
        VersionTerms fees = VersionTermsOf.v06(userOp.maxFeePerGas, userOp.maxPriorityFeePerGas);
        context = SponsoredContext.encode(userOpHash, signed, fees, prechargeWei, strandedWei);
        if (signed.isTokenPaid()) {
            (uint256 most, bool isCovered) = _takePayment(signed, tokenFields, prechargeWei);
            if (!isCovered) validationData |= _SIG_FAILED;
            context = bytes.concat(context, PaymentContext.encode(signed, most));
        }
    }

    /// @inheritdoc IPaymaster
    function postOp(PostOpMode mode, bytes calldata context, uint256 actualGasCost) external override onlyEntryPoint {
        (Precharge memory precharge, VersionTerms fees) = SponsoredContext.decode(context);
        // A reverted operation costs the wallet the same, whatever the mode.
        uint256 chargedWei = _settle(precharge, actualGasCost + precharge.unaccountedGas * _feePerGas(fees));
        if (context.length == SponsoredContext.LENGTH) return;

        _settlePayment(precharge, PaymentContext.decode(context), chargedWei, CallsEnding(uint8(mode)));
    }

    /// @inheritdoc IHybridPaymasterV06
    function getDigest(UserOperation calldata userOp) external view returns (bytes32) {
        (uint256[MEMBERS] memory signed, bytes calldata tokenFields) = _read(userOp);
        _parseTokenTerms(signed, tokenFields);
        return _hashTypedDataV4(signed.structHash());
    }

    /// @inheritdoc IHybridPaymaster
    /// @dev This EntryPoint does not look whether enough gas is left for `postOp`.
    function TOKEN_POST_OP_MARGIN() public pure override(IHybridPaymaster, TokenMode) returns (uint256) {
        return 20_000;
    }

    /// @dev The EntryPoint's price per gas, equal fees being its legacy case.
    function _feePerGas(VersionTerms fees) private view returns (uint256) {
        (uint256 maxFeePerGas, uint256 maxPriorityFeePerGas) = fees.asV06();
        if (maxFeePerGas == maxPriorityFeePerGas) return maxFeePerGas;
        return _min(maxFeePerGas, maxPriorityFeePerGas + block.basefee);
    }

    /// @dev All that is signed but token mode's terms, which `_parseTokenTerms` reads.
    function _read(
        UserOperation calldata userOp
    ) private view returns (uint256[MEMBERS] memory signed, bytes calldata tokenFields) {
        tokenFields = _parseTerms(signed, userOp.paymasterAndData, _PREFIX_LENGTH);
        SignedOperationV06.write(signed, address(entryPoint()), userOp);
    }

    /// @inheritdoc Refusals
    /// @dev EntryPoint v0.6 shows `AA33 reverted: <string>` and drops everything else. An `Error(string)` has at least the
    ///      32 bytes of revert data without which a reverting `postOp` takes the whole bundle with it.
    function _revert(bytes32 short, bytes memory) internal pure override {
        bytes memory text = bytes.concat(short);
        // The lowest bit that is set says where the text ends.
        uint256 length = 32 - Math.log256(uint256(short) & (~uint256(short) + 1));
        assembly ("memory-safe") {
            mstore(text, length)
        }
        revert(string(text));
    }
}
