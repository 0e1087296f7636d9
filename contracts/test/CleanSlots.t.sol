// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {IHybridPaymaster} from "../src/interfaces/IHybridPaymaster.sol";
import {IPackedHybridPaymaster} from "../src/interfaces/IPackedHybridPaymaster.sol";
import {Meddler} from "./support/Meddler.sol";
import {Op, Outcome} from "./support/Op.sol";
import {Refused} from "./support/Refused.sol";
import {TestAccount} from "./support/TestAccount.sol";
import {TokenOnV06, TokenOnV07, TokenOnV08, TokenOnV09, TokenWorld} from "./support/TokenWorld.sol";

/**
 * @notice A record of exactly the operation's size is returned, and the operation follows in the same transaction. Its
 *         validation would give the slot its first value back, and settlement's write would cost 2,900 gas instead of
 *         100, which the floor of `unaccountedGas` is not for. So such an operation is refused.
 * @dev `setUp` is a transaction of its own.
 */
abstract contract CleanSlotsTest is TokenWorld {
    /// @dev Validated and never settled: the records stay.
    function _prepareRecords() internal {
        vm.deal(address(account), 1 ether);
        version.validate(_signed(_depositingOp()));
        version.validate(_signed(_payableOp(ALLOWANCE)));
        version.validate(_signed(_payableOp(BATCH_APPROVAL)));
        paymaster.depositFor{value: 1 ether}(WALLET_2);
    }

    function test_operationAfterAReturnedPrecharge_isRefused() public {
        Op memory op = _signed(_depositingOp());
        _byAnybody();
        paymaster.returnStranded(WALLET_2);
        Refused.byBundle(version, op, "AA33");
    }

    function test_operationAfterAWithdrawalOfTokens_isRefused() public {
        Op memory op = _signed(_payableOp(ALLOWANCE));
        _byAnybody();
        paymaster.withdrawTokens(address(token), RECEIVER);
        Refused.byBundle(version, op, "AA33");
    }

    function test_otherMoves_refuseNothing() public {
        paymaster.depositFor{value: 1 ether}(WALLET);
        vm.prank(WALLET);
        paymaster.requestWithdrawal(1);
        assertTrue(version.send(_signed(_payableOp(ALLOWANCE))).success, "lands");
    }

    function test_withdrawalInAnothersValidation_refusesNobody() public {
        _landBehind(abi.encodeCall(paymaster.withdrawTokens, (address(token), RECEIVER)));
    }

    function test_withdrawalOfAPartInAnothersValidation_refusesNobody() public {
        _landBehind(abi.encodeCall(paymaster.withdrawSomeTokens, (address(token), RECEIVER, 1)));
    }

    function test_returnInAnothersValidation_refusesNobody() public {
        _landBehind(abi.encodeCall(paymaster.returnStranded, (WALLET_2)));
    }

    /// @dev A stranger's account makes a call while it is validated: the sponsored operation behind it lands all the same.
    function _landBehind(bytes memory call_) private {
        Meddler meddler = new Meddler();
        meddler.setCall(address(paymaster), call_);
        version.entryPoint().depositTo{value: 10 ether}(address(meddler));
        uint256 booked = paymaster.tokenBalanceOf(address(token), RECEIVER);
        uint256 stranded = paymaster.strandedOf(WALLET_2);
        assertTrue(booked > 0 && stranded > 0, "there is something to take");
        Op[] memory ops = new Op[](2);
        ops[0] = _op();
        ops[0].sender = address(meddler);
        ops[0].nonce = version.nonceOf(address(meddler), 0);
        ops[0].mode = 0;
        ops[0].callData = "";
        ops[0].verificationGasLimit = 1_000_000;
        ops[1] = _signed(_op());
        Outcome[] memory outcomes = version.sendBundle(ops);
        assertTrue(outcomes[0].success && outcomes[1].success, "both land");
        assertTrue(!meddler.succeeded(), "the stranger is refused");
        assertTrue(bytes4(meddler.answer()) == IHybridPaymaster.NotTransactionSender.selector, "for this reason");
        assertEq(paymaster.tokenBalanceOf(address(token), RECEIVER), booked, "tokens");
        assertEq(paymaster.strandedOf(WALLET_2), stranded, "stranded");
    }

    /// @dev Its call deposits what validation took of the wallet's slot.
    function _depositingOp() internal view returns (Op memory op) {
        op = _op();
        op.fundingWallet = WALLET_2;
        op.feeMarkup = 1_000_000;
        op.unaccountedGas = uint32(version.minUnaccountedGas());
        op.callGasLimit = 200_000;
        bytes memory deposit = abi.encodeCall(paymaster.depositFor, (WALLET_2));
        op.callData = abi.encodeCall(TestAccount.execute, (address(paymaster), version.prefundWei(op), deposit));
    }
}

contract CleanSlotsV06Test is CleanSlotsTest, TokenOnV06 {
    function _prepare() internal override(TokenWorld, TokenOnV06) {
        TokenOnV06._prepare();
        paymaster.depositFor{value: 1 ether}(WALLET_2);
        _prepareRecords();
    }
}

abstract contract CleanSlotsPackedTest is CleanSlotsTest {
    function test_operationAfterAReturnOfItsRecord_isRefused() public {
        Op memory op = _signed(_payableOp(BATCH_APPROVAL));
        IPackedHybridPaymaster packed = IPackedHybridPaymaster(address(paymaster));
        uint256 recorded = packed.unsettledOf(WALLET);
        vm.prank(OWNER);
        packed.returnUnsettled(WALLET, recorded, 0);
        Refused.byBundle(version, op, "AA33");
    }
}

contract CleanSlotsV07Test is CleanSlotsPackedTest, TokenOnV07 {
    function _prepare() internal override(TokenWorld, TokenOnV07) {
        TokenOnV07._prepare();
        paymaster.depositFor{value: 1 ether}(WALLET_2);
        _prepareRecords();
    }
}

contract CleanSlotsV08Test is CleanSlotsPackedTest, TokenOnV08 {
    function _prepare() internal override(TokenWorld, TokenOnV08) {
        TokenOnV08._prepare();
        paymaster.depositFor{value: 1 ether}(WALLET_2);
        _prepareRecords();
    }
}

contract CleanSlotsV09Test is CleanSlotsPackedTest, TokenOnV09 {
    function _prepare() internal override(TokenWorld, TokenOnV09) {
        TokenOnV09._prepare();
        paymaster.depositFor{value: 1 ether}(WALLET_2);
        _prepareRecords();
    }
}
