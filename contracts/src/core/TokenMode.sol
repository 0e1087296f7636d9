// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {IHybridPaymaster} from "../interfaces/IHybridPaymaster.sol";
import {IRefusals} from "../interfaces/IRefusals.sol";
import {TokenPayment} from "../layouts/PaymentContext.sol";
import {MEMBERS, SignedOperation} from "../layouts/SignedOperation.sol";
import {Precharge} from "../layouts/SponsoredContext.sol";
import {WayByte} from "../layouts/WayByte.sol";
import {HybridPaymasterCore} from "./HybridPaymasterCore.sol";
import {TokenBalances} from "./TokenBalances.sol";
import {TokenCalls} from "./TokenCalls.sol";

/**
 * @title TokenMode
 * @notice The sender pays the fee receiver in a token for what the funding wallet pays in ether.
 *
 * Money flow. The wallet's ether goes as in sponsorship, in every way and whatever ends how. The sender's tokens:
 *  - allowance, permit: validation pulls the maximum and books it for the fee receiver; `postOp` takes the unused part
 *    off the receiver's balance and sends it back to the sender;
 *  - batch approval: `postOp` moves the charge from the sender to the fee receiver.
 *
 * What each guard answers
 *  - The maximum is pulled before execution: the operation's calls can neither revoke the allowance nor move the
 *    tokens away. Refunds come from tokens held, never from somebody's allowance.
 *  - The rate is signed off-chain: no oracle in validation. Every charge is rounded up, in one division.
 *  - Above the signed maximum the operation is not valid, and no more than it is ever taken. This is SIG_FAILED and
 *    not a revert, because bundlers estimate with limits of their own.
 *  - A permit's failure is ignored (somebody may have used it first); the pull says whether there is an allowance.
 *  - A pull counts by what arrives: a token that keeps a fee is refused, else the sender would pay less than booked.
 *  - The payment is booked in full in validation, so that a `postOp` the EntryPoint undoes leaves it with the receiver,
 *    whose wallet paid the ether.
 *  - In `postOp` one token call with its own gas limit, which the signed `unaccountedGas` pays for; the limit of
 *    `postOp` has a floor, so that the call gets it and settlement does not run out of gas after it.
 *  - A fork may make gas dearer than it was when these constants were measured. The signed `WayByte` raises them all, up
 *    to 4.75 times. Nothing lowers them: their least value is what settlement takes at the gas prices of the Cancun fork.
 *  - A refused refund is kept for the sender, not reverted: the user's calls stay. Where the token left no gas to keep
 *    it, it stays with the receiver. A refused charge of way batch approval after
 *    successful calls reverts, so that they don't stay; after reverted calls, and in v0.6's second `postOp`, there is
 *    nothing left to undo, and the debt becomes an event.
 *  - Reentrancy: `_debit` has marked the transaction before a token is called, so hooks (ERC-777) find withdrawals of
 *    tokens and returns of precharges refused; every debit is written before the call that could ask for it. The
 *    EntryPoint admits no second bundle, so nothing else is pulled while a pull is measured.
 */
abstract contract TokenMode is HybridPaymasterCore, TokenBalances {
    using SignedOperation for uint256[MEMBERS];

    /// @inheritdoc IHybridPaymaster
    /// @dev The dearest end that `test_postOpBase_*` of test/TokenGas.t.sol measures, and a tenth. Signatures raise it by
    ///      quarters.
    uint256 public constant TOKEN_POST_OP_BASE_GAS = 4 * _BASE_GAS_QUARTER;
    uint256 private constant _BASE_GAS_QUARTER = 3_238;

    /// @dev Gas to keep a refused refund for a sender that had no balance: a new slot and the event. With too little,
    ///      `test_postOpBase_coversARefundThatIsBookedForTheSender` of test/TokenGas.t.sol fails.
    uint256 private constant _NEW_BALANCE_GAS = 24_500;
    /// @dev The same for a sender that had a balance before, the look at its slot included
    ///      (`test_postOpBase_coversARefundThatIsBookedForASenderOfBefore`).
    uint256 private constant _OLD_BALANCE_GAS = 7_500;
    /// @dev Unit of the premium times the wei a rate is for.
    uint256 private constant _RATE_UNIT = PREMIUM_UNIT * 1e18;

    /// @dev How the user's calls ended; the order of the EntryPoints' `PostOpMode`.
    enum CallsEnding {
        Succeeded,
        Reverted,
        /// @dev v0.6 only: they succeeded and were undone with the first `postOp`.
        Undone
    }

    /// @inheritdoc IHybridPaymaster
    function TOKEN_POST_OP_MARGIN() public pure virtual returns (uint256);

    /// @inheritdoc IHybridPaymaster
    /// @dev Calls keep 1 part of 64 back, once from the EntryPoint to here and once from here to the token.
    function minTokenPostOpGas(uint256 unaccountedGas) public pure returns (uint256) {
        return unaccountedGas + unaccountedGas / 32 + TOKEN_POST_OP_MARGIN();
    }

    /**
     * @dev Refuses operations whose gas would not last; a lower bound only, because bundlers simulate with large limits.
     * @param signed The signed operation.
     * @param postOpGasLimit What limits `postOp`.
     * @param minPostOpGas Sponsorship's least limit.
     * @param minUnaccountedGas Sponsorship's least `unaccountedGas`.
     */
    function _requireGas(
        uint256[MEMBERS] memory signed,
        uint256 postOpGasLimit,
        uint256 minPostOpGas,
        uint256 minUnaccountedGas
    ) internal pure {
        uint256 unaccountedGas = signed.unaccountedGas();
        if (signed.isTokenPaid()) {
            minUnaccountedGas = _baseGas(signed.wayByte());
            minPostOpGas = minTokenPostOpGas(unaccountedGas);
        }
        if (unaccountedGas < minUnaccountedGas) {
            _refuse(
                "PM unaccounted gas low",
                IRefusals.UnaccountedGasTooLow.selector,
                unaccountedGas,
                minUnaccountedGas
            );
        }
        if (postOpGasLimit < minPostOpGas) {
            _refuse(
                "PM verification gas low",
                IRefusals.PostOpGasLimitTooLow.selector,
                postOpGasLimit,
                minPostOpGas
            );
        }
    }

    /**
     * @dev Validation's part: takes the most the operation can cost, in ways allowance and permit.
     * @param signed The signed operation.
     * @param tokenFields What token mode adds to the data.
     * @param prechargeWei What the wallet was charged in advance.
     * @return most Base units taken; way batch approval: the most that may be taken.
     * @return isCovered Whether the signed maximum covers the operation. The signature counts only where it does.
     */
    function _takePayment(
        uint256[MEMBERS] memory signed,
        bytes calldata tokenFields,
        uint256 prechargeWei
    ) internal returns (uint256 most, bool isCovered) {
        most = _inTokens(prechargeWei, signed.premium(), signed.exchangeRate());
        isCovered = most <= signed.maxTokenCharge();
        if (!isCovered) most = signed.maxTokenCharge();
        if (signed.way() != WAY_BATCH_APPROVAL) {
            (address token, address sender) = (signed.token(), signed.sender());
            if (signed.way() == WAY_PERMIT) TokenCalls.tryPermit(token, sender, _permitOf(tokenFields));
            _pull(token, sender, most);
            _book(token, signed.feeReceiver(), most);
        }
    }

    /**
     * @dev Settlement's part, after the wallet's.
     * @param chargedWei What the wallet was charged.
     */
    function _settlePayment(
        Precharge memory precharge,
        TokenPayment memory payment,
        uint256 chargedWei,
        CallsEnding ending
    ) internal {
        uint256 charge = _min(_inTokens(chargedWei, payment.premium, payment.exchangeRate), payment.most);
        uint256 refund;
        // `_requireGas` has refused less than the base. The charge is no more than `most`, nor is the refund.
        unchecked {
            uint256 tokenCallGas = precharge.unaccountedGas - _baseGas(payment.wayByte);
            if (payment.wayByte.way() == WAY_BATCH_APPROVAL) {
                if (!_collect(precharge, payment, charge, tokenCallGas, ending)) return;
            } else {
                refund = _refund(precharge, payment, payment.most - charge, tokenCallGas);
                charge = payment.most - refund;
            }
        }
        emit UserOperationPaidInToken(
            precharge.userOpHash,
            payment.token,
            precharge.sender,
            payment.feeReceiver,
            charge,
            refund
        );
    }

    function _pull(address token, address sender, uint256 amount) private {
        // Some tokens refuse to move nothing.
        if (amount == 0) return;
        (bool knownBefore, uint256 before) = TokenCalls.tryBalanceOf(token, address(this));
        if (!TokenCalls.tryTransferFrom(token, sender, address(this), amount, TokenCalls.ALL_GAS)) {
            _refuse("PM token transfer failed", IRefusals.TokenTransferFailed.selector, token, amount);
        }
        (bool knownAfter, uint256 afterwards) = TokenCalls.tryBalanceOf(token, address(this));
        bool arrived = knownBefore && knownAfter && afterwards >= before && afterwards - before >= amount;
        if (!arrived) {
            _refuse("PM token received low", IRefusals.TokenReceivedTooLittle.selector, token, amount);
        }
    }

    /**
     * @dev Ways allowance and permit. Never reverts.
     * @return What is the sender's again: all, or nothing where the token refused it and left no gas to keep it for the
     *         sender. Then it stays with the receiver.
     */
    function _refund(
        Precharge memory precharge,
        TokenPayment memory payment,
        uint256 refund,
        uint256 tokenCallGas
    ) private returns (uint256) {
        if (refund == 0) return 0;
        (address token, address sender) = (payment.token, precharge.sender);
        _unbook(token, payment.feeReceiver, refund);
        uint256 gasBefore = gasleft();
        if (TokenCalls.tryTransfer(token, sender, refund, tokenCallGas)) return refund;

        // To keep it for the sender is paid for by what the call left over, or not at all.
        bool affordable;
        unchecked {
            // In quarters of a gas, so that nothing has to be rounded. Gas never gets near an overflow.
            uint256 spent = 4 * (gasBefore - gasleft());
            uint256 quarters = payment.wayByte.gasQuarters();
            affordable =
                spent + quarters * _NEW_BALANCE_GAS <= 4 * tokenCallGas ||
                (spent + quarters * _OLD_BALANCE_GAS <= 4 * tokenCallGas && _hadBalance(token, sender));
        }
        if (!affordable) {
            _book(token, payment.feeReceiver, refund);
            return 0;
        }
        _book(token, sender, refund);
        emit TokenRefundKept(precharge.userOpHash, token, sender, refund);
        return refund;
    }

    /// @dev Way batch approval. Reverts only where that undoes the user's calls.
    function _collect(
        Precharge memory precharge,
        TokenPayment memory payment,
        uint256 charge,
        uint256 tokenCallGas,
        CallsEnding ending
    ) private returns (bool) {
        if (charge == 0) return true;
        address sender = precharge.sender;
        if (TokenCalls.tryTransferFrom(payment.token, sender, payment.feeReceiver, charge, tokenCallGas)) return true;
        if (ending == CallsEnding.Succeeded) {
            _refuse("PM token charge failed", IRefusals.TokenChargeFailed.selector, payment.token, charge);
        }
        emit TokenPaymentDue(precharge.userOpHash, payment.token, sender, charge, ending == CallsEnding.Undone);
        return false;
    }

    /// @dev `TOKEN_POST_OP_BASE_GAS` as it is on this chain.
    function _baseGas(WayByte wayByte) private pure returns (uint256) {
        unchecked {
            return wayByte.gasQuarters() * _BASE_GAS_QUARTER;
        }
    }

    /// @dev Can't overflow: a precharge is covered by ether, and all ether there is at the greatest rate fits.
    function _inTokens(uint256 amountWei, uint256 premium, uint256 exchangeRate) private pure returns (uint256) {
        return Math.mulDiv(amountWei * premium, exchangeRate, _RATE_UNIT, Math.Rounding.Ceil);
    }
}
