// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {IStakeManager} from "@account-abstraction/contracts-v07/interfaces/IStakeManager.sol";
import {PackedUserOperation} from "@account-abstraction/contracts-v07/interfaces/PackedUserOperation.sol";
import {IEntryPointPacked, VersionPacked} from "./support/VersionPacked.sol";
import {UserOperation} from "@account-abstraction/contracts-v06/interfaces/UserOperation.sol";
import {Vm} from "./support/Vm.sol";
import {TokenOnV06, TokenOnV07, TokenOnV08, TokenOnV09, TokenWorld} from "./support/TokenWorld.sol";
import {Op, Outcome} from "./support/Op.sol";
import {TestAccount} from "./support/TestAccount.sol";
import {OnV06, OnV07, OnV08, OnV09, World} from "./support/World.sol";

abstract contract AdversaryTest is World {
    event log_named_uint(string key, uint256 val);
    event log_string(string s);

    function _minPostOp() internal view returns (uint256) {
        return _isV06() ? 25_000 : 22_000;
    }

    function _padded(bytes memory head, uint256 length) internal pure returns (bytes memory) {
        return bytes.concat(head, new bytes(length));
    }

    function _lands(Op[] memory ops, uint256 gas) internal returns (bool landed) {
        uint256 state = vm.snapshotState();
        try version.sendWithGas(ops, gas) { landed = true; } catch {}
        vm.revertToStateAndDelete(state);
    }

    /// @dev Tightens vgl and pvgl to the least the EntryPoint takes.
    function _tighten(Op memory op) internal {
        Op[] memory ops = new Op[](1);
        for (uint256 which = 0; which < 2; which++) {
            if (which == 1 && _isV06()) break;
            (uint256 low, uint256 high) = (0, which == 0 ? op.verificationGasLimit : op.paymasterVerificationGasLimit);
            while (high - low > 1) {
                uint256 middle = (low + high) / 2;
                if (which == 0) op.verificationGasLimit = middle;
                else op.paymasterVerificationGasLimit = middle;
                ops[0] = _signed(op);
                if (_lands(ops, 90_000_000)) high = middle;
                else low = middle;
            }
            if (which == 0) op.verificationGasLimit = high;
            else op.paymasterVerificationGasLimit = high;
        }
    }

    function _report(string memory title, Op memory op, Outcome memory o, uint256 paid) internal {
        emit log_string(string.concat(version.name(), " ", title));
        emit log_named_uint("  settled", o.settled ? 1 : 0);
        emit log_named_uint("  vgl", op.verificationGasLimit);
        emit log_named_uint("  pvgl", op.paymasterVerificationGasLimit);
        emit log_named_uint("  prefund gas", version.prefundWei(op) / op.maxFeePerGas);
        emit log_named_uint("  taken gas", o.takenWei / op.maxFeePerGas);
        emit log_named_uint("  charged gas", o.chargedWei / op.maxFeePerGas);
        emit log_named_uint("  wallet paid gas", paid / op.maxFeePerGas);
        emit log_named_uint("  stranded gas", paymaster.strandedOf(WALLET) / op.maxFeePerGas);
    }

    function test_lowPrefund_atTheFloors() public {
        for (uint256 i = 0; i < 3; i++) {
            uint256 state = vm.snapshotState();
            Op memory op = _op();
            op.callData = abi.encodeCall(TestAccount.revertLate, (2_048, 500));
            op.callGasLimit = 40_000;
            op.preVerificationGas = 0;
            op.paymasterPostOpGasLimit = _minPostOp();
            op.unaccountedGas = 8_000;
            op.feeMarkup = 1_000_000;
            vm.fee(op.maxFeePerGas);
            if (i == 1) {
                // as the gateway signs: pvgl from the constant; tight only in the account's own limit
                uint256 pvgl = op.paymasterVerificationGasLimit;
                _tighten(op);
                op.paymasterVerificationGasLimit = pvgl;
            }
            if (i == 2) _tighten(op);
            uint256 before = paymaster.balanceOf(WALLET);
            Outcome memory o = version.send(_signed(op));
            _report(i == 0 ? "loose" : i == 1 ? "vgl tight" : "both tight", op, o, before - paymaster.balanceOf(WALLET));
            _assertSolvent();
            vm.revertToStateAndDelete(state);
        }
    }

    /// @dev Least gas at which the bundle lands, and whether the operation then settles.
    function test_stingy_atTheFloors() public {
        vm.deal(address(0xBE4ef), 1);
        uint256[6] memory sizes = [uint256(0), 8_192, 65_536, 131_072, 262_144, 524_288];
        for (uint256 i = 0; i < sizes.length; i++) {
            Op memory op = _op();
            op.callData = _padded(abi.encodeCall(TestAccount.revertLate, (2_048, 500)), sizes[i]);
            op.callGasLimit = 60_000;
            op.verificationGasLimit = 400_000 + sizes[i] * 2 + (sizes[i] / 32) ** 2 / 64;
            op.paymasterVerificationGasLimit = 400_000 + sizes[i] * 2 + (sizes[i] / 32) ** 2 / 64;
            op.preVerificationGas = sizes[i] * 10;
            op.paymasterPostOpGasLimit = 22_000;
            op.unaccountedGas = 8_000;
            op.feeMarkup = 1_000_000;
            op.maxFeePerGas = 1 gwei;
            op.maxPriorityFeePerGas = 1 gwei;
            Op[] memory ops = new Op[](1);
            ops[0] = _signed(op);
            (uint256 low, uint256 high) = (50_000, 200_000_000);
            while (high - low > 20) {
                uint256 middle = (low + high) / 2;
                if (_lands(ops, middle)) high = middle;
                else low = middle;
            }
            uint256 unsettled;
            uint256 worst;
            for (uint256 gas = high; gas < high + 60_000; gas += 400) {
                uint256 state = vm.snapshotState();
                uint256 before = paymaster.balanceOf(WALLET);
                try version.sendBundleWithGas(ops, gas) returns (Outcome[] memory o) {
                    uint256 paid = before - paymaster.balanceOf(WALLET);
                    require(paid >= o[0].takenWei, "charged less");
                    if (paymaster.strandedOf(WALLET) > 0) {
                        unsettled++;
                        uint256 extra = (paid - paymaster.strandedOf(WALLET) - o[0].takenWei) / op.maxFeePerGas;
                        if (extra > worst) worst = extra;
                    }
                } catch {}
                vm.revertToStateAndDelete(state);
            }
            emit log_string(string.concat(version.name(), " call data ", vm.toString(sizes[i]), " least gas ", vm.toString(high)));
            emit log_named_uint("  unsettled of 150", unsettled);
            emit log_named_uint("  worst gas kept from the wallet", worst);
        }
    }

    /// @dev Charge against take with the least U, tight limits, and long call data.
    function test_unaccounted_longCallData() public {
        uint256[4] memory sizes = [uint256(0), 65_536, 1_048_576, 2_097_152];
        for (uint256 i = 0; i < sizes.length; i++) {
            Op memory op = _op();
            op.callData = _padded(abi.encodeCall(TestAccount.spend, (10_000)), sizes[i]);
            uint256 big = sizes[i] * 3 + (sizes[i] / 32) ** 2 / 60;
            op.callGasLimit = 60_000 + sizes[i] / 2 + (sizes[i] / 32) ** 2 / 256;
            op.verificationGasLimit = 400_000 + big;
            op.paymasterVerificationGasLimit = 400_000 + big;
            op.preVerificationGas = 0;
            op.paymasterPostOpGasLimit = _minPostOp();
            op.unaccountedGas = 8_000;
            op.feeMarkup = 1_000_000;
            op.maxFeePerGas = 1 gwei;
            op.maxPriorityFeePerGas = 1 gwei;
            if (_isV07()) {
                op.callData = _padded(abi.encodeCall(TestAccount.burnEverything, ()), sizes[i]);
                _tighten(op);
            }
            Op[] memory ops = new Op[](1);
            ops[0] = _signed(op);
            uint256 state = vm.snapshotState();
            Outcome memory o = version.sendBundleWithGas(ops, 200_000_000)[0];
            emit log_string(string.concat(version.name(), " call data ", vm.toString(sizes[i])));
            emit log_named_uint("  settled", o.settled ? 1 : 0);
            emit log_named_uint("  taken gas", o.takenWei / 1 gwei);
            if (o.chargedWei >= o.takenWei) emit log_named_uint("  over gas", (o.chargedWei - o.takenWei) / 1 gwei);
            else emit log_named_uint("  UNDER gas", (o.takenWei - o.chargedWei) / 1 gwei);
            vm.revertToStateAndDelete(state);
        }
    }

    function _secondAccountOp() internal returns (Op memory op) {
        op = _op();
        op.sender = address(new TestAccount());
        op.nonce = version.nonceOf(op.sender, 0);
        op.callData = abi.encodeCall(TestAccount.revertLate, (2_048, 500));
        op.callGasLimit = 60_000;
        op.unaccountedGas = 8_000;
        op.feeMarkup = 1_000_000;
        op.maxFeePerGas = 1 gwei;
        op.maxPriorityFeePerGas = 1 gwei;
        op.preVerificationGas = 0;
    }

    /// @dev The second operation of a bundle finds warm slots, so its own limits can be at their floors.
    function test_secondOperation_atTheFloors() public {
        vm.deal(address(0xBE4ef), 1);
        Op[] memory ops = new Op[](2);
        ops[0] = _signed(_op());
        Op memory op = _secondAccountOp();
        op.paymasterPostOpGasLimit = 22_000;
        (uint256 low, uint256 high) = (_isV06() ? 24_999 : 1, 120_000);
        while (high - low > 1) {
            op.verificationGasLimit = (low + high) / 2;
            ops[1] = _signed(op);
            if (_lands(ops, 50_000_000)) high = op.verificationGasLimit;
            else low = op.verificationGasLimit;
        }
        op.verificationGasLimit = high;
        if (!_isV06()) {
            (low, high) = (1, 33_000);
            while (high - low > 1) {
                op.paymasterVerificationGasLimit = (low + high) / 2;
                ops[1] = _signed(op);
                if (_lands(ops, 50_000_000)) high = op.paymasterVerificationGasLimit;
                else low = op.paymasterVerificationGasLimit;
            }
            op.paymasterVerificationGasLimit = high;
        }
        ops[1] = _signed(op);
        uint256 state = vm.snapshotState();
        Outcome memory rich = version.sendBundleWithGas(ops, 50_000_000)[1];
        _report("second op, much gas", op, rich, 0);
        vm.revertToState(state);
        (low, high) = (50_000, 2_000_000);
        while (high - low > 20) {
            uint256 middle = (low + high) / 2;
            if (_lands(ops, middle)) high = middle;
            else low = middle;
        }
        Outcome memory poor = version.sendBundleWithGas(ops, high)[1];
        _report("second op, least gas", op, poor, 0);
    }

    function test_stingy_megabytes() public {
        vm.deal(address(0xBE4ef), 1);
        uint256[3] memory sizes = [uint256(655_360), 786_432, 1_048_576];
        for (uint256 i = 0; i < sizes.length; i++) {
            Op memory op = _op();
            op.callData = _padded(abi.encodeCall(TestAccount.revertLate, (2_048, 500)), sizes[i]);
            op.callGasLimit = 60_000;
            op.verificationGasLimit = 400_000 + sizes[i] * 2 + (sizes[i] / 32) ** 2 / 64;
            op.paymasterVerificationGasLimit = op.verificationGasLimit;
            op.preVerificationGas = sizes[i] * 10;
            op.paymasterPostOpGasLimit = 22_000;
            op.unaccountedGas = 8_000;
            op.feeMarkup = 1_000_000;
            op.maxFeePerGas = 1 gwei;
            op.maxPriorityFeePerGas = 1 gwei;
            Op[] memory ops = new Op[](1);
            ops[0] = _signed(op);
            (uint256 low, uint256 high) = (50_000, 200_000_000);
            while (high - low > 20) {
                uint256 middle = (low + high) / 2;
                if (_lands(ops, middle)) high = middle;
                else low = middle;
            }
            uint256[4] memory counts;
            for (uint256 gas = high - 100_000; gas < high + 200_000; gas += 1_000) {
                uint256 state = vm.snapshotState();
                uint256 before = paymaster.balanceOf(WALLET);
                try version.sendBundleWithGas(ops, gas) returns (Outcome[] memory o) {
                    bool unsettled = paymaster.strandedOf(WALLET) > 0;
                    counts[unsettled ? 1 : 2]++;
                    if (unsettled) counts[3] = (before - paymaster.balanceOf(WALLET) - paymaster.strandedOf(WALLET) - o[0].takenWei) / 1 gwei;
                } catch (bytes memory reason) {
                    if (counts[0]++ == 0 && reason.length > 100) emit log_string(string(reason));
                }
                vm.revertToStateAndDelete(state);
            }
            emit log_string(string.concat(version.name(), " call data ", vm.toString(sizes[i]), " least gas ", vm.toString(high)));
            emit log_named_uint("  failed", counts[0]);
            emit log_named_uint("  unsettled", counts[1]);
            emit log_named_uint("  settled", counts[2]);
            emit log_named_uint("  gas kept from the wallet beyond the take", counts[3]);
        }
    }

    function test_traceBig() public {
        Op memory op = _op();
        op.callData = _padded(abi.encodeCall(TestAccount.revertLate, (2_048, 500)), 1_048_576);
        op.callGasLimit = 60_000;
        op.verificationGasLimit = 50_000_000;
        op.paymasterVerificationGasLimit = 50_000_000;
        op.paymasterPostOpGasLimit = 22_000;
        op.unaccountedGas = 8_000;
        op.maxFeePerGas = 1 gwei;
        op.maxPriorityFeePerGas = 1 gwei;
        Op[] memory ops = new Op[](1);
        ops[0] = _signed(op);
        version.sendWithGas(ops, 7_807_000);
    }

    /// @dev handleOps calldata whose signature lies on the paymaster data, and a sender with dirty upper bits.
    function test_overlappingCalldata() public {
        vm.deal(address(0xBE4ef), 1);
        Op[] memory ops = new Op[](1);
        ops[0] = _signed(_op());
        bytes memory call_ = version.handleOpsCall(ops);
        uint256 at = 4 + 0x80;
        uint256 data = at + 32 * (_isV06() ? uint256(9) : 7);
        assembly {
            let p := add(add(call_, 32), data)
            mstore(add(p, 32), mload(p))
        }
        address entryPoint = address(version.entryPoint());
        uint256 state = vm.snapshotState();
        vm.startStateDiffRecording();
        vm.prank(address(0xB0D), address(0xB0D));
        (bool ok, ) = entryPoint.call(call_);
        Vm.AccountAccess[] memory accesses = vm.stopAndReturnStateDiff();
        emit log_named_uint("lands", ok ? 1 : 0);
        for (uint256 i = 0; i < accesses.length; i++) {
            if (accesses[i].account != address(paymaster) || accesses[i].data.length < 500) continue;
            bytes memory told = accesses[i].data;
            bytes memory again;
            if (_isV06()) {
                (UserOperation memory u, bytes32 h, uint256 c) = abi.decode(version.slice(told, 4, told.length - 4), (UserOperation, bytes32, uint256));
                again = abi.encodeWithSelector(bytes4(told), u, h, c);
            } else {
                (PackedUserOperation memory u, bytes32 h, uint256 c) = abi.decode(version.slice(told, 4, told.length - 4), (PackedUserOperation, bytes32, uint256));
                again = abi.encodeWithSelector(bytes4(told), u, h, c);
            }
            emit log_named_uint("canonical", keccak256(again) == keccak256(told) ? 1 : 0);
            emit log_named_uint("length", told.length);
        }
        vm.revertToState(state);
        call_ = version.handleOpsCall(ops);
        call_[at] = 0x01;
        vm.prank(address(0xB0D), address(0xB0D));
        bytes memory reason;
        (ok, reason) = entryPoint.call(call_);
        emit log_named_uint("dirty sender lands", ok ? 1 : 0);
        emit log_named_uint("dirty sender reason length", reason.length);
    }

    /// @dev A deposit between validation and settlement fills the balance; the refund then does not fit.
    function test_wrap() public {
        Op memory op = _signed(_op());
        uint256 room = type(uint96).max - paymaster.balanceOf(WALLET);
        vm.deal(address(this), 2 * room);
        paymaster.depositFor{value: room}(WALLET);
        (bytes memory context, ) = version.validate(op);
        uint256 precharge = type(uint96).max - paymaster.balanceOf(WALLET);
        paymaster.depositFor{value: precharge}(WALLET);
        (bool ok, ) = version.callAsEntryPoint(version.postOpCall(context, 1e15, 9 gwei));
        emit log_named_uint("ok", ok ? 1 : 0);
        emit log_named_uint("before ether", type(uint96).max / 1 ether);
        emit log_named_uint("balance wei after", paymaster.balanceOf(WALLET));
    }

    /// @dev Every packed field at its ends: settlement equals the model, and what is beside the word's part stays.
    function testFuzz_packedEnds(uint256 seed) public {
        Op memory op = _endsOp(seed);
        vm.deal(address(this), 1 << 120);
        paymaster.depositFor{value: type(uint96).max - paymaster.balanceOf(WALLET)}(WALLET);
        op = _signed(op);
        uint256 precharge = version.prechargeWei(op);
        bytes memory context = _validated(op, precharge);
        if (context.length == 0) return;
        assertEq(paymaster.balanceOf(WALLET), type(uint96).max - precharge, "debited");
        uint256 stranded = precharge - version.ceilMarkup(version.prefundWei(op), op.feeMarkup);
        assertEq(paymaster.strandedOf(WALLET), stranded, "stranded");
        assertEq(paymaster.feesOf(WALLET), 0, "fees untouched");
        _settled(op, precharge, context, seed);
    }

    function _endsOp(uint256 seed) private view returns (Op memory op) {
        op = _op();
        uint88 top = type(uint88).max;
        uint256[5] memory gas = [uint256(0), 1, 22_000, uint256(top) - 200_000, top];
        op.callGasLimit = gas[seed % 5];
        op.paymasterPostOpGasLimit = gas[2 + ((seed >> 8) % 3)] + (seed >> 9) % 2;
        op.verificationGasLimit = 25_000 + gas[(seed >> 16) % 5];
        op.paymasterVerificationGasLimit = gas[(seed >> 24) % 5];
        op.preVerificationGas = gas[(seed >> 32) % 5];
        if (seed % 7 == 0) op.paymasterPostOpGasLimit = type(uint120).max;
        op.maxFeePerGas = (seed >> 40) % 4;
        if ((seed >> 42) % 8 == 0) op.maxFeePerGas = uint256(top) + (seed >> 45) % 2;
        op.maxPriorityFeePerGas = op.maxFeePerGas == 0 ? 0 : (seed >> 48) % (op.maxFeePerGas + 1);
        if ((seed >> 42) % 8 == 1) {
            // Around the ends of what holds the stranded part and the fees.
            op.maxFeePerGas = (1 << 47) + (seed >> 45) % (1 << 49);
            op.maxPriorityFeePerGas = op.maxFeePerGas;
            op.callGasLimit = op.preVerificationGas = op.paymasterPostOpGasLimit = 22_000;
            op.verificationGasLimit = op.paymasterVerificationGasLimit = 30_000;
        }
        op.unaccountedGas = (seed >> 56) % 4 == 0 ? type(uint32).max : uint32(8_000 + ((seed >> 64) % 1000));
        op.feeMarkup = uint32(1_000_000 + ((seed >> 80) % 3) * 500_000);
    }

    function _fits(Op memory op) private view returns (bool) {
        uint88 top = type(uint88).max;
        if (_isV06()) return op.maxFeePerGas <= top;
        if (!_isV07()) return op.paymasterPostOpGasLimit <= top;
        uint256 before = op.verificationGasLimit + op.paymasterVerificationGasLimit + op.preVerificationGas + 2_000;
        return op.callGasLimit + op.paymasterPostOpGasLimit <= top && before <= top;
    }

    uint256 private _accepted;

    function _validated(Op memory op, uint256 precharge) private returns (bytes memory context) {
        uint256 stranded = precharge - version.ceilMarkup(version.prefundWei(op), op.feeMarkup);
        bool expected = precharge <= type(uint96).max && stranded <= type(uint80).max && _fits(op);
        (bool ok, bytes memory result) = version.callAsEntryPoint(version.validateCall(op, version.prefundWei(op)));
        assertEq(ok ? 1 : 0, expected ? 1 : 0, "accepted exactly where it fits");
        if (!ok) return "";
        uint256 validationData;
        (context, validationData) = abi.decode(result, (bytes, uint256));
        assertEq(uint160(validationData), 0, "signature");
    }

    function _settled(Op memory op, uint256 precharge, bytes memory context, uint256 seed) private {
        vm.fee((seed >> 96) % 3);
        uint256 price = op.maxFeePerGas == 0 ? 0 : 1 + ((seed >> 104) % op.maxFeePerGas);
        uint256 told = (seed >> 112) % (version.prefundWei(op) + 1);
        if (price == 0 && !_isV06()) told = 0;
        uint256 cost = version.costWei(op, told, price);
        uint256 charge = version.ceilMarkup(cost, op.feeMarkup);
        if (charge > precharge) charge = precharge;
        (bool ok, ) = version.callAsEntryPoint(version.postOpCall(context, told, price));
        assertTrue(ok, "settles");
        assertEq(paymaster.balanceOf(WALLET), type(uint96).max - charge, "charged");
        assertEq(paymaster.strandedOf(WALLET), 0, "nothing stranded");
        uint256 fee = charge > cost ? charge - cost : 0;
        assertEq(paymaster.feesOf(WALLET), fee > type(uint80).max ? type(uint80).max : fee, "fees");
    }
}

contract AdversaryV06Test is AdversaryTest, OnV06 {}

abstract contract AdversaryPackedTest is AdversaryTest {
    function _sendRaw(Op memory op, bytes memory signature, bool dry) internal returns (bool ok) {
        PackedUserOperation[] memory all = new PackedUserOperation[](1);
        all[0] = VersionPacked(address(version)).toUserOperation(op);
        all[0].signature = signature;
        bytes memory call_ = abi.encodeCall(IEntryPointPacked.handleOps, (all, payable(address(0xBEEF))));
        address entryPoint = address(version.entryPoint());
        uint256 state = vm.snapshotState();
        vm.cool(address(paymaster));
        vm.cool(entryPoint);
        vm.prank(address(0xB0D), address(0xB0D));
        (ok, ) = entryPoint.call{gas: 50_000_000}(call_);
        if (dry) vm.revertToStateAndDelete(state);
    }

    /// @dev Least postOp limit that leaves the prefund above the cost, all verification limits tight.
    function test_leastSettlingPostOp() public {
        for (uint256 size = 0; size <= 8_192; size += 8_192) {
            Op memory op = _op();
            op.callData = _padded(abi.encodeCall(TestAccount.revertLate, (2_048, 500)), size);
            op.callGasLimit = 40_000;
            op.preVerificationGas = 0;
            op.paymasterVerificationGasLimit += 8_000;
            vm.fee(op.maxFeePerGas);
            _tighten(op);
            for (op.paymasterPostOpGasLimit = 22_000; op.paymasterPostOpGasLimit < 40_000; op.paymasterPostOpGasLimit += 100) {
                uint256 state = vm.snapshotState();
                version.send(_signed(op));
                bool settled = paymaster.strandedOf(WALLET) == 0;
                vm.revertToStateAndDelete(state);
                if (settled) break;
            }
            emit log_named_uint(string.concat(version.name(), " least settling postOp limit, call data ", vm.toString(size)), op.paymasterPostOpGasLimit);
        }
    }

    /// @dev Limits of the paymaster as the gateway signs them. The sender's own limit is tight, its call ends late with
    ///      the longest reason, and its signature, which the paymaster does not sign, is as long as the limit allows.
    function test_lowPrefund_withTheGatewaysConstants() public {
        Op memory op = _op();
        op.callData = abi.encodeCall(TestAccount.revertLate, (2_048, 500));
        op.callGasLimit = 40_000;
        vm.fee(op.maxFeePerGas);
        (uint256 low, uint256 high) = (0, 200_000);
        while (high - low > 32) {
            uint256 middle = (low + high) / 2;
            op.verificationGasLimit = 1_000_000;
            if (_sendRaw(_signed(op), new bytes(middle), true)) low = middle;
            else high = middle;
        }
        bytes memory signature = new bytes(low);
        (low, high) = (0, 1_000_000);
        while (high - low > 1) {
            op.verificationGasLimit = (low + high) / 2;
            if (_sendRaw(_signed(op), signature, true)) high = op.verificationGasLimit;
            else low = op.verificationGasLimit;
        }
        op.verificationGasLimit = high;
        uint256 before = paymaster.balanceOf(WALLET);
        uint256 deposit = version.depositWei();
        uint256 fees = _feesWei();
        assertTrue(_sendRaw(_signed(op), signature, false), "lands");
        uint256 price = op.maxFeePerGas;
        emit log_string(version.name());
        emit log_named_uint("  signature bytes", signature.length);
        emit log_named_uint("  prefund gas", version.prefundWei(op) / price);
        emit log_named_uint("  taken gas", (deposit - version.depositWei()) / price);
        emit log_named_uint("  wallet paid gas", (before - paymaster.balanceOf(WALLET)) / price);
        emit log_named_uint("  stranded gas", paymaster.strandedOf(WALLET) / price);
        emit log_named_uint("  fees gas", (_feesWei() - fees) / price);
    }
}

contract AdversaryV07Test is AdversaryPackedTest, OnV07 {}

contract AdversaryV08Test is AdversaryPackedTest, OnV08 {}

contract AdversaryV09Test is AdversaryPackedTest, OnV09 {}

/// @dev Way batch approval whose calls revert: does a low prefund hide the due?
abstract contract TokenLowPrefundTest is TokenWorld {
    event log_named_uint(string key, uint256 val);
    event log_string(string s);

    function _lands(Op memory op) private returns (bool landed) {
        Op[] memory ops = new Op[](1);
        ops[0] = _signed(op);
        uint256 state = vm.snapshotState();
        try version.sendWithGas(ops, 50_000_000) { landed = true; } catch {}
        vm.revertToStateAndDelete(state);
    }

    function test_tokenLowPrefund() public {
        for (uint256 callGas = 0; callGas <= 60_000; callGas += 30_000) {
            Op memory op = _tokenOp(BATCH_APPROVAL);
            op.callData = abi.encodeCall(TestAccount.revertLate, (2_048, 500));
            op.callGasLimit = 40_000;
            op.preVerificationGas = 0;
            _setTokenGas(op, callGas);
            vm.fee(op.maxFeePerGas);
            for (uint256 which = 0; which < (_isV06() ? 1 : 2); which++) {
                (uint256 low, uint256 high) = (0, 400_000);
                while (high - low > 1) {
                    uint256 middle = (low + high) / 2;
                    if (which == 0) op.verificationGasLimit = middle;
                    else op.paymasterVerificationGasLimit = middle;
                    if (_lands(op)) high = middle;
                    else low = middle;
                }
                if (which == 0) op.verificationGasLimit = high;
                else op.paymasterVerificationGasLimit = high;
            }
            uint256 state = vm.snapshotState();
            Outcome memory o = version.send(_signed(op));
            emit log_string(string.concat(version.name(), " token call gas ", vm.toString(callGas)));
            emit log_named_uint("  due", o.isDue ? 1 : 0);
            emit log_named_uint("  stranded", paymaster.strandedOf(WALLET));
            emit log_named_uint("  spare gas of the prefund", (version.prefundWei(op) - o.takenWei) / op.maxFeePerGas);
            emit log_named_uint("  over gas", (o.chargedWei - o.feeWei - o.takenWei) / op.maxFeePerGas);
            vm.revertToStateAndDelete(state);
        }
    }
}

contract TokenLowPrefundV06Test is TokenLowPrefundTest, TokenOnV06 {
    function _prepare() internal override(TokenWorld, TokenOnV06) {
        TokenOnV06._prepare();
    }
}

contract TokenLowPrefundV07Test is TokenLowPrefundTest, TokenOnV07 {
    function _prepare() internal override(TokenWorld, TokenOnV07) {
        TokenOnV07._prepare();
    }
}

contract TokenLowPrefundV08Test is TokenLowPrefundTest, TokenOnV08 {
    function _prepare() internal override(TokenWorld, TokenOnV08) {
        TokenOnV08._prepare();
    }
}

contract TokenLowPrefundV09Test is TokenLowPrefundTest, TokenOnV09 {
    function _prepare() internal override(TokenWorld, TokenOnV09) {
        TokenOnV09._prepare();
    }
}

/// @dev Ends every call late with the longest reason, `executeUserOp` too.
contract LateAccount {
    function validateUserOp(PackedUserOperation calldata, bytes32, uint256) external pure returns (uint256) {
        return 0;
    }

    fallback() external {
        while (gasleft() > 500) {}
        assembly {
            revert(0, 2048)
        }
    }
}

/// @dev Way batch approval, a token whose failing transfer burns its gas (`assert` of old compilers).
abstract contract EvadedDueTest is TokenWorld {
    event log_named_uint(string key, uint256 val);
    event log_string(string s);

    function _sendRaw(Op memory op, uint256 length, bool dry) private returns (bool ok) {
        PackedUserOperation[] memory all = new PackedUserOperation[](1);
        all[0] = VersionPacked(address(version)).toUserOperation(_signed(op));
        all[0].signature = new bytes(length);
        address entryPoint = address(version.entryPoint());
        uint256 state = vm.snapshotState();
        vm.cool(address(paymaster));
        vm.cool(entryPoint);
        vm.prank(address(0xB0B), address(0xB0B));
        (ok, ) = entryPoint.call{gas: 50_000_000}(abi.encodeCall(IEntryPointPacked.handleOps, (all, payable(address(0xB0B)))));
        if (dry) vm.revertToStateAndDelete(state);
    }

    function test_evadedDue() public {
        vm.etch(address(0x70CE), hex"fe");
        address late = address(new LateAccount());
        for (uint256 callGas = 30_000; callGas <= 90_000; callGas += 30_000) {
            uint256 state = vm.snapshotState();
            Op memory op = _tokenOp(BATCH_APPROVAL);
            op.sender = late;
            op.nonce = 0;
            op.token = address(0x70CE);
            op.callData = hex"8dd7712f";
            op.callGasLimit = 40_000;
            _setTokenGas(op, callGas);
            vm.fee(op.maxFeePerGas);
            op.verificationGasLimit = 5_000_000;
            (uint256 length, uint256 refused) = (0, 400_000);
            while (refused - length > 32) {
                uint256 middle = (length + refused) / 2;
                if (_sendRaw(op, middle, true)) length = middle;
                else refused = middle;
            }
            (uint256 low, uint256 high) = (0, 5_000_000);
            while (high - low > 1) {
                op.verificationGasLimit = (low + high) / 2;
                if (_sendRaw(op, length, true)) high = op.verificationGasLimit;
                else low = op.verificationGasLimit;
            }
            op.verificationGasLimit = high;
            uint256 deposit = version.depositWei();
            vm.recordLogs();
            assertTrue(_sendRaw(op, length, false), "lands");
            bool low_;
            Vm.Log[] memory logs = vm.getRecordedLogs();
            for (uint256 i = 0; i < logs.length; i++) {
                if (logs[i].topics[0] == keccak256("UserOperationPrefundTooLow(bytes32,address,uint256)")) low_ = true;
            }
            emit log_string(string.concat(version.name(), " token call gas ", vm.toString(callGas)));
            emit log_named_uint("  signature", length);
            emit log_named_uint("  prefund too low", low_ ? 1 : 0);
            emit log_named_uint("  stranded", paymaster.strandedOf(WALLET));
            emit log_named_uint("  prefund gas", version.prefundWei(op) / op.maxFeePerGas);
            emit log_named_uint("  spare gas", (version.prefundWei(op) + version.depositWei() - deposit) / op.maxFeePerGas);
            emit log_named_uint("  wallet paid gas", (1000 ether - paymaster.balanceOf(WALLET)) / op.maxFeePerGas);
            vm.revertToStateAndDelete(state);
        }
    }
}

contract EvadedDueV07Test is EvadedDueTest, TokenOnV07 {
    function _prepare() internal override(TokenWorld, TokenOnV07) {
        TokenOnV07._prepare();
    }
}

contract EvadedDueV08Test is EvadedDueTest, TokenOnV08 {
    function _prepare() internal override(TokenWorld, TokenOnV08) {
        TokenOnV08._prepare();
    }
}

contract EvadedDueV09Test is EvadedDueTest, TokenOnV09 {
    function _prepare() internal override(TokenWorld, TokenOnV09) {
        TokenOnV09._prepare();
    }
}
