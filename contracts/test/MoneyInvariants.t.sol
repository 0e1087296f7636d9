// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {IHybridPaymaster} from "../src/interfaces/IHybridPaymaster.sol";
import {IPackedHybridPaymaster} from "../src/interfaces/IPackedHybridPaymaster.sol";
import {Op, Outcome} from "./support/Op.sol";
import {TestAccount} from "./support/TestAccount.sol";
import {TestBase} from "./support/TestBase.sol";
import {Version} from "./support/Version.sol";
import {OnV06, OnV07, OnV08, OnV09, World} from "./support/World.sol";
import {TestToken} from "./support/tokens/TestToken.sol";
import {TokenAccount} from "./support/tokens/TokenAccount.sol";
import {Quirk, WeirdToken} from "./support/tokens/WeirdToken.sol";

/// @notice Where ether is. A wallet has the places down to `Stated` for itself; the others are there once.
enum Place {
    /// @dev `balanceOf`.
    Balance,
    /// @dev Precharges between validation and settlement: nothing between two calls.
    Flight,
    /// @dev `strandedOf`.
    Stranded,
    /// @dev `feesOf`: paid, not collected.
    Fees,
    /// @dev `unsettledOf` less what the EntryPoint took of those operations.
    Unsettled,
    /// @dev What the owner stated by `returnUnsettled` and nobody has credited. The contract has no getter for it.
    Stated,
    /// @dev `feeBalance`: collected, not withdrawn.
    Collected,
    /// @dev In the deposit and nobody's. The contract does not store it: billed less taken of each operation, gifts, and
    ///      what does not fit into a place: a balance above 96 bits, fees above 80.
    Reserve,
    /// @dev The owner's stake in the EntryPoint.
    Stake,
    /// @dev Paid out by `executeWithdrawal`, `withdrawFees` and `withdrawStake`.
    Withdrawn,
    /// @dev Paid to the bundler by the EntryPoint.
    Taken
}

/**
 * @notice Everybody who moves money: wallets, owner, strangers, a bundler, and accounts within their operations. Each
 *         call also moves the money in books of two sides: what leaves a place enters another.
 */
contract Movers is TestBase {
    uint256 private constant _SIGNER_KEY = 0x51611E5;
    address private constant _STRANGER = address(0x57);
    uint256 private constant _MOST_BALANCE = type(uint96).max;
    uint256 private constant _MOST_STRANDED = type(uint80).max;
    uint256 private constant _MOST_FEES = type(uint80).max;
    /// @dev What an operation's calls do beside their approval: the first six call the paymaster.
    uint256 private constant _DEEDS = 16;
    uint256 private constant _DEPOSIT = 0;
    uint256 private constant _FILL = 1;
    uint256 private constant _COLLECT = 2;
    uint256 private constant _WITHDRAW = 3;

    address payable private constant _RECIPIENT = payable(address(0x70));

    address private immutable _owner;
    Version private immutable _version;
    IHybridPaymaster private immutable _paymaster;
    address private immutable _beneficiary;
    bool private immutable _isV06;
    /// @notice The last one is an account, which acts in its own operations too.
    address[3] private _wallets = [address(0xFA11E7), address(0xFA11E8), address(0)];
    /// @notice Who has tokens: one account per way to pay, then two fee receivers.
    address[5] private _holders;
    WeirdToken[2] private _tokens;
    uint256 private _permits;

    struct Stated {
        uint256 amount;
        uint256 dueAt;
    }

    /// @dev What the owner stated of a wallet's records, in order, and how many of these are credited.
    mapping(address wallet => Stated[]) private _stated;
    mapping(address wallet => uint256) private _credited;

    /// @notice The books of ether, wei: what was brought, and where it is.
    uint256 private _brought;
    mapping(Place place => mapping(address wallet => uint256)) private _at;
    /// @notice What the EntryPoint took of the operations in `unsettledOf`, wei.
    mapping(address wallet => uint256) private _takenOfUnsettled;
    /// @notice The books of each token, base units: in a holder's hands, booked for it, and the paymaster's by mistake.
    mapping(WeirdToken token => mapping(address holder => uint256)) private _owned;
    mapping(WeirdToken token => mapping(address holder => uint256)) private _booked;
    mapping(WeirdToken token => uint256) private _loose;

    /// @dev The world has deposited for the first wallet and staked.
    constructor(Version version_, address owner, uint256 depositedWei, uint256 stakedWei) {
        (_version, _owner) = (version_, owner);
        _paymaster = version_.paymaster();
        (_beneficiary, _isV06) = (version_.BENEFICIARY(), version_.isV06());
        for (uint256 i = 0; i < 3; i++) _holders[i] = address(new TokenAccount(address(0)));
        (_holders[3], _holders[4]) = (address(0xFEE5), address(0xFEE6));
        _wallets[2] = _holders[2];
        _tokens = [new WeirdToken(6), new WeirdToken(18)];
        vm.deal(address(this), 1 << 128);
        vm.deal(owner, 1 << 128);
        _bring(Place.Balance, _wallets[0], depositedWei);
        _bring(Place.Stake, address(0), stakedWei);
        _deposit(_wallets[1], _MOST_BALANCE / 2);
        _deposit(_wallets[2], _MOST_BALANCE);
    }

    // Strangers

    function deposit(uint256 who, uint256 amount) external {
        address wallet = _wallets[who % 3];
        uint256 room = _MOST_BALANCE - _at[Place.Balance][wallet];
        if (room != 0) _deposit(wallet, who % 4 == 0 ? room : bound(amount, 1, _min(room, 5 ether)));
    }

    function give(uint256 amount) external {
        amount = bound(amount, 1, 1 ether);
        _version.entryPoint().depositTo{value: amount}(address(_paymaster));
        _bring(Place.Reserve, address(0), amount);
    }

    function giveTokens(uint256 which, uint256 amount) external {
        amount = bound(amount, 1, 1e20);
        _tokens[which % 2].mint(address(_paymaster), amount);
        _loose[_tokens[which % 2]] += amount;
    }

    function returnStranded(uint256 who) external {
        address wallet = _walletWith(Place.Stranded, who);
        uint256 amount = _at[Place.Stranded][wallet];
        if (amount == 0) return;
        vm.prank(_STRANGER, _STRANGER);
        _paymaster.returnStranded(wallet);
        _moveWhatFits(Place.Stranded, Place.Balance, wallet, amount, _MOST_BALANCE);
    }

    function collectFees(uint256 first, uint256 second) external {
        address[] memory list = new address[](2);
        (list[0], list[1]) = (_wallets[first % 3], _wallets[second % 3]);
        vm.prank(_STRANGER);
        _paymaster.collectFees(list);
        for (uint256 i = 0; i < 2; i++) _move(Place.Fees, Place.Collected, list[i], _at[Place.Fees][list[i]]);
    }

    function withdrawTokens(uint256 which, uint256 who, uint256 amount) external {
        (WeirdToken token, address holder) = (_tokens[which % 2], _holders[who % 5]);
        uint256 most = _booked[token][holder];
        if (most == 0) return;
        amount = amount % 2 == 0 ? most : bound(amount, 1, most);
        vm.prank(_STRANGER, _STRANGER);
        if (amount == most) _paymaster.withdrawTokens(address(token), holder);
        else _paymaster.withdrawSomeTokens(address(token), holder, amount);
        _booked[token][holder] -= amount;
        _owned[token][holder] += amount;
    }

    /// @dev Of several statements only those that are due: a later one waits for itself.
    function creditUnsettled(uint256 who) external {
        address wallet = _wallets[who % 3];
        if (_stated[wallet].length == _credited[wallet]) return;
        uint256 dueAt = _stated[wallet][_credited[wallet]].dueAt;
        if (block.timestamp < dueAt) vm.warp(dueAt);
        vm.prank(_STRANGER);
        IPackedHybridPaymaster(address(_paymaster)).creditUnsettled(wallet);
        _creditDue(wallet);
    }

    /// @dev What only a wallet, the owner or the EntryPoint may do, and a plain transfer.
    function trespass(uint256 which) external {
        bytes[8] memory calls = [
            abi.encodeCall(_paymaster.requestWithdrawal, (1)),
            abi.encodeCall(_paymaster.executeWithdrawal, (payable(_STRANGER))),
            abi.encodeCall(_paymaster.withdrawFees, (payable(_STRANGER), 0)),
            abi.encodeCall(_paymaster.unlockStake, ()),
            abi.encodeCall(_paymaster.withdrawStake, (payable(_STRANGER))),
            abi.encodeCall(IPackedHybridPaymaster.returnUnsettled, (_wallets[0], 1, 1)),
            _version.postOpCall(new bytes(128), 0, 0),
            bytes("")
        ];
        vm.deal(_STRANGER, 1);
        vm.prank(_STRANGER);
        (bool ok, ) = address(_paymaster).call{value: which % 8 == 7 ? 1 : 0}(calls[which % 8]);
        assertTrue(!ok, "refused");
    }

    // Wallets

    function requestWithdrawal(uint256 who, uint256 amount) external {
        uint256 balance = _at[Place.Balance][_wallets[who % 3]];
        if (balance == 0) return;
        vm.prank(_wallets[who % 3]);
        _paymaster.requestWithdrawal(who % 4 == 0 ? balance : bound(amount, 1, _min(balance, 10 ether)));
    }

    function executeWithdrawal(uint256 who) external {
        address wallet = _wallets[who % 3];
        (uint256 amount, uint256 due) = _paymaster.withdrawalOf(wallet);
        if (amount == 0 || block.timestamp >= due + _paymaster.WITHDRAWAL_WINDOW_SECONDS()) return;
        if (block.timestamp < due) vm.warp(due);
        vm.prank(wallet);
        _paymaster.executeWithdrawal(_RECIPIENT);
        _move(Place.Balance, Place.Withdrawn, wallet, _min(amount, _at[Place.Balance][wallet]));
    }

    // Owner

    function withdrawFees(uint256 amount) external {
        uint256 collected = _at[Place.Collected][address(0)];
        amount = amount % 4 == 0 ? collected : bound(amount, 0, collected);
        vm.prank(_owner);
        _paymaster.withdrawFees(_RECIPIENT, amount);
        _move(Place.Collected, Place.Withdrawn, address(0), amount);
    }

    /// @dev About a part of the record. The owner states at most what the EntryPoint left of it.
    function returnUnsettled(uint256 who, uint256 recorded, uint256 returned) external {
        address wallet = _walletWith(Place.Unsettled, who);
        (uint256 left, uint256 taken) = (_at[Place.Unsettled][wallet], _takenOfUnsettled[wallet]);
        if (left + taken == 0) return;
        recorded = recorded % 4 == 0 ? left + taken : bound(recorded, 1, left + taken);
        taken = _min(taken, recorded);
        left = recorded - taken;
        returned = returned % 4 == 0 ? left : bound(returned, 0, left);
        IPackedHybridPaymaster packed = IPackedHybridPaymaster(address(_paymaster));
        _creditDue(wallet);
        if (_stated[wallet].length - _credited[wallet] == packed.MAX_WAITING_STATEMENTS()) {
            vm.warp(_stated[wallet][_credited[wallet]].dueAt);
            _creditDue(wallet);
        }
        vm.prank(_owner);
        packed.returnUnsettled(wallet, recorded, returned);
        _stated[wallet].push(Stated(returned, block.timestamp + packed.signerDelaySeconds()));
        _takenOfUnsettled[wallet] -= taken;
        _move(Place.Unsettled, Place.Stated, wallet, returned);
        _move(Place.Unsettled, Place.Reserve, wallet, left - returned);
    }

    function renewStake(uint256 amount) external {
        amount = bound(amount, 1, 1 ether);
        vm.prank(_owner);
        _paymaster.unlockStake();
        vm.warp(block.timestamp + 1 days);
        vm.prank(_owner);
        _paymaster.withdrawStake(_RECIPIENT);
        _move(Place.Stake, Place.Withdrawn, address(0), _at[Place.Stake][address(0)]);
        vm.prank(_owner);
        _paymaster.addStake{value: amount}(1 days);
        _bring(Place.Stake, address(0), amount);
    }

    // Bundler

    function prices(uint256 baseFee, uint256 bundlerPrice) external {
        vm.fee(bound(baseFee, 0, 100 gwei));
        vm.txGasPrice(bound(bundlerPrice, 0, 100 gwei));
    }

    function bundles(uint256 seed) external {
        for (uint256 i = 0; i < 3; i++) _bundle(uint256(keccak256(abi.encode(seed, i))));
    }

    /// @dev Operations that wallets and senders afford. In each third bundle `postOp` reverts, as after a later fork.
    function _bundle(uint256 seed) private {
        for (uint256 i = 0; i < 3; i++) {
            for (uint256 t = 0; t < 2; t++) {
                vm.prank(_holders[i]);
                _tokens[t].approve(address(_paymaster), i == 0 ? type(uint256).max : 0);
            }
        }
        (Op[] memory ops, uint256[] memory deeds, uint256[] memory amounts) = _draw(seed);
        if (ops.length == 0) return;
        for (uint256 mode = 0; (seed >> 128) % 3 == 0 && mode < 2; mode++) {
            bytes memory start = abi.encodePacked(bytes4(_version.postOpCall("", 0, 0)), mode);
            vm.mockCallRevert(address(_paymaster), start, "longer than thirty-two bytes of revert data");
        }
        Outcome[] memory outcomes = _version.sendBundleWithGas(ops, 100_000_000);
        vm.clearMockedCalls();
        for (uint256 t = 0; t < 2; t++) _tokens[t].setQuirk(Quirk.None);

        // An EntryPoint validates all operations before it calls the first account.
        for (uint256 i = 0; i < ops.length; i++) _validated(ops[i]);
        for (uint256 i = 0; i < ops.length; i++) {
            if (outcomes[i].success) _called(ops[i], deeds[i], amounts[i]);
            if (outcomes[i].settled) _settled(ops[i], outcomes[i]);
            else _leftBehind(ops[i], outcomes[i]);
            if (ops[i].mode == 2) _paid(ops[i], outcomes[i]);
        }
    }

    function _draw(uint256 seed) private returns (Op[] memory ops, uint256[] memory deeds, uint256[] memory amounts) {
        uint256 count;
        (ops, deeds, amounts) = (new Op[](1 + (seed % 4)), new uint256[](4), new uint256[](4));
        uint256[3] memory balances;
        uint256[3] memory stranded;
        for (uint256 i = 0; i < 3; i++) {
            (balances[i], stranded[i]) = (_at[Place.Balance][_wallets[i]], _at[Place.Stranded][_wallets[i]]);
        }
        for (uint256 i = 0; i < ops.length; i++) {
            seed = uint256(keccak256(abi.encode(seed)));
            uint256 who = (seed >> 8) % 3;
            Op memory op = _terms(seed, _wallets[who], uint192(i));
            uint256 precharge = _version.prechargeWei(op);
            uint256 strandable = precharge - _kept(op);
            if (precharge > balances[who] || strandable > _MOST_STRANDED - stranded[who]) continue;
            balances[who] -= precharge;
            stranded[who] += strandable;
            if (op.mode == 2) _addTokens(op, precharge, seed);
            deeds[count] = (seed >> 16) % _DEEDS;
            amounts[count] = _amount(op, deeds[count], _MOST_BALANCE - balances[who], seed);
            op.callData = _calls(op, deeds[count], amounts[count]);
            ops[count++] = _version.sign(op, _SIGNER_KEY);
        }
        assembly {
            mstore(ops, count)
        }
    }

    function _terms(uint256 seed, address wallet, uint192 key) private view returns (Op memory op) {
        op.mode = uint8(1 + (seed % 2));
        op.way = uint8(1 + ((seed >> 24) % 3));
        op.sender = _holders[op.way - 1];
        op.nonce = _version.nonceOf(op.sender, key);
        op.callGasLimit = 250_000 + ((seed >> 40) % 150_000);
        op.verificationGasLimit = 600_000 + ((seed >> 64) % 100_000);
        op.preVerificationGas = 21_000 + ((seed >> 80) % 50_000);
        op.paymasterVerificationGasLimit = 500_000;
        op.paymasterPostOpGasLimit = 400_000 + ((seed >> 176) % 100_000);
        op.validUntil = uint48(block.timestamp + 1 hours);
        op.validAfter = uint48(block.timestamp - 1);
        op.fundingWallet = wallet;
        op.feeMarkup = uint32(1_000_000 + ((seed >> 192) % 1_000_001));
        op.unaccountedGas = uint32((op.mode == 1 ? 8_000 : 100_000) + ((seed >> 224) % 10_000));
        uint256 price = (seed >> 32) % 8;
        op.maxFeePerGas = (seed >> 96) % (price < 3 ? 5e19 : 100 gwei);
        if (price == 0) {
            // What this leaves behind fills its 80 bits, both being divisors of 2^80 - 1, and the rest needs more than 88.
            (op.feeMarkup, op.unaccountedGas) = (1_000_000, op.mode == 1 ? 8_525 : 61_681);
            op.callGasLimit += 15_000_000;
            op.maxFeePerGas = _MOST_STRANDED / op.unaccountedGas;
        }
        op.maxPriorityFeePerGas = (seed >> 136) % (op.maxFeePerGas + 1);
    }

    function _addTokens(Op memory op, uint256 precharge, uint256 seed) private {
        WeirdToken token = _tokens[(seed >> 48) % 2];
        op.token = address(token);
        op.exchangeRate = uint192(1 + ((seed >> 128) % (4_000 * 10 ** token.decimals())));
        op.premium = uint32(1_000_000 + ((seed >> 56) % 1_000_001));
        op.feeReceiver = _holders[3 + ((seed >> 72) % 2)];
        if (op.way == 2) {
            _permits += 1;
            op.permit = abi.encodePacked(type(uint256).max, block.timestamp, _permits, bytes32(0), uint8(27));
        }
        op.maxTokenCharge = uint192(_version.inTokens(op, precharge) + 1);
        token.mint(op.sender, op.maxTokenCharge);
        _owned[token][op.sender] += op.maxTokenCharge;
    }

    /// @dev The ether that a deed is about, wei.
    function _amount(Op memory op, uint256 deed, uint256 room, uint256 seed) private view returns (uint256 amount) {
        if (deed == _DEPOSIT) return 1 + (seed % 1 ether);
        if (deed == _FILL) return room;
        if (deed == _WITHDRAW) (amount, ) = _paymaster.withdrawalOf(op.sender);
    }

    function _calls(Op memory op, uint256 deed, uint256 amount) private returns (bytes memory) {
        if (deed == _DEEDS - 1) return abi.encodeCall(TestAccount.burnEverything, ());
        address[] memory targets = new address[](2);
        bytes[] memory datas = new bytes[](2);
        (targets[0], datas[0]) = (op.sender, abi.encodeCall(TestAccount.nothing, ()));
        if (op.mode == 2) {
            (targets[0], datas[0]) = (op.token, abi.encodeCall(TestToken.approve, (address(_paymaster), 1 << 255)));
        }
        (targets[1], datas[1]) = (address(_paymaster), "");
        if (deed == _DEPOSIT || deed == _FILL) {
            vm.deal(op.sender, op.sender.balance + amount);
            targets[1] = op.sender;
            datas[1] = abi.encodeCall(
                TestAccount.execute,
                (address(_paymaster), amount, abi.encodeCall(_paymaster.depositFor, (op.fundingWallet)))
            );
        } else if (deed == _COLLECT) {
            address[] memory list = new address[](1);
            list[0] = op.fundingWallet;
            datas[1] = abi.encodeCall(_paymaster.collectFees, (list));
        } else if (deed == _WITHDRAW) {
            datas[1] = abi.encodeCall(_paymaster.executeWithdrawal, (_RECIPIENT));
        } else if (deed == 4) {
            datas[1] = abi.encodeCall(_paymaster.returnStranded, (op.fundingWallet));
        } else if (deed == 5) {
            datas[1] = abi.encodeCall(_paymaster.withdrawTokens, (op.token, op.feeReceiver));
        } else if (deed > 10 || op.mode == 1) {
            (targets[1], datas[1]) = (op.sender, abi.encodeCall(TestAccount.write, (deed)));
        } else if (deed == 6) {
            (targets[1], datas[1]) = (op.token, abi.encodeCall(TestToken.approve, (address(_paymaster), 0)));
        } else {
            Quirk[4] memory quirks = [Quirk.Paused, Quirk.ReturnsFalse, Quirk.RevertsShort, Quirk.BurnsEverything];
            (targets[1], datas[1]) = (op.token, abi.encodeCall(WeirdToken.setQuirk, (quirks[deed - 7])));
        }
        return abi.encodeCall(TokenAccount.executeBatch, (targets, datas));
    }

    // The books

    /// @dev The contract credits what is due in the order in which it was stated.
    function _creditDue(address wallet) private {
        uint256 next = _credited[wallet];
        uint256 amount;
        while (next < _stated[wallet].length && _stated[wallet][next].dueAt <= block.timestamp) {
            amount += _stated[wallet][next].amount;
            next += 1;
        }
        _credited[wallet] = next;
        _moveWhatFits(Place.Stated, Place.Balance, wallet, amount, _MOST_BALANCE);
    }

    function _validated(Op memory op) private {
        _move(Place.Balance, Place.Flight, op.fundingWallet, _version.prechargeWei(op));
        if (op.mode == 2 && op.way != 3) {
            uint256 most = _version.inTokens(op, _version.prechargeWei(op));
            _owned[WeirdToken(op.token)][op.sender] -= most;
            _booked[WeirdToken(op.token)][op.feeReceiver] += most;
        }
    }

    function _called(Op memory op, uint256 deed, uint256 amount) private {
        if (deed == _DEPOSIT || deed == _FILL) _bring(Place.Balance, op.fundingWallet, amount);
        if (deed == _COLLECT) {
            _move(Place.Fees, Place.Collected, op.fundingWallet, _at[Place.Fees][op.fundingWallet]);
        }
        if (deed == _WITHDRAW) {
            _move(Place.Balance, Place.Withdrawn, op.sender, _min(amount, _at[Place.Balance][op.sender]));
        }
        assertTrue(deed != 4 && deed != 5, "nothing is returned in flight");
    }

    function _settled(Op memory op, Outcome memory outcome) private {
        address wallet = op.fundingWallet;
        uint256 billed = outcome.chargedWei - outcome.feeWei;
        assertEq(outcome.chargedWei + outcome.refundedWei, _version.prechargeWei(op), "charge and refund");
        if (outcome.refundedWei != 0) {
            assertEq(outcome.chargedWei, _version.ceilMarkup(billed, op.feeMarkup), "charge of what is billed");
        }
        assertGe(billed, outcome.takenWei, "billed at least what was taken");
        _move(Place.Flight, Place.Taken, wallet, outcome.takenWei);
        _move(Place.Flight, Place.Reserve, wallet, billed - outcome.takenWei);
        _moveWhatFits(Place.Flight, Place.Fees, wallet, outcome.feeWei, _MOST_FEES);
        _moveWhatFits(Place.Flight, Place.Balance, wallet, outcome.refundedWei, _MOST_BALANCE);
    }

    /// @dev No `postOp` settled it: v0.7 and later.
    function _leftBehind(Op memory op, Outcome memory outcome) private {
        address wallet = op.fundingWallet;
        uint256 left = _kept(op) - outcome.takenWei;
        _move(Place.Flight, Place.Taken, wallet, outcome.takenWei);
        _move(Place.Flight, Place.Stranded, wallet, _version.prechargeWei(op) - _kept(op));
        bool recorded = op.mode == 2 && op.way == 3;
        _move(Place.Flight, recorded ? Place.Unsettled : Place.Reserve, wallet, left);
        if (recorded) _takenOfUnsettled[wallet] += outcome.takenWei;
    }

    function _paid(Op memory op, Outcome memory outcome) private {
        WeirdToken token = WeirdToken(op.token);
        // Undone: a payment that validation took stays with the receiver.
        if (!outcome.paid) return;
        if (op.way == 3) {
            assertEq(outcome.chargedTokens, _version.inTokens(op, outcome.chargedWei), "token charge");
            _owned[token][op.sender] -= outcome.chargedTokens;
            _owned[token][op.feeReceiver] += outcome.chargedTokens;
            return;
        }
        uint256 most = _version.inTokens(op, _version.prechargeWei(op));
        assertEq(outcome.chargedTokens + outcome.refundedTokens, most, "charge and refund in tokens");
        if (outcome.refundedTokens == 0) return;
        assertEq(outcome.chargedTokens, _version.inTokens(op, outcome.chargedWei), "token charge");
        _booked[token][op.feeReceiver] -= outcome.refundedTokens;
        if (outcome.refundKept == 0) _owned[token][op.sender] += outcome.refundedTokens;
        else _booked[token][op.sender] += outcome.refundedTokens;
    }

    /**
     * @notice Each place has what the calls put there, and no wei is anywhere else. What was deposited, given and staked =
     *         balances + fees not collected + fees collected + stranded + (unsettled - what the EntryPoint took of it) +
     *         stated + reserve + stake + withdrawn + taken. The same for each token: what holders were given = what they
     *         have + what is booked for them; what the paymaster holds is booked, or was given to it.
     */
    function assertAllMoneyHasItsPlace() external view {
        _assertEtherHasItsPlace();
        for (uint256 t = 0; t < 2; t++) _assertTokenHasItsPlace(_tokens[t]);
    }

    function _assertEtherHasItsPlace() private view {
        uint256 collected = _paymaster.feeBalance();
        assertEq(collected, _at[Place.Collected][address(0)], "collected fees");
        uint256 deposit = collected + _at[Place.Reserve][address(0)];
        for (uint256 i = 0; i < 3; i++) {
            address wallet = _wallets[i];
            deposit += _placesOf(wallet) + _at[Place.Stated][wallet];
            assertEq(_at[Place.Flight][wallet], 0, "in flight");
        }
        assertEq(_version.depositWei(), deposit, "deposit");
        uint256 stake = _version.entryPoint().getDepositInfo(address(_paymaster)).stake;
        assertEq(stake, _at[Place.Stake][address(0)], "stake");
        uint256 withdrawn = _RECIPIENT.balance;
        assertEq(withdrawn, _at[Place.Withdrawn][address(0)], "withdrawn");
        uint256 taken = _beneficiary.balance;
        assertEq(taken, _at[Place.Taken][address(0)], "taken");
        assertEq(deposit + stake + withdrawn + taken, _brought, "what was brought");
        assertEq(address(_paymaster).balance, 0, "nothing lies in the contract");
    }

    function _assertTokenHasItsPlace(WeirdToken token) private view {
        uint256 held = _loose[token];
        for (uint256 i = 0; i < 5; i++) {
            address holder = _holders[i];
            assertEq(token.balanceOf(holder), _owned[token][holder], "in its hands");
            uint256 ofHolder = _paymaster.tokenBalanceOf(address(token), holder);
            assertEq(ofHolder, _booked[token][holder], "booked");
            held += ofHolder;
        }
        assertEq(token.balanceOf(address(_paymaster)), held, "tokens held");
    }

    /// @dev What the contract stores for a wallet, each place as it should be; of the records what is still there, wei.
    function _placesOf(address wallet) private view returns (uint256) {
        uint256 balance = _paymaster.balanceOf(wallet);
        uint256 stranded = _paymaster.strandedOf(wallet);
        uint256 fees = _paymaster.feesOf(wallet);
        assertEq(balance, _at[Place.Balance][wallet], "balance");
        assertEq(stranded, _at[Place.Stranded][wallet], "stranded");
        assertEq(fees, _at[Place.Fees][wallet], "fees");
        if (_isV06) return balance + stranded + fees;
        uint256 unsettled = IPackedHybridPaymaster(address(_paymaster)).unsettledOf(wallet);
        uint256 taken = _takenOfUnsettled[wallet];
        assertEq(unsettled, _at[Place.Unsettled][wallet] + taken, "unsettled");
        return balance + stranded + fees + unsettled - taken;
    }

    /// @dev The drawn wallet or the next that has money in the place.
    function _walletWith(Place place, uint256 who) private view returns (address wallet) {
        for (uint256 i = 0; i < 3; i++) {
            wallet = _wallets[((who % 3) + i) % 3];
            if (_at[place][wallet] != 0) return wallet;
        }
    }

    /// @dev What of a precharge stays taken when no `postOp` settles the operation, wei.
    function _kept(Op memory op) private view returns (uint256) {
        return _version.ceilMarkup(_version.prefundWei(op), op.feeMarkup);
    }

    function _deposit(address wallet, uint256 amount) private {
        _paymaster.depositFor{value: amount}(wallet);
        _bring(Place.Balance, wallet, amount);
    }

    function _bring(Place to, address wallet, uint256 amount) private {
        _brought += amount;
        _at[to][wallet] += amount;
    }

    function _move(Place from, Place to, address wallet, uint256 amount) private {
        _at[from][from > Place.Stated ? address(0) : wallet] -= amount;
        _at[to][to > Place.Stated ? address(0) : wallet] += amount;
    }

    /// @dev What would be above the most that a place holds goes to the reserve.
    function _moveWhatFits(Place from, Place to, address wallet, uint256 amount, uint256 most) private {
        uint256 fits = _min(amount, most - _at[to][wallet]);
        _move(from, to, wallet, fits);
        _move(from, Place.Reserve, wallet, amount - fits);
    }

    function _min(uint256 a, uint256 b) private pure returns (uint256) {
        return a < b ? a : b;
    }

    receive() external payable {}
}

/// @notice Random sequences of all calls that move money, in both modes, on the real EntryPoint.
abstract contract MoneyInvariantsTest is World {
    Movers internal movers;

    function _prepare() internal virtual override {
        movers = new Movers(version, OWNER, 1000 ether, 1 ether);
    }

    function targetContracts() external view returns (address[] memory) {
        return _list(address(movers));
    }

    /// @dev Not the bundler's beneficiary, whom the fuzzer would draw and let pay gas: its balance is looked at.
    function targetSenders() external pure returns (address[] memory) {
        return _list(address(0x5E4DE5));
    }

    /// @notice After every call, see `assertAllMoneyHasItsPlace`.
    function invariant_allMoneyHasItsPlace() public view {
        movers.assertAllMoneyHasItsPlace();
    }
}

/// forge-config: default.invariant.runs = 16
/// forge-config: default.invariant.depth = 128
/// forge-config: long.invariant.runs = 10000
/// forge-config: long.invariant.depth = 100
contract MoneyInvariantsV06Test is OnV06, MoneyInvariantsTest {
    function _prepare() internal override(World, MoneyInvariantsTest) {
        MoneyInvariantsTest._prepare();
    }
}

/// forge-config: default.invariant.runs = 16
/// forge-config: default.invariant.depth = 128
/// forge-config: long.invariant.runs = 10000
/// forge-config: long.invariant.depth = 100
contract MoneyInvariantsV07Test is OnV07, MoneyInvariantsTest {
    function _prepare() internal override(World, MoneyInvariantsTest) {
        MoneyInvariantsTest._prepare();
    }
}

/// forge-config: default.invariant.runs = 16
/// forge-config: default.invariant.depth = 128
/// forge-config: long.invariant.runs = 10000
/// forge-config: long.invariant.depth = 100
contract MoneyInvariantsV08Test is OnV08, MoneyInvariantsTest {
    function _prepare() internal override(World, MoneyInvariantsTest) {
        MoneyInvariantsTest._prepare();
    }
}

/// forge-config: default.invariant.runs = 16
/// forge-config: default.invariant.depth = 128
/// forge-config: long.invariant.runs = 10000
/// forge-config: long.invariant.depth = 100
contract MoneyInvariantsV09Test is OnV09, MoneyInvariantsTest {
    function _prepare() internal override(World, MoneyInvariantsTest) {
        MoneyInvariantsTest._prepare();
    }
}
