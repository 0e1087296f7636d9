// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {IHybridPaymaster} from "../../src/interfaces/IHybridPaymaster.sol";
import {IPackedHybridPaymaster} from "../../src/interfaces/IPackedHybridPaymaster.sol";
import {Actors} from "../Invariants.t.sol";
import {Op, Outcome} from "../support/Op.sol";
import {TestAccount} from "../support/TestAccount.sol";
import {TestBase} from "../support/TestBase.sol";
import {Version} from "../support/Version.sol";
import {OnV06, OnV07, OnV08, OnV09, World} from "../support/World.sol";
import {TestToken} from "../support/tokens/TestToken.sol";
import {TokenAccount} from "../support/tokens/TokenAccount.sol";
import {Quirk, WeirdToken} from "../support/tokens/WeirdToken.sol";

/// @notice Senders who pay in tokens, with and against the rules: one per way, two tokens, two receivers.
contract Payers is TestBase {
    uint256[2] private _keys = [uint256(0x51611E5), 0x07E5];
    Version private immutable _version;
    IHybridPaymaster private immutable _paymaster;
    Actors private immutable _actors;
    address private immutable _owner;
    bool private immutable _isV06;
    address[3] private _payers;
    address[2] private _receivers = [address(0xFEE5), address(0xFEE6)];
    WeirdToken[2] private _tokens;
    uint256 private _permits;

    /// @dev What the paymaster must hold of each token: pulled less refunded and withdrawn; and what it was given.
    mapping(WeirdToken token => uint256) private _held;
    mapping(WeirdToken token => uint256) private _given;
    /// @dev Of operations that `postOp` did not settle, for each wallet, wei: the record, and what was taken of it.
    mapping(address wallet => uint256) private _recorded;
    mapping(address wallet => uint256) private _takenOfIt;
    uint256 public paidOperations;
    uint256 public unpaidOperations;

    constructor(Version version_, Actors actors_, address owner) {
        _version = version_;
        _paymaster = version_.paymaster();
        _actors = actors_;
        _owner = owner;
        _isV06 = version_.isV06();
        for (uint256 i = 0; i < 3; i++) _payers[i] = address(new TokenAccount(address(0)));
        _tokens = [new WeirdToken(6), new WeirdToken(18)];
    }

    /// @dev Tokens nobody has a right to.
    function giveTokens(uint256 which, uint256 amount) external {
        amount = bound(amount, 1, 1e20);
        _tokens[which % 2].mint(address(_paymaster), amount);
        _given[_tokens[which % 2]] += amount;
    }

    /// @dev Exactly what is booked goes out, to the one it is booked for, whoever asks.
    function withdrawTokens(uint256 which, uint256 who) external {
        WeirdToken token = _tokens[which % 2];
        address account = who % 5 < 2 ? _receivers[who % 5] : _payers[(who % 5) - 2];
        uint256 booked = _paymaster.tokenBalanceOf(address(token), account);
        if (booked == 0) return;
        uint256 before = token.balanceOf(account);
        vm.prank(account, account);
        _paymaster.withdrawTokens(address(token), account);
        assertEq(token.balanceOf(account) - before, booked, "the balance goes to its account");
        _held[token] -= booked;
    }

    /// @dev The owner returns what the EntryPoint's events say it did not take of a wallet's records.
    function returnUnsettled(uint256 who) external {
        address wallet = _actors.wallets(who % 3);
        if (_recorded[wallet] == 0) return;
        vm.prank(_owner);
        IPackedHybridPaymaster(address(_paymaster)).returnUnsettled(
            wallet,
            _recorded[wallet],
            _recorded[wallet] - _takenOfIt[wallet]
        );
        vm.warp(block.timestamp + _paymaster.signerDelaySeconds());
        IPackedHybridPaymaster(address(_paymaster)).creditUnsettled(wallet);
        _recorded[wallet] = _takenOfIt[wallet] = 0;
    }

    /// @dev The part of the precharges that no EntryPoint can take; nothing of it is in flight here.
    function returnStranded(uint256 who) external {
        address wallet = _actors.wallets(who % 3);
        if (_paymaster.strandedOf(wallet) == 0) return;
        vm.prank(wallet, wallet);
        _paymaster.returnStranded(wallet);
    }

    /// @dev Bundles that their wallets and senders afford never fail because of the paymaster (9).
    function bundles(uint256 seed) external {
        for (uint256 i = 0; i < 3; i++) {
            if (!_paymaster.paused()) _drawAndLand(uint256(keccak256(abi.encode(seed, i))));
        }
    }

    function _drawAndLand(uint256 seed) private {
        for (uint256 i = 0; i < 6; i++) {
            // Only the payer of way allowance has one beforehand.
            vm.prank(_payers[i / 2]);
            _tokens[i % 2].approve(address(_paymaster), i < 2 ? type(uint256).max : 0);
        }
        uint256[3] memory left;
        for (uint256 i = 0; i < 3; i++) left[i] = _paymaster.balanceOf(_actors.wallets(i));
        Op[] memory ops = new Op[](1 + (seed % 5));
        uint256 count;
        for (uint256 i = 0; i < ops.length; i++) {
            seed = uint256(keccak256(abi.encode(seed)));
            ops[count] = _draw(seed, uint192(i));
            uint256 precharge = _version.prechargeWei(ops[count]);
            if (precharge > left[(seed >> 8) % 3]) continue;
            left[(seed >> 8) % 3] -= precharge;
            count += 1;
        }
        assembly {
            mstore(ops, count)
        }
        if (count != 0) _land(ops);
    }

    function _draw(uint256 seed, uint192 key) private returns (Op memory op) {
        op.way = uint8(1 + (seed % 3));
        op.sender = _payers[seed % 3];
        op.nonce = _version.nonceOf(op.sender, key);
        op.callGasLimit = 100_000 + ((seed >> 40) % 300_000);
        op.verificationGasLimit = 600_000 + ((seed >> 64) % 100_000);
        op.preVerificationGas = 21_000 + ((seed >> 80) % 50_000);
        op.maxFeePerGas = (seed >> 96) % 100 gwei;
        op.maxPriorityFeePerGas = (seed >> 136) % (op.maxFeePerGas + 1);
        op.paymasterVerificationGasLimit = 500_000;
        op.paymasterPostOpGasLimit = 400_000 + ((seed >> 176) % 100_000);
        op.mode = 2;
        op.validUntil = uint48(block.timestamp + 1 hours);
        op.validAfter = uint48(block.timestamp - 1);
        op.fundingWallet = _actors.wallets((seed >> 8) % 3);
        op.feeMarkup = uint32(1_000_000 + ((seed >> 192) % 1_000_001));
        op.unaccountedGas = uint32(150_000 + ((seed >> 224) % 50_000));
        _setTerms(op, uint256(keccak256(abi.encode(seed, "terms"))));
        return _version.sign(op, _paymaster.isSigner(vm.addr(_keys[0])) ? _keys[0] : _keys[1]);
    }

    function _setTerms(Op memory op, uint256 seed) private {
        WeirdToken token = _tokens[seed % 2];
        op.token = address(token);
        op.exchangeRate = uint192(1 + ((seed >> 128) % (4_000 * 10 ** token.decimals())));
        op.premium = uint32(1_000_000 + ((seed >> 8) % 1_000_001));
        op.feeReceiver = _receivers[(seed >> 40) % 2];
        if (op.way == 2) {
            _permits += 1;
            op.permit = abi.encodePacked(type(uint256).max, block.timestamp, _permits, bytes32(0), uint8(27));
        }
        // The sender owns, and allows, hardly more than it needs.
        uint256 precharge = _version.inTokens(op, _version.prechargeWei(op));
        op.maxTokenCharge = uint192(precharge + ((seed >> 48) % 2) + (precharge == 0 ? 1 : 0));
        token.mint(op.sender, precharge);
        op.callData = _ending(op, (seed >> 56) % 10);
    }

    /// @dev What the user's calls do, after an approval.
    function _ending(Op memory op, uint256 ending) private view returns (bytes memory) {
        address[] memory targets = new address[](2);
        bytes[] memory datas = new bytes[](2);
        targets[0] = targets[1] = op.token;
        datas[0] = abi.encodeCall(TestToken.approve, (address(_paymaster), type(uint256).max));
        datas[1] = abi.encodeCall(TestToken.transfer, (address(0x5AFE), 1));
        if (ending == 0) datas[1] = abi.encodeCall(TestToken.approve, (address(_paymaster), 0));
        if (ending == 1) datas[1] = abi.encodeCall(WeirdToken.setQuirk, (Quirk.Paused));
        if (ending == 2) datas[1] = abi.encodeCall(WeirdToken.setQuirk, (Quirk.ReturnsFalse));
        if (ending == 3) datas[1] = abi.encodeCall(WeirdToken.setQuirk, (Quirk.NoReturn));
        if (ending == 4) datas[1] = abi.encodeCall(WeirdToken.setQuirk, (Quirk.RevertsShort));
        if (ending == 5) datas[1] = "no such function";
        if (ending == 6) return abi.encodeCall(TestAccount.burnEverything, ());
        if (ending == 7) {
            targets[1] = address(_paymaster);
            datas[1] = abi.encodeCall(_paymaster.withdrawTokens, (op.token, op.feeReceiver));
        }
        return abi.encodeCall(TokenAccount.executeBatch, (targets, datas));
    }

    function _land(Op[] memory ops) private {
        uint256[3] memory wallets;
        for (uint256 i = 0; i < 3; i++) wallets[i] = _paymaster.balanceOf(_actors.wallets(i));
        uint256 depositBefore = _version.depositWei();
        uint256[2] memory income = [_received(0), _received(1)];
        Outcome[] memory outcomes = _version.sendBundle(ops);
        for (uint256 i = 0; i < 2; i++) _tokens[i].setQuirk(Quirk.None);

        uint256 taken;
        for (uint256 i = 0; i < ops.length; i++) {
            taken += outcomes[i].takenWei;
            income[ops[i].token == address(_tokens[0]) ? 0 : 1] += _assertTokens(ops[i], outcomes[i]);
            uint256 charged = _assertCharge(ops[i], outcomes[i]);
            for (uint256 w = 0; w < 3; w++) if (_actors.wallets(w) == ops[i].fundingWallet) wallets[w] -= charged;
        }
        // Nobody but the named wallets pays (3), and receivers get what the events say.
        for (uint256 w = 0; w < 3; w++) assertEq(_paymaster.balanceOf(_actors.wallets(w)), wallets[w], "wallet");
        assertEq(depositBefore - _version.depositWei(), taken, "deposit");
        for (uint256 i = 0; i < 2; i++) assertEq(_received(i), income[i], "receivers");
    }

    /// @dev The wallet pays at least what the EntryPoint took (2), or its precharge where `postOp` was undone; wei.
    function _assertCharge(Op memory op, Outcome memory outcome) private returns (uint256 charged) {
        bool isUndone = !outcome.paid && !outcome.isDue;
        charged = isUndone ? _version.prechargeWei(op) : outcome.chargedWei;
        assertGe(charged, outcome.takenWei, "wallet's charge");
        if (!isUndone) return charged;
        _recorded[op.fundingWallet] += _version.ceilMarkup(_version.prefundWei(op), op.feeMarkup);
        _takenOfIt[op.fundingWallet] += outcome.takenWei;
    }

    /// @dev The receiver's income, base units: it covers the EntryPoint's part (5), and the sender's ceiling holds (6).
    function _assertTokens(Op memory op, Outcome memory outcome) private returns (uint256 income) {
        uint256 charged = outcome.chargedTokens;
        if (outcome.paid) {
            paidOperations += 1;
            assertGe(charged, _version.inTokens(op, outcome.takenWei), "token income");
            bool refundStays = op.way != 3 && outcome.refundedTokens == 0;
            uint256 chargedWei = refundStays ? _version.prechargeWei(op) : outcome.chargedWei;
            assertEq(charged, _version.inTokens(op, chargedWei), "token charge");
            assertLe(charged, op.maxTokenCharge, "ceiling");
        } else {
            unpaidOperations += 1;
            assertEq(op.way, 3, "only way batch approval is ever unpaid");
            assertTrue(!outcome.success, "and its calls do not stand");
        }
        if (op.way == 3) return charged;
        assertEq(charged + outcome.refundedTokens, _version.inTokens(op, _version.prechargeWei(op)), "nothing is lost");
        _held[WeirdToken(op.token)] += charged + outcome.refundKept;
        return charged;
    }

    /**
     * @notice The ledger of ether is covered (1), also if every record were returned; nobody took out more than was paid
     *         in (8); and the paymaster's tokens are what was pulled less what was refunded and withdrawn (7), which is
     *         what is booked.
     */
    function assertLedgers() external view {
        uint256 owed = _paymaster.feeBalance();
        for (uint256 i = 0; i < 3; i++) {
            address wallet = _actors.wallets(i);
            owed += _paymaster.balanceOf(wallet) + _paymaster.strandedOf(wallet) + _paymaster.feesOf(wallet);
            owed += _recorded[wallet] - _takenOfIt[wallet];
            if (_isV06) continue;
            uint256 unsettled = IPackedHybridPaymaster(address(_paymaster)).unsettledOf(wallet);
            assertEq(unsettled, _recorded[wallet], "records");
        }
        assertLe(owed, _version.depositWei(), "ledger against deposit");
        assertLe(_actors.withdrawn(), _actors.deposited() + 1300 ether, "withdrawn");
        for (uint256 i = 0; i < 2; i++) {
            WeirdToken token = _tokens[i];
            uint256 booked;
            for (uint256 j = 0; j < 2; j++) booked += _paymaster.tokenBalanceOf(address(token), _receivers[j]);
            for (uint256 j = 0; j < 3; j++) booked += _paymaster.tokenBalanceOf(address(token), _payers[j]);
            assertEq(booked, _held[token], "token balances");
            assertEq(token.balanceOf(address(_paymaster)), _held[token] + _given[token], "tokens held");
        }
    }

    /// @dev What both receivers have of a token, booked or sent.
    function _received(uint256 which) private view returns (uint256 sum) {
        for (uint256 i = 0; i < 2; i++) {
            sum += _tokens[which].balanceOf(_receivers[i]);
            sum += _paymaster.tokenBalanceOf(address(_tokens[which]), _receivers[i]);
        }
    }
}

/// @notice Operations paid in tokens among all that the other actors do, on the real EntryPoint.
abstract contract TokenInvariantsTest is World {
    Actors internal actors;
    Payers internal payers;

    function _prepare() internal virtual override {
        actors = new Actors(version, OWNER);
        payers = new Payers(version, actors, OWNER);
        for (uint256 i = 0; i < 3; i++) paymaster.depositFor{value: 100 ether}(actors.wallets(i));
    }

    function targetContracts() external view returns (address[] memory list) {
        list = new address[](2);
        list[0] = address(actors);
        list[1] = address(payers);
    }

    /// @notice After every call, see `assertLedgers`.
    function invariant_ledgers() public view {
        payers.assertLedgers();
    }

    /// @dev A sequence in which all is paid would prove nothing. A short one may be spent in a pause.
    function afterInvariant() public view {
        if (payers.paidOperations() + payers.unpaidOperations() < 100) return;
        assertTrue(payers.paidOperations() > 0 && payers.unpaidOperations() > 0, "some are paid and some are not");
    }
}

/// forge-config: default.invariant.runs = 32
/// forge-config: default.invariant.depth = 192
/// forge-config: long.invariant.runs = 1024
/// forge-config: long.invariant.depth = 512
contract TokenInvariantsV06Test is OnV06, TokenInvariantsTest {
    function _prepare() internal override(World, TokenInvariantsTest) {
        TokenInvariantsTest._prepare();
    }
}

/// forge-config: default.invariant.runs = 32
/// forge-config: default.invariant.depth = 192
/// forge-config: long.invariant.runs = 1024
/// forge-config: long.invariant.depth = 512
contract TokenInvariantsV07Test is OnV07, TokenInvariantsTest {
    function _prepare() internal override(World, TokenInvariantsTest) {
        TokenInvariantsTest._prepare();
    }
}

/// forge-config: default.invariant.runs = 32
/// forge-config: default.invariant.depth = 192
/// forge-config: long.invariant.runs = 1024
/// forge-config: long.invariant.depth = 512
contract TokenInvariantsV08Test is OnV08, TokenInvariantsTest {
    function _prepare() internal override(World, TokenInvariantsTest) {
        TokenInvariantsTest._prepare();
    }
}

/// forge-config: default.invariant.runs = 32
/// forge-config: default.invariant.depth = 192
/// forge-config: long.invariant.runs = 1024
/// forge-config: long.invariant.depth = 512
contract TokenInvariantsV09Test is OnV09, TokenInvariantsTest {
    function _prepare() internal override(World, TokenInvariantsTest) {
        TokenInvariantsTest._prepare();
    }
}
