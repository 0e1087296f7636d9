// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {IHybridPaymasterV06} from "../src/interfaces/IHybridPaymasterV06.sol";
import {IPackedHybridPaymaster} from "../src/interfaces/IPackedHybridPaymaster.sol";
import {Op, Outcome} from "./support/Op.sol";
import {TestAccount} from "./support/TestAccount.sol";
import {OnV06, OnV07, OnV08, OnV09, World} from "./support/World.sol";
import {VersionPacked} from "./support/VersionPacked.sol";

/**
 * @notice Measures what gas-constants.json and the contracts' lower bounds promise, on the heaviest branches: slots
 *         cold, fees never paid before, the longest revert reason, long call data. A measure that comes within a
 *         tenth of its constant fails; the measures themselves are the gas snapshot (contracts/snapshots).
 */
abstract contract GasConstantsTest is World {
    uint256 internal constant LONG_CALL_DATA = 2_048;

    function test_validation_fitsItsLimit() public {
        Op memory op = _op();
        _record("verification limit needed", _leastVerificationLimit(op));
        op.callData = _callData(LONG_CALL_DATA);
        uint256 long = _leastVerificationLimit(op);
        _record("verification limit needed, 2048 bytes of call data", long);
        op.callData = _callData(LONG_CALL_DATA * 16);
        uint256 longer = _leastVerificationLimit(op);
        _record("verification limit needed, 32768 bytes of call data", longer);

        uint256 limit = _gasConstant("paymasterVerificationGasLimit");
        assertLe(((long - _accountShare()) * 11) / 10, limit, "validation and a tenth");
        assertLe(limit, 100_000, "validation limit");
        uint256 perWord = _gasConstant("verificationGasPerCallDataWord");
        assertLe(longer - long, (perWord * LONG_CALL_DATA * 15) / 32, "each further word of call data");
    }

    function test_validation_costsTheSameForTheStub() public {
        Op memory op = _op();
        uint256 good = _validationGas(_signed(op));
        uint256 stub = _validationGas(_stubbed(op));
        _record("validation, good signature", good);
        _record("validation, stub signature", stub);
        assertLe(good, stub + 30, "good against stub");
        assertLe(stub, good + 30, "stub against good");
    }

    function test_postOp_fitsTheLeastLimit() public {
        (bytes memory context, ) = version.validate(_signed(_op()));
        uint256 gas = _gasOf(version.postOpCall(context, 1e15, 9 gwei));
        _record("postOp", gas);
        // A 2,048-byte revert reason costs the EntryPoint up to 10,000 gas more than it sets aside for itself.
        assertLe((gas * 11) / 10 + 10_000, _leastPostOpGas(), "postOp, a tenth and the EntryPoint's shortfall");
        assertLe(_gasConstant("paymasterPostOpGasLimit"), 60_000, "postOp limit");
    }

    function test_unaccountedGas_coversWhatComesAfterTheMeasure() public {
        uint256 most;
        Op memory op = _op();
        op.callGasLimit = 200_000;
        op.verificationGasLimit = 2_000_000;
        op.paymasterVerificationGasLimit = 2_000_000;
        // On v0.7 the EntryPoint's fine would be in this figure.
        if (!_isV07()) most = _max(most, _unaccountedGas("success", op));
        op.callData = abi.encodeCall(TestAccount.revertLate, (2_048, 500));
        most = _max(most, _unaccountedGas("longest revert reason", op));
        op.callData = bytes.concat(abi.encodeCall(TestAccount.revertLate, (2_048, 500)), _callData(65_536));
        most = _max(most, _unaccountedGas("64 kB of call data", op));
        assertLe((most * 11) / 10, version.minUnaccountedGas(), "unaccounted gas and a tenth");
        assertGe(_gasConstant("unaccountedGas"), version.minUnaccountedGas(), "signed bound against its floor");
    }

    /// @dev Without a markup nothing else could pay for what a floor does not cover.
    function test_floors_coverWhatTheEntryPointTakes() public {
        bytes[5] memory calls = [
            abi.encodeCall(TestAccount.write, (1)),
            abi.encodeCall(TestAccount.burnEverything, ()),
            abi.encodeCall(TestAccount.revertLate, (2_048, 500)),
            bytes.concat(abi.encodeCall(TestAccount.revertLate, (2_048, 500)), _callData(65_536)),
            bytes("")
        ];
        for (uint256 i = 0; i < calls.length; i++) {
            Op memory op = _atTheFloors(i == 3 ? 200_000 : 60_000, calls[i]);
            // On v0.7 a limit that is not used up would be billed as fined.
            _setVerificationLimit(op, _leastVerificationLimit(op));
            op.verificationGasLimit = _leastLimit(op, _setAccountLimit);
            uint256 state = vm.snapshotState();
            _assertCovered(version.send(_signed(op)));
            // The wallet has paid before, and the account's slots are written.
            op.nonce = version.nonceOf(op.sender, 0);
            _assertCovered(version.send(_signed(op)));
            vm.revertToStateAndDelete(state);
        }
    }

    function _atTheFloors(uint256 callGasLimit, bytes memory callData) internal view returns (Op memory op) {
        op = _op();
        op.feeMarkup = 1_000_000;
        op.maxPriorityFeePerGas = op.maxFeePerGas;
        op.unaccountedGas = uint32(version.minUnaccountedGas());
        op.paymasterPostOpGasLimit = _leastPostOpGas();
        op.callGasLimit = callGasLimit;
        op.callData = callData;
    }

    function _assertCovered(Outcome memory outcome) internal pure {
        assertTrue(outcome.settled, "settled");
        assertGe(outcome.chargedWei, outcome.takenWei, "the wallet pays what the EntryPoint took");
    }

    /// @dev Least verification limit (v0.6: the account's, beyond what its own validation takes) that the EntryPoint accepts.
    function _leastVerificationLimit(Op memory op) private returns (uint256) {
        return _leastLimit(op, _setVerificationLimit);
    }

    function _leastLimit(Op memory op, function(Op memory, uint256) view setLimit) private returns (uint256) {
        uint256 low = 10_000;
        uint256 high = 1_000_000;
        Op[] memory ops = new Op[](1);
        while (high - low > 1) {
            uint256 middle = (low + high) / 2;
            uint256 state = vm.snapshotState();
            setLimit(op, middle);
            ops[0] = _signed(op);
            try version.sendWithGas(ops, 20_000_000) {
                high = middle;
            } catch {
                low = middle;
            }
            vm.revertToStateAndDelete(state);
        }
        return high;
    }

    function _setVerificationLimit(Op memory op, uint256 limit) internal view virtual {
        op.paymasterVerificationGasLimit = limit;
    }

    function _setAccountLimit(Op memory op, uint256 limit) private pure {
        op.verificationGasLimit = limit;
    }

    /// @dev Part of the measured limit that isn't the paymaster's.
    function _accountShare() internal view virtual returns (uint256) {
        return 0;
    }

    /**
     * @dev Gas the EntryPoint took after it measured `actualGasCost`, penalties apart. That cost is read back from the
     *      charge: so large a signed bound leaves no unused gas to fine, and a markup of two makes the charge exact.
     */
    function _unaccountedGas(string memory title, Op memory op) private returns (uint256 gas) {
        uint32 largeBound = 10_000_000;
        op.unaccountedGas = largeBound;
        op.feeMarkup = 2_000_000;
        vm.fee(op.maxFeePerGas);
        uint256 state = vm.snapshotState();
        Outcome memory outcome = version.send(_signed(op));
        uint256 toldCostWei = outcome.chargedWei / 2 - largeBound * op.maxFeePerGas;
        gas = (outcome.takenWei - toldCostWei) / op.maxFeePerGas;
        vm.revertToStateAndDelete(state);
        _record(string.concat("unaccounted, ", title), gas);
    }

    function _leastPostOpGas() internal view virtual returns (uint256);

    function _callData(uint256 length) internal pure returns (bytes memory data) {
        data = abi.encodePacked(TestAccount.nothing.selector, new bytes(length - 4));
        for (uint256 i = 4; i < length; i++) data[i] = 0xff;
    }

    function _validationGas(Op memory op) private returns (uint256) {
        // The EntryPoint has called the sender before: what validation reads of its code is warm.
        assertTrue(op.sender.code.length > 0, "an account");
        return _gasOf(version.validateCall(op, version.prefundWei(op)));
    }

    /// @dev Least gas with which the call succeeds: what an EntryPoint must be told to reserve.
    function _gasOf(bytes memory data) private returns (uint256) {
        uint256 low = 1_000;
        uint256 high = 2_000_000;
        while (high - low > 1) {
            uint256 middle = (low + high) / 2;
            uint256 state = vm.snapshotState();
            vm.cool(address(paymaster));
            vm.prank(address(version.entryPoint()));
            (bool ok, ) = address(paymaster).call{gas: middle}(data);
            vm.revertToStateAndDelete(state);
            if (ok) high = middle;
            else low = middle;
        }
        return high;
    }

    function _record(string memory title, uint256 gas) private {
        vm.snapshotValue(string.concat("gas-", version.name()), title, gas);
    }

    function _max(uint256 a, uint256 b) private pure returns (uint256) {
        return a > b ? a : b;
    }
}

contract GasConstantsV06Test is GasConstantsTest, OnV06 {
    function _setVerificationLimit(Op memory op, uint256 limit) internal pure override {
        op.verificationGasLimit = limit;
    }

    /// @dev One limit serves both on v0.6: a new nonce, cold, and the call of the account are not the paymaster's.
    function _accountShare() internal pure override returns (uint256) {
        return 22_100 + 2_600;
    }

    function _leastPostOpGas() internal view override returns (uint256) {
        return IHybridPaymasterV06(address(paymaster)).MIN_VERIFICATION_GAS();
    }

    function test_constants_areAtLeastTheFloors() public view {
        assertGe(_gasConstant("minVerificationGas"), _leastPostOpGas(), "least verification gas");
    }

    /// @dev Validation fits into the least limit with warm slots only: behind an operation of the same sender and wallet.
    function test_leastVerificationGas_lastsForSettlement() public {
        bytes memory revertLate = abi.encodeCall(TestAccount.revertLate, (2_048, 500));
        Op memory op = _atTheFloors(60_000, revertLate);
        Op[] memory ops = new Op[](2);
        ops[0] = _signed(op);
        op.nonce += 1;
        op.verificationGasLimit = _leastPostOpGas();
        ops[1] = _signed(op);
        Outcome[] memory outcomes = version.sendBundle(ops);
        _assertCovered(outcomes[0]);
        _assertCovered(outcomes[1]);
    }
}

contract GasConstantsV07Test is GasConstantsTest, OnV07 {
    function _leastPostOpGas() internal view override returns (uint256) {
        return IPackedHybridPaymaster(address(paymaster)).MIN_POST_OP_GAS();
    }

    function test_constants_areAtLeastTheFloors() public view {
        assertGe(_gasConstant("minPostOpGas"), _leastPostOpGas(), "least postOp gas");
        assertGe(_gasConstant("paymasterPostOpGasLimit"), _leastPostOpGas(), "postOp limit");
    }
}

contract GasConstantsV08Test is GasConstantsTest, OnV08 {
    function _leastPostOpGas() internal view override returns (uint256) {
        return IPackedHybridPaymaster(address(paymaster)).MIN_POST_OP_GAS();
    }

    function test_constants_areAtLeastTheFloors() public view {
        assertGe(_gasConstant("minPostOpGas"), _leastPostOpGas(), "least postOp gas");
        assertGe(_gasConstant("paymasterPostOpGasLimit"), _leastPostOpGas(), "postOp limit");
    }
}

contract GasConstantsV09Test is GasConstantsTest, OnV09 {
    /// @dev With the suffix: what has to be read and cut off costs more than what has not.
    function _sent(Op memory op) internal view override returns (Op memory) {
        return VersionPacked(address(version)).suffixed(op);
    }

    function _leastPostOpGas() internal view override returns (uint256) {
        return IPackedHybridPaymaster(address(paymaster)).MIN_POST_OP_GAS();
    }

    function test_constants_areAtLeastTheFloors() public view {
        assertGe(_gasConstant("minPostOpGas"), _leastPostOpGas(), "least postOp gas");
        assertGe(_gasConstant("paymasterPostOpGasLimit"), _leastPostOpGas(), "postOp limit");
    }
}
