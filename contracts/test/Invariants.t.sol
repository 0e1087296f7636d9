// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {IHybridPaymaster} from "../src/interfaces/IHybridPaymaster.sol";
import {Op, Outcome} from "./support/Op.sol";
import {TestAccount} from "./support/TestAccount.sol";
import {TestBase} from "./support/TestBase.sol";
import {Version} from "./support/Version.sol";
import {OnV06, OnV07, OnV08, OnV09, World} from "./support/World.sol";

/// @notice Everybody who can act on the paymaster: wallets, owner, bundler, donors; three wallets, four accounts.
contract Actors is TestBase {
    /// @dev All that an operation was drawn from, to draw it again: a whole operation would fill 30 slots.
    struct Drawn {
        uint256 seed;
        uint128 nonce;
        uint48 at;
        uint8 signing;
    }

    uint256[2] private _keys = [uint256(0x51611E5), 0x07E5];
    uint256 private _signing;
    address private immutable _owner;
    Version private immutable _version;
    IHybridPaymaster private immutable _paymaster;
    address[3] public wallets = [address(0xFA11E7), address(0xFA11E8), address(0xFA11E9)];
    TestAccount[4] private _accounts;
    Drawn[] private _landed;

    uint256 public deposited;
    uint256 public withdrawn;
    uint256 public landedOperations;

    constructor(Version version_, address owner) {
        _version = version_;
        _owner = owner;
        _paymaster = version_.paymaster();
        for (uint256 i = 0; i < 4; i++) _accounts[i] = new TestAccount();
        vm.deal(address(this), 1e30);
    }

    function deposit(uint256 who, uint256 amount) external {
        amount = bound(amount, 1, 5 ether);
        _paymaster.depositFor{value: amount}(wallets[who % 3]);
        deposited += amount;
    }

    function donate(uint256 amount) external {
        _version.entryPoint().depositTo{value: bound(amount, 1, 1 ether)}(address(_paymaster));
    }

    function requestWithdrawal(uint256 who, uint256 amount) external {
        address wallet = wallets[who % 3];
        if (_paymaster.balanceOf(wallet) == 0) return;
        vm.prank(wallet);
        _paymaster.requestWithdrawal(bound(amount, 1, 10 ether));
    }

    function cancelWithdrawal(uint256 who) external {
        (uint256 amount, ) = _paymaster.withdrawalOf(wallets[who % 3]);
        if (amount == 0) return;
        vm.prank(wallets[who % 3]);
        _paymaster.cancelWithdrawal();
    }

    /// @dev Also while paused: withdrawals never wait for the owner (14).
    function executeWithdrawal(uint256 who) external {
        address wallet = wallets[who % 3];
        (uint256 amount, uint256 due) = _paymaster.withdrawalOf(wallet);
        if (amount == 0) return;
        if (block.timestamp < due) vm.warp(due);
        if (block.timestamp >= due + _paymaster.WITHDRAWAL_WINDOW_SECONDS()) return;
        uint256 balance = _paymaster.balanceOf(wallet);
        uint256 expected = amount < balance ? amount : balance;
        uint256 before = address(0x70).balance;
        vm.prank(wallet);
        _paymaster.executeWithdrawal(payable(address(0x70)));
        assertEq(address(0x70).balance - before, expected, "pays min(requested, balance)");
        withdrawn += expected;
    }

    function collectFees(uint256 who) external {
        address[] memory list = new address[](1);
        list[0] = wallets[who % 3];
        uint256 before = _feesWei();
        _paymaster.collectFees(list);
        assertEq(_feesWei(), before, "collecting neither adds nor loses");
    }

    function withdrawFees(uint256 amount) external {
        amount = bound(amount, 0, _paymaster.feeBalance());
        vm.prank(_owner);
        _paymaster.withdrawFees(payable(address(0xFEE)), amount);
        withdrawn += amount;
    }

    function togglePause(uint256 seed) external {
        vm.prank(_owner);
        if (seed % 4 == 0) _paymaster.pause();
        else _paymaster.unpause();
    }

    /// @dev The old key fails and the new one works (13).
    function rotateSigner() external {
        address oldSigner = vm.addr(_keys[_signing]);
        _signing = 1 - _signing;
        address newSigner = vm.addr(_keys[_signing]);
        vm.prank(_owner);
        _paymaster.addSigner(newSigner);
        vm.warp(_paymaster.signerActiveFrom(newSigner) + 1);
        vm.prank(_owner);
        _paymaster.removeSigner(oldSigner);
    }

    function fees(uint256 baseFee, uint256 bundlerPrice) external {
        vm.fee(bound(baseFee, 0, 100 gwei));
        vm.txGasPrice(bound(bundlerPrice, 0, 100 gwei));
    }

    /// @dev A bundle of operations their wallets afford together never fails because of the paymaster (9).
    function bundle(uint256 seed) external {
        uint256[3] memory left;
        for (uint256 i = 0; i < 3; i++) left[i] = _paymaster.balanceOf(wallets[i]);
        Op[] memory ops = new Op[](1 + (seed % 6));
        Drawn[] memory drawn = new Drawn[](ops.length);
        uint256 count;
        for (uint256 i = 0; i < ops.length; i++) {
            seed = uint256(keccak256(abi.encode(seed)));
            drawn[count] = _draw(seed, uint192(i));
            ops[count] = _operation(drawn[count]);
            uint256 wallet = (seed >> 8) % 3;
            uint256 precharge = _version.prechargeWei(ops[count]);
            if (precharge > left[wallet]) continue;
            left[wallet] -= precharge;
            count += 1;
        }
        if (count == 0) return;
        assembly {
            mstore(ops, count)
        }
        if (_paymaster.paused()) return _assertRefused(ops);
        _assertSettles(ops);
        for (uint256 i = 0; i < count; i++) _landed.push(drawn[i]);
    }

    /// @dev One operation of a bundle carries another key's signature: nothing changes (4).
    function forgedBundle(uint256 seed) external {
        Op[] memory ops = new Op[](1);
        ops[0] = _version.sign(_operation(_draw(seed, 0)), 0xBAD);
        if (_version.prechargeWei(ops[0]) > _paymaster.balanceOf(ops[0].fundingWallet)) return;
        _assertRefused(ops);
    }

    /// @dev A landed operation never lands again, nor does its signature under another nonce (12).
    function replay(uint256 seed) external {
        if (_landed.length == 0) return;
        Op[] memory ops = new Op[](1);
        ops[0] = _operation(_landed[seed % _landed.length]);
        if (seed & 256 != 0) ops[0].nonce = _version.nonceOf(ops[0].sender, uint192(seed >> 64));
        _assertRefused(ops);
    }

    function _draw(uint256 seed, uint192 key) private view returns (Drawn memory) {
        uint256 nonce = _version.nonceOf(address(_accounts[seed % 4]), key);
        return Drawn(seed, uint128(nonce), uint48(block.timestamp), uint8(_signing));
    }

    function _operation(Drawn memory drawn) private view returns (Op memory op) {
        uint256 seed = drawn.seed;
        op.sender = address(_accounts[seed % 4]);
        op.nonce = drawn.nonce;
        uint256 ending = (seed >> 16) % 4;
        if (ending == 0) op.callData = abi.encodeCall(TestAccount.write, (seed));
        if (ending == 1) op.callData = abi.encodeCall(TestAccount.revertWith, ((seed >> 24) % 4_096));
        if (ending == 2) op.callData = abi.encodeCall(TestAccount.burnEverything, ());
        op.callGasLimit = 30_000 + ((seed >> 40) % 300_000);
        op.verificationGasLimit = 110_000 + ((seed >> 64) % 100_000);
        op.preVerificationGas = 21_000 + ((seed >> 80) % 50_000);
        op.maxFeePerGas = (seed >> 96) % 100 gwei;
        op.maxPriorityFeePerGas = (seed >> 136) % (op.maxFeePerGas + 1);
        op.paymasterVerificationGasLimit = 50_000 + ((seed >> 176) % 50_000);
        op.paymasterPostOpGasLimit = 30_000 + ((seed >> 192) % 200_000);
        op.mode = 1;
        op.validUntil = drawn.at + 1 hours;
        op.validAfter = drawn.at - 1;
        op.fundingWallet = wallets[(seed >> 8) % 3];
        op.feeMarkup = uint32(1_000_000 + ((seed >> 208) % 1_000_001));
        op.unaccountedGas = uint32(_version.minUnaccountedGas() + ((seed >> 232) % 5_000));
        op = _version.sign(op, _keys[drawn.signing]);
    }

    function _assertSettles(Op[] memory ops) private {
        uint256[3] memory expected;
        for (uint256 i = 0; i < 3; i++) expected[i] = _paymaster.balanceOf(wallets[i]);
        uint256 depositBefore = _version.depositWei();
        uint256 feesBefore = _feesWei();

        Outcome[] memory outcomes = _version.sendBundle(ops);

        uint256 taken;
        uint256 income;
        for (uint256 i = 0; i < ops.length; i++) {
            Outcome memory outcome = outcomes[i];
            assertTrue(outcome.settled, "every operation settles");
            // A wallet pays at least what the EntryPoint took (2), and postOp stays within its bound (10).
            assertGe(outcome.chargedWei - outcome.feeWei, outcome.takenWei, "charge covers the cost");
            for (uint256 w = 0; w < 3; w++) {
                if (wallets[w] == ops[i].fundingWallet) expected[w] -= outcome.chargedWei;
            }
            taken += outcome.takenWei;
            income += outcome.feeWei;
        }
        // Nobody but the named wallets pays (3).
        for (uint256 w = 0; w < 3; w++) assertEq(_paymaster.balanceOf(wallets[w]), expected[w], "wallet");
        assertEq(depositBefore - _version.depositWei(), taken, "deposit");
        assertEq(_feesWei() - feesBefore, income, "fees");
        landedOperations += ops.length;
    }

    function _assertRefused(Op[] memory ops) private {
        uint256[3] memory before;
        for (uint256 i = 0; i < 3; i++) before[i] = _paymaster.balanceOf(wallets[i]);
        uint256 depositBefore = _version.depositWei();
        try _version.sendWithGas(ops, 50_000_000) {
            revert NotTrue("the bundle is refused");
        } catch {}
        for (uint256 i = 0; i < 3; i++) assertEq(_paymaster.balanceOf(wallets[i]), before[i], "wallet");
        assertEq(_version.depositWei(), depositBefore, "deposit");
    }

    function _feesWei() private view returns (uint256 sum) {
        sum = _paymaster.feeBalance();
        for (uint256 i = 0; i < 3; i++) sum += _paymaster.feesOf(wallets[i]);
    }

    receive() external payable {}
}

/// @notice Random sequences of all actors, on the real EntryPoint. The numbers are the rules' numbers in the README.
abstract contract InvariantsTest is World {
    Actors internal actors;

    function _prepare() internal virtual override {
        actors = new Actors(version, OWNER);
        for (uint256 i = 0; i < 3; i++) paymaster.depositFor{value: 100 ether}(actors.wallets(i));
    }

    function targetContracts() external view returns (address[] memory) {
        return _list(address(actors));
    }

    /**
     * @dev After every call: the ledger is covered by the deposit (1), nobody took out more than was paid in (8), and
     *      nothing stays in flight. The other rules are checked by the actors as they act.
     */
    function invariant_ledger() public view {
        uint256 owed = paymaster.feeBalance();
        for (uint256 i = 0; i < 3; i++) {
            address wallet = actors.wallets(i);
            owed += paymaster.balanceOf(wallet) + paymaster.feesOf(wallet);
            assertEq(paymaster.strandedOf(wallet), 0, "in flight");
        }
        assertLe(owed, version.depositWei(), "ledger against deposit");
        assertLe(actors.withdrawn(), actors.deposited() + 1300 ether, "withdrawn");
    }

    /// @dev Whatever happened before, operations of funded wallets land, unless in a pause: a sequence may be spent in one.
    function afterInvariant() public {
        for (uint256 i = 0; i < 3; i++) actors.deposit(i, 5 ether);
        actors.togglePause(1);
        uint256 before = actors.landedOperations();
        actors.bundle(0);
        assertTrue(actors.landedOperations() > before, "operations land");
    }
}

contract InvariantsV06Test is OnV06, InvariantsTest {
    function _prepare() internal override(World, InvariantsTest) {
        InvariantsTest._prepare();
    }
}

contract InvariantsV07Test is OnV07, InvariantsTest {
    function _prepare() internal override(World, InvariantsTest) {
        InvariantsTest._prepare();
    }
}

contract InvariantsV08Test is OnV08, InvariantsTest {
    function _prepare() internal override(World, InvariantsTest) {
        InvariantsTest._prepare();
    }
}

contract InvariantsV09Test is OnV09, InvariantsTest {
    function _prepare() internal override(World, InvariantsTest) {
        InvariantsTest._prepare();
    }
}
