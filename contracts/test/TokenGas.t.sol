// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {PaymasterPuppet} from "../src/simulation/PaymasterPuppet.sol";
import {MeteredToken} from "./support/MeteredToken.sol";
import {Op, Outcome} from "./support/Op.sol";
import {TestAccount} from "./support/TestAccount.sol";
import {TokenOnV06, TokenOnV07, TokenOnV08, TokenOnV09, TokenWorld} from "./support/TokenWorld.sol";
import {VersionPacked} from "./support/VersionPacked.sol";

/**
 * @notice Measures token mode's gas constants on the heaviest branches: slots cold, balances and records that were
 *         never there, tokens that refuse or use up all they are given. A measure that comes within a tenth of its
 *         constant fails.
 */
abstract contract TokenGasTest is TokenWorld {
    /// @dev ERC-7562 MAX_USEROP_SIZE, less what the fields around `callData` take.
    uint256 private constant LONGEST_CALL_DATA = 8_192 - 700;
    uint256 private constant TOKEN_CALL_GAS = 60_000;

    MeteredToken internal metered;

    function _prepareMetered() internal {
        metered = MeteredToken(_deploy("MeteredToken", ""));
        metered.mint(address(tokenAccount), TOKENS);
        vm.prank(address(tokenAccount));
        metered.approve(address(paymaster), type(uint256).max);
    }

    // --- validation

    function test_validation_fitsItsLimitInEveryWay() public {
        uint256 limit = _gasConstant("tokenValidationGas");
        uint256 share = _isV06() ? 22_100 + 2_600 : 0;
        uint256 transfer = _coldTransferGas();
        uint256 allowance = _leastVerificationLimit(_longOp(ALLOWANCE)) - share;
        uint256 permit = _leastVerificationLimit(_longOp(PERMIT)) - share;
        uint256 batch = _leastVerificationLimit(_longOp(BATCH_APPROVAL)) - share;
        _record("token validation, allowance, without its transfer", allowance - transfer);
        _record("token validation, the permit on top", permit - allowance);
        _record("token validation, batch approval", batch);
        assertLe(((allowance - transfer) * 11) / 10, limit, "allowance and a tenth");
        assertLe((batch * 11) / 10, limit, "batch approval and a tenth");
        assertLe(((permit - allowance) * 11) / 10, _gasConstant("tokenPermitGas"), "permit and a tenth");
    }

    function test_validation_costsTheSameForTheStub() public {
        for (uint8 way = ALLOWANCE; way <= BATCH_APPROVAL; way++) {
            uint256 state = vm.snapshotState();
            Op memory op = _payableOp(way);
            uint256 good = _gasOf(version.validateCall(_signed(op), version.prefundWei(op)));
            op = _stubbed(op);
            uint256 stub = _gasOf(version.validateCall(op, version.prefundWei(op)));
            assertLe(good, stub + 30, "good against stub");
            assertLe(stub, good + 30, "stub against good");
            vm.revertToState(state);
        }
    }

    function test_constants_fitTheContracts() public view {
        assertGe(_gasConstant("tokenPostOpBaseGas"), paymaster.TOKEN_POST_OP_BASE_GAS(), "base");
        assertEq(_gasConstant("tokenPostOpMargin"), paymaster.TOKEN_POST_OP_MARGIN(), "margin");
        assertEq(paymaster.minTokenPostOpGas(320_000), 330_000 + paymaster.TOKEN_POST_OP_MARGIN(), "least limit");
    }

    // --- settlement

    function test_postOp_fitsTheLeastLimitInEveryWay() public {
        string[3] memory names = ["allowance", "permit", "batch approval"];
        for (uint8 way = ALLOWANCE; way <= BATCH_APPROVAL; way++) {
            uint256 state = vm.snapshotState();
            if (way == BATCH_APPROVAL) _payableOp(ALLOWANCE);
            Op memory op = _signed(way == BATCH_APPROVAL ? _tokenOp(way) : _payableOp(way));
            (bytes memory context, ) = version.validate(op);
            uint256 gas = _gasOf(version.postOpCall(context, 1e15, 9 gwei));
            _record(string.concat("token postOp, ", names[way - 1]), gas);
            assertLe(gas, paymaster.minTokenPostOpGas(op.unaccountedGas), "postOp");
            vm.revertToState(state);
        }
    }

    function test_postOpBase_coversARefundThatBurnsEverything() public {
        Op memory op = _meteredOp(ALLOWANCE, MeteredToken.Payout.BurnsEverything);
        Outcome memory outcome = _assertWithinBase("refund burns its gas", op);
        assertEq(outcome.refundedTokens, 0, "no gas is left to keep it for the sender");
    }

    function test_postOpBase_coversARefundThatIsBookedForTheSender() public {
        Op memory op = _meteredOp(ALLOWANCE, MeteredToken.Payout.Refuses);
        // The sender's new balance is paid for by gas that the call left over: no more than it needs.
        _setTokenGas(op, _leastTokenCallGas(op, _isBookedForTheSender));
        Outcome memory outcome = _assertWithinBase("refund booked for the sender", op);
        assertEq(outcome.refundKeptFor, op.sender, "booked for the sender");
    }

    function test_postOpBase_coversARefundThatIsBookedForASenderOfBefore() public {
        Op memory op = _meteredOp(ALLOWANCE, MeteredToken.Payout.Refuses);
        assertEq(_sendCold(op).refundKeptFor, op.sender, "has a balance");
        op.nonce = version.nonceOf(op.sender, 0);
        // A second nonce is cheap, and v0.7's formula is exact only for limits that are nearly used.
        op.verificationGasLimit = 15_000;
        _setTokenGas(op, _leastTokenCallGas(op, _isBookedForTheSender));
        op.paymasterVerificationGasLimit -= 46_000;
        _assertWithinBase("refund booked for a sender of before", op);
    }

    function test_postOpBase_coversADueAfterTheLongestRevertReason() public {
        Op memory op = _meteredOp(BATCH_APPROVAL, MeteredToken.Payout.BurnsEverything);
        op.callData = abi.encodeCall(TestAccount.revertLate, (2_048, 500));
        op.callGasLimit = 200_000;
        Outcome memory outcome = _assertWithinBase("due", op);
        assertTrue(outcome.isDue && outcome.settled, "due and settled");
    }

    function test_postOpBase_coversAChargeOfAColdToken() public {
        Op memory op = _meteredOp(BATCH_APPROVAL, MeteredToken.Payout.Pays);
        // What the token's call takes is not the base's: no more than it needs.
        _setTokenGas(op, _leastTokenCallGas(op, _isPaid));
        assertTrue(_assertWithinBase("charge of a cold token", op).paid, "paid");
    }

    /// @dev At the floors, with neither markup nor premium: nothing else could pay for what they do not cover.
    function test_floors_coverWhatTheEntryPointTakes() public {
        _assertCovered(_meteredOp(ALLOWANCE, MeteredToken.Payout.Pays), _isRefunded);
        _assertCovered(_meteredOp(ALLOWANCE, MeteredToken.Payout.Refuses), _isBookedForTheSender);
        _assertCovered(_meteredOp(ALLOWANCE, MeteredToken.Payout.BurnsEverything), _isPaid);
        _assertCovered(_meteredOp(BATCH_APPROVAL, MeteredToken.Payout.Pays), _isPaid);
        Op memory op = _meteredOp(BATCH_APPROVAL, MeteredToken.Payout.BurnsEverything);
        op.callData = abi.encodeCall(TestAccount.revertLate, (2_048, 500));
        _assertCovered(op, _isDue);
    }

    // --- a fork that makes gas dearer

    /// @dev Gas that is signed on top is the token's call's, which burns it; what the base is raised by is settlement's.
    function test_raisedBase_isSettlementsAndNotTheTokens() public {
        Op memory op = _meteredOp(ALLOWANCE, MeteredToken.Payout.BurnsEverything);
        uint256 base = paymaster.TOKEN_POST_OP_BASE_GAS();
        uint256 spare = _sparePostOpGas(op);
        _setTokenGas(op, TOKEN_CALL_GAS + 2 * base);
        assertLe(_sparePostOpGas(op), spare + base / 8, "not raised");
        op.gasQuarters = 8;
        _setTokenGas(op, TOKEN_CALL_GAS);
        assertGe(_sparePostOpGas(op), spare + 2 * base, "raised");
    }

    function test_raisedBase_leavesTheTokenItsGas() public {
        Op memory op = _meteredOp(ALLOWANCE, MeteredToken.Payout.PaysForGas);
        metered.setNeeded(TOKEN_CALL_GAS);
        for (uint8 quarters = 0; quarters < 16; quarters += 5) {
            op.gasQuarters = quarters;
            _setTokenGas(op, TOKEN_CALL_GAS - 700);
            uint256 state = vm.snapshotState();
            assertTrue(!_isRefunded(_sendCold(op)), "less than it needs");
            vm.revertToState(state);
            _setTokenGas(op, TOKEN_CALL_GAS);
            assertTrue(_isRefunded(_sendCold(op)), "what it needs");
            vm.revertToState(state);
        }
    }

    /// @dev By a quarter of 24,500 and of 7,500 for each quarter.
    function test_raisedConstants_keepARefundWhereTheRaisedGasForItIsLeft() public {
        Op memory op = _meteredOp(ALLOWANCE, MeteredToken.Payout.Refuses);
        uint256 least = _leastTokenCallGas(op, _isBookedForTheSender);
        op.gasQuarters = 3;
        assertEq(_leastTokenCallGas(op, _isBookedForTheSender), least + 18_375, "for a sender without a balance");

        _setTokenGas(op, TOKEN_CALL_GAS);
        assertEq(_sendCold(op).refundKeptFor, op.sender, "has a balance");
        op.nonce = version.nonceOf(op.sender, 0);
        op.gasQuarters = 0;
        least = _leastTokenCallGas(op, _isBookedForTheSender);
        op.gasQuarters = 3;
        assertEq(_leastTokenCallGas(op, _isBookedForTheSender), least + 5_625, "for a sender of before");
    }

    // --- helpers

    /// @dev What the least limit has above what `postOp` needs.
    function _sparePostOpGas(Op memory op) private returns (uint256 spare) {
        uint256 state = vm.snapshotState();
        (bytes memory context, ) = version.validate(_signed(op));
        spare = paymaster.minTokenPostOpGas(op.unaccountedGas) - _gasOf(version.postOpCall(context, 1e15, 9 gwei));
        vm.revertToState(state);
    }

    function _assertCovered(Op memory op, function(Outcome memory) view returns (bool) isExpected) private {
        (op.feeMarkup, op.premium) = (1_000_000, 1_000_000);
        vm.fee(op.maxFeePerGas);
        _setTokenGas(op, _leastTokenCallGas(op, isExpected));
        uint256 state = vm.snapshotState();
        Outcome memory outcome = _sendCold(op);
        vm.revertToState(state);
        assertTrue(outcome.settled && isExpected(outcome), "ends as it should");
        assertGe(outcome.chargedWei, outcome.takenWei, "the wallet pays what the EntryPoint took");
        uint256 tokens = outcome.isDue ? outcome.dueTokens : outcome.chargedTokens;
        assertGe(tokens, version.inTokens(op, outcome.takenWei), "so does the sender");
    }

    function _isRefunded(Outcome memory outcome) private pure returns (bool) {
        return outcome.refundedTokens > 0 && outcome.refundKept == 0;
    }

    function _isDue(Outcome memory outcome) private pure returns (bool) {
        return outcome.isDue;
    }

    function _longOp(uint8 way) private returns (Op memory op) {
        op = _payableOp(way);
        // On v0.6 the least gas of `postOp` bounds the same limit; it must not hide what validation needs.
        _setTokenGas(op, 0);
        op.callData = new bytes(LONGEST_CALL_DATA);
        for (uint256 i = 0; i < LONGEST_CALL_DATA; i++) op.callData[i] = 0xff;
    }

    function _meteredOp(uint8 way, MeteredToken.Payout payout) private returns (Op memory op) {
        _prepareMetered();
        op = _tokenOp(way);
        op.token = address(metered);
        op.verificationGasLimit = 40_000;
        _setTokenGas(op, TOKEN_CALL_GAS);
        metered.setPayout(payout);
    }

    function _isPaid(Outcome memory outcome) private pure returns (bool) {
        return outcome.paid;
    }

    function _isBookedForTheSender(Outcome memory outcome) private view returns (bool) {
        return outcome.refundKeptFor == address(tokenAccount);
    }

    function _leastTokenCallGas(
        Op memory op,
        function(Outcome memory) view returns (bool) isEnough
    ) private returns (uint256) {
        uint256 low = 1_000;
        uint256 high = 2 * TOKEN_CALL_GAS;
        while (high - low > 1) {
            uint256 middle = (low + high) / 2;
            _setTokenGas(op, middle);
            uint256 state = vm.snapshotState();
            if (isEnough(_sendCold(op))) high = middle;
            else low = middle;
            vm.revertToState(state);
        }
        return high;
    }

    function _sendCold(Op memory op) internal returns (Outcome memory) {
        op = _signed(op);
        vm.cool(address(metered));
        return version.send(op);
    }

    /// @dev As the gateway measures it: with the puppet in the paymaster's place, cold.
    function _coldTransferGas() private returns (uint256 gasUsed) {
        uint256 state = vm.snapshotState();
        _payableOp(ALLOWANCE);
        vm.etch(address(paymaster), _runtimeCode("PaymasterPuppet"));
        vm.cool(address(token));
        (, , gasUsed) = PaymasterPuppet(address(paymaster)).execute(
            address(token),
            abi.encodeCall(IERC20.transferFrom, (address(tokenAccount), address(paymaster), 1e18))
        );
        vm.revertToState(state);
    }

    function _leastVerificationLimit(Op memory op) private returns (uint256) {
        uint256 low = 10_000;
        uint256 high = 1_000_000;
        Op[] memory ops = new Op[](1);
        while (high - low > 1) {
            uint256 middle = (low + high) / 2;
            uint256 state = vm.snapshotState();
            if (_isV06()) op.verificationGasLimit = middle;
            else op.paymasterVerificationGasLimit = middle;
            ops[0] = _signed(op);
            vm.cool(address(token));
            try version.sendWithGas(ops, 20_000_000) {
                high = middle;
            } catch {
                low = middle;
            }
            vm.revertToState(state);
        }
        return high;
    }

    /**
     * @dev The bill covers what the EntryPoint took, and would with a tenth less of the base. The measure is the base
     *      less what was billed too much; it errs to the safe side by a tenth of the EntryPoint's own last steps.
     */
    function _assertWithinBase(string memory title, Op memory op) private returns (Outcome memory outcome) {
        uint256 base = paymaster.TOKEN_POST_OP_BASE_GAS();
        op.feeMarkup = 2_000_000;
        // v0.8 fines no unused gas up to 40,000; beyond that the formula below holds.
        op.paymasterPostOpGasLimit += 100_000;
        vm.fee(op.maxFeePerGas);
        uint256 state = vm.snapshotState();
        outcome = _sendCold(op);
        vm.revertToState(state);
        uint256 unbilled = _overbilledPenalty(op);
        uint256 billed = outcome.chargedWei - outcome.feeWei;
        assertGe(billed, outcome.takenWei + unbilled * op.maxFeePerGas, "the bill covers the cost");
        uint256 slack = (billed - outcome.takenWei) / op.maxFeePerGas - unbilled;
        // Gas too many in the bound is fined as unused by these, a tenth of it.
        if (!_isV06()) slack = (slack * 10) / 9;
        _record(string.concat("token base, ", title), base - slack);
        assertLe(((base - slack) * 11) / 10, base, "the base and a tenth");
    }

    /// @dev v0.7 bills the fine as if the operation had used its verification limits up.
    function _overbilledPenalty(Op memory op) internal virtual returns (uint256) {}

    function _gasOf(bytes memory data) private returns (uint256) {
        uint256 low = 1_000;
        uint256 high = 2_000_000;
        while (high - low > 1) {
            uint256 middle = (low + high) / 2;
            uint256 state = vm.snapshotState();
            vm.cool(address(paymaster));
            vm.prank(address(version.entryPoint()));
            (bool ok, ) = address(paymaster).call{gas: middle}(data);
            vm.revertToState(state);
            if (ok) high = middle;
            else low = middle;
        }
        return high;
    }

    function _record(string memory title, uint256 gas) private {
        vm.snapshotValue(string.concat("gas-", version.name()), title, gas);
    }
}

contract TokenGasV06Test is TokenGasTest, TokenOnV06 {
    function _prepare() internal override(TokenWorld, TokenOnV06) {
        TokenOnV06._prepare();
    }
}

contract TokenGasV07Test is TokenGasTest, TokenOnV07 {
    function _prepare() internal override(TokenWorld, TokenOnV07) {
        TokenOnV07._prepare();
    }

    /// @dev What came before the call is what an operation without a call had cost by then.
    function _overbilledPenalty(Op memory op) internal override returns (uint256) {
        uint256 limits = op.preVerificationGas + op.verificationGasLimit + op.paymasterVerificationGasLimit + 2_000;
        op.callData = "";
        // Whatever the token does comes later, but what `postOp` reverts leaves no bill.
        metered.setPayout(MeteredToken.Payout.Pays);
        Outcome memory outcome = _sendCold(op);
        uint256 billed = outcome.chargedWei - outcome.feeWei;
        // `postOp` was told the cost for which the model bills that much.
        uint256 low = 0;
        uint256 high = limits;
        while (high - low > 1) {
            uint256 middle = (low + high) / 2;
            if (version.costWei(op, middle * op.maxFeePerGas, op.maxFeePerGas) > billed) high = middle;
            else low = middle;
        }
        return (limits - low) / 10;
    }
}

contract TokenGasV08Test is TokenGasTest, TokenOnV08 {
    function _prepare() internal override(TokenWorld, TokenOnV08) {
        TokenOnV08._prepare();
    }
}

contract TokenGasV09Test is TokenGasTest, TokenOnV09 {
    /// @dev With the suffix: what has to be read and cut off costs more than what has not.
    function _sent(Op memory op) internal view override returns (Op memory) {
        return VersionPacked(address(version)).suffixed(op);
    }

    function _prepare() internal override(TokenWorld, TokenOnV09) {
        TokenOnV09._prepare();
    }
}
