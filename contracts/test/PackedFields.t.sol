// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {Op} from "./support/Op.sol";
import {OnV06, OnV07, OnV08, OnV09, World} from "./support/World.sol";

/// @notice Every packed field at the ends of its range, beside the greatest balance.
abstract contract PackedFieldsTest is World {
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

    function test_strandedPart_upToItsEndAndNotBeyond() public {
        vm.deal(address(this), 1 << 120);
        paymaster.depositFor{value: type(uint96).max - paymaster.balanceOf(WALLET)}(WALLET);
        Op memory op = _op();
        op.feeMarkup = 1_000_000;
        op.unaccountedGas = type(uint32).max;
        op.maxFeePerGas = type(uint80).max / op.unaccountedGas;
        uint256 state = vm.snapshotState();
        assertTrue(version.isAccepted(_signed(op)), "fits");
        vm.revertToState(state);
        op.maxFeePerGas += 1;
        assertTrue(!version.isAccepted(_signed(op)), "does not fit");
    }

    /// @dev An EntryPoint lets the tip be above the fee. v0.6 hands both on to settlement in one word.
    function test_tipAboveItsEnd_isRefusedWhereItIsPacked() public {
        Op memory op = _op();
        op.maxPriorityFeePerGas = type(uint88).max;
        uint256 state = vm.snapshotState();
        assertTrue(version.isAccepted(_signed(op)), "fits");
        vm.revertToState(state);
        op.maxPriorityFeePerGas += 1;
        assertEq(version.isAccepted(_signed(op)) ? 0 : 1, _isV06() ? 1 : 0, "refused on v0.6");
    }

    function test_greatestGas_isBilledByTheModel() public {
        vm.deal(address(this), 1 << 120);
        paymaster.depositFor{value: type(uint96).max - paymaster.balanceOf(WALLET)}(WALLET);
        Op memory op = _op();
        op.feeMarkup = 1_000_000;
        op.maxFeePerGas = op.maxPriorityFeePerGas = 1;
        op.preVerificationGas = 1 << 87;
        op.callGasLimit = 1_000_000;
        op = _signed(op);
        (bytes memory context, ) = version.validate(op);
        (bool ok, ) = version.callAsEntryPoint(version.postOpCall(context, 1_000_000, 1));
        assertTrue(ok, "settles");
        assertEq(type(uint96).max - paymaster.balanceOf(WALLET), version.costWei(op, 1_000_000, 1), "charge");
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

    /**
     * @dev A deposit while an operation is in flight fills the balance, and its refund does not fit any more. The wallet
     *      loses that refund; no other part of the word changes, and no other wallet pays.
     */
    function test_refundAboveTheGreatestBalance_isAllThatIsLost() public {
        Op memory op = _signed(_op());
        vm.deal(address(this), 1 << 98);
        paymaster.depositFor{value: type(uint96).max - paymaster.balanceOf(WALLET)}(WALLET);
        paymaster.depositFor{value: 1 ether}(WALLET_2);
        (bytes memory context, ) = version.validate(op);
        paymaster.depositFor{value: type(uint96).max - paymaster.balanceOf(WALLET)}(WALLET);
        (bool ok, ) = version.callAsEntryPoint(version.postOpCall(context, 1e15, 9 gwei));
        assertTrue(ok, "settles");
        assertEq(paymaster.balanceOf(WALLET), type(uint96).max, "the greatest balance");
        assertEq(paymaster.strandedOf(WALLET), 0, "stranded");
        assertLe(paymaster.feesOf(WALLET), 1 ether, "fees");
        assertEq(paymaster.balanceOf(WALLET_2), 1 ether, "another wallet");
        _assertSolvent();
    }
}

contract PackedFieldsV06Test is PackedFieldsTest, OnV06 {}

contract PackedFieldsV07Test is PackedFieldsTest, OnV07 {}

contract PackedFieldsV08Test is PackedFieldsTest, OnV08 {}

contract PackedFieldsV09Test is PackedFieldsTest, OnV09 {}
