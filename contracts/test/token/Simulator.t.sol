// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {DemoPermitToken} from "../../src/demo/DemoPermitToken.sol";
import {PaymasterPuppet} from "../../src/simulation/PaymasterPuppet.sol";
import {TokenPaymentSimulator} from "../../src/simulation/TokenPaymentSimulator.sol";
import {TestAccount, TestAccountFactory} from "../support/TestAccount.sol";
import {TestBase} from "../support/TestBase.sol";
import {ApproveRaceToken} from "../support/tokens/ApproveRaceToken.sol";
import {TestToken} from "../support/tokens/TestToken.sol";
import {TokenAccount} from "../support/tokens/TokenAccount.sol";
import {Quirk, WeirdToken} from "../support/tokens/WeirdToken.sol";

interface ISimpleAccountFactory {
    function accountImplementation() external view returns (address);
    function createAccount(address owner, uint256 salt) external returns (address);
    function getAddress(address owner, uint256 salt) external view returns (address);
}

interface IEntryPointV08 {
    function senderCreator() external view returns (address);
}

/// @notice What the gateway sees before it signs: the stand-ins etched over the EntryPoint and the paymaster.
contract SimulatorTest is TestBase {
    uint256 private constant OWNER_KEY = 0xA11CE;
    address private constant ENTRY_POINT = address(0xE9);
    address private constant PAYMASTER = address(0x9A);
    address private constant RECEIVER = address(0xFEE);
    uint256 private constant AMOUNT = 1_000_000;

    TokenPaymentSimulator private constant SIMULATOR = TokenPaymentSimulator(ENTRY_POINT);

    TokenAccount private _account;
    WeirdToken private _token;

    function setUp() public {
        vm.etch(ENTRY_POINT, _runtimeCode("TokenPaymentSimulator"));
        vm.etch(PAYMASTER, _runtimeCode("PaymasterPuppet"));
        _account = new TokenAccount(vm.addr(OWNER_KEY));
        _token = new WeirdToken(6);
        _token.mint(address(_account), 5 * AMOUNT);
        _token.mint(PAYMASTER, AMOUNT);
        _token.mint(RECEIVER, AMOUNT);
    }

    function _request(uint8 way) private view returns (TokenPaymentSimulator.Request memory request) {
        request.sender = address(_account);
        request.callData = abi.encodeCall(TestAccount.write, (1));
        request.callGasLimit = 100_000;
        request.deploymentGas = 2_000_000;
        request.token = address(_token);
        request.paymaster = PAYMASTER;
        request.receiver = RECEIVER;
        request.way = way;
        request.amount = AMOUNT;
        if (way == 3) request.callData = _approval(PAYMASTER, AMOUNT);
    }

    function _approval(address spender, uint256 amount) private view returns (bytes memory) {
        bytes memory approve = abi.encodeCall(TestToken.approve, (spender, amount));
        return abi.encodeCall(TestAccount.execute, (address(_token), 0, approve));
    }

    /// @dev Runs it, and undoes it as an `eth_call` would.
    function _simulate(
        TokenPaymentSimulator.Request memory request
    ) private returns (TokenPaymentSimulator.Outcome memory outcome) {
        uint256 state = vm.snapshotState();
        // What the test has touched is cold in a call of its own.
        vm.cool(request.token);
        outcome = SIMULATOR.simulate{gas: 30_000_000}(request);
        vm.revertToState(state);
    }

    function _approve(uint256 amount) private {
        vm.prank(address(_account));
        _token.approve(PAYMASTER, amount);
    }

    function test_allowance_isPaidAndRefunded() public {
        _approve(3 * AMOUNT);
        TokenPaymentSimulator.Outcome memory outcome = _simulate(_request(1));
        assertTrue(outcome.deployed && outcome.callsSucceeded && outcome.paid, "deployed, called, paid");
        assertEq(outcome.balance, 5 * AMOUNT, "balance");
        assertEq(outcome.allowance, 3 * AMOUNT, "allowance");
        assertTrue(outcome.refundGas < 60_000, "refunded");
        assertEq(_token.balanceOf(address(_account)), 5 * AMOUNT, "nothing moved for good");
    }

    function test_noAllowanceOrNoBalance_isNotPaid() public {
        TokenPaymentSimulator.Outcome memory outcome = _simulate(_request(1));
        assertTrue(!outcome.paid && outcome.allowance == 0 && outcome.balance == 5 * AMOUNT, "no allowance");
        assertEq(bytes32(bytes4(outcome.paymentReturned)), bytes32(TestToken.AllowanceTooLow.selector), "why");
        assertEq(outcome.refundGas, type(uint256).max, "no refund");

        _approve(9 * AMOUNT);
        TokenPaymentSimulator.Request memory request = _request(1);
        request.amount = 5 * AMOUNT + 1;
        outcome = _simulate(request);
        assertTrue(!outcome.paid, "no balance");
        assertEq(bytes32(bytes4(outcome.paymentReturned)), bytes32(TestToken.BalanceTooLow.selector), "why");
    }

    /// @dev The pull comes before the calls: what they spend is no longer there.
    function test_allowance_callsMeetTheBalanceAfterThePull() public {
        _approve(AMOUNT);
        TokenPaymentSimulator.Request memory request = _request(1);
        bytes memory sweep = abi.encodeCall(TestToken.transfer, (address(1), 5 * AMOUNT));
        request.callData = abi.encodeCall(TestAccount.execute, (address(_token), 0, sweep));
        TokenPaymentSimulator.Outcome memory outcome = _simulate(request);
        assertTrue(outcome.paid && !outcome.callsSucceeded, "paid first");
        assertEq(bytes32(bytes4(outcome.callsReturned)), bytes32(TestToken.BalanceTooLow.selector), "why");
    }

    function test_batchApproval_isPaidAfterTheCalls() public {
        TokenPaymentSimulator.Outcome memory outcome = _simulate(_request(3));
        assertTrue(outcome.callsSucceeded && outcome.paid, "called, paid");
        assertEq(outcome.allowance, AMOUNT, "allowance after the calls");

        TokenPaymentSimulator.Request memory request = _request(3);
        request.callData = _approval(PAYMASTER, AMOUNT - 1);
        outcome = _simulate(request);
        assertTrue(outcome.callsSucceeded && !outcome.paid, "one unit short");
        request.callData = abi.encodeCall(TestAccount.revertWith, (5_000));
        outcome = _simulate(request);
        assertTrue(!outcome.callsSucceeded && !outcome.paid, "calls reverted");
        assertEq(outcome.callsReturned.length, 1_024, "bounded reason");
    }

    function test_permitOfASmartAccount_isUsed() public {
        DemoPermitToken token = DemoPermitToken(_deploy("DemoPermitToken", abi.encode("Permit", "PMT", 6)));
        token.mint(address(_account), AMOUNT);
        TokenPaymentSimulator.Request memory request = _request(2);
        request.token = address(token);
        request.permit = _permit(token, OWNER_KEY);
        TokenPaymentSimulator.Outcome memory outcome = _simulate(request);
        assertTrue(outcome.paid, "paid");
        assertEq(outcome.allowance, AMOUNT, "allowance");

        request.permit = _permit(token, 0xBAD);
        assertTrue(!_simulate(request).paid, "another key's permit");
        request.permit = _permit(token, OWNER_KEY);
        request.way = 1;
        assertTrue(!_simulate(request).paid, "way 1 uses no permit");
    }

    /// @dev Somebody used the permit before: its allowance is there, so the failing call changes nothing.
    function test_usedPermit_isPaidAllTheSame() public {
        DemoPermitToken token = DemoPermitToken(_deploy("DemoPermitToken", abi.encode("Permit", "PMT", 6)));
        token.mint(address(_account), AMOUNT);
        TokenPaymentSimulator.Request memory request = _request(2);
        request.token = address(token);
        request.permit = _permit(token, OWNER_KEY);
        (bytes32 r, bytes32 s) = (_word(request.permit, 64), _word(request.permit, 96));
        token.permit(address(_account), PAYMASTER, AMOUNT, block.timestamp, uint8(request.permit[128]), r, s);
        assertTrue(_simulate(request).paid, "paid");
    }

    function _word(bytes memory data, uint256 at) private pure returns (bytes32 word) {
        assembly {
            word := mload(add(add(data, 32), at))
        }
    }

    function _permit(DemoPermitToken token, uint256 key) private view returns (bytes memory) {
        bytes32 structHash = keccak256(
            abi.encode(
                keccak256("Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)"),
                address(_account),
                PAYMASTER,
                AMOUNT,
                token.nonces(address(_account)),
                block.timestamp
            )
        );
        bytes32 digest = keccak256(abi.encodePacked(hex"1901", token.DOMAIN_SEPARATOR(), structHash));
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(key, digest);
        return abi.encodePacked(AMOUNT, block.timestamp, r, s, v);
    }

    function test_weirdTokens_arePaidOnlyWhenTheExactAmountArrivesAndNothingSaysFalse() public {
        for (uint256 quirk = 0; quirk <= uint256(type(Quirk).max); quirk++) {
            _token.setQuirk(Quirk(quirk));
            _token.setBlocked(PAYMASTER);
            // Rebased balances and odd amounts round.
            bool good = Quirk(quirk) == Quirk.None ||
                Quirk(quirk) == Quirk.NoReturn ||
                Quirk(quirk) == Quirk.Expensive ||
                Quirk(quirk) == Quirk.ReturnBomb ||
                Quirk(quirk) == Quirk.RebasedDown ||
                Quirk(quirk) == Quirk.RebasedUp ||
                Quirk(quirk) == Quirk.RefusesZero;
            for (uint8 way = 1; way <= 3; way += 2) {
                uint256 state = vm.snapshotState();
                if (way == 1) _approve(AMOUNT);
                TokenPaymentSimulator.Outcome memory outcome = _simulate(_request(way));
                assertTrue(outcome.paid == good, string.concat("quirk ", vm.toString(quirk)));
                assertTrue(outcome.deployed && outcome.callsSucceeded, "the calls are shown all the same");
                assertLe(outcome.paymentReturned.length, 256, "bounded answer");
                vm.revertToState(state);
            }
        }
    }

    function test_tokenWithoutReturn_isPaid() public {
        ApproveRaceToken token = new ApproveRaceToken(6);
        token.mint(address(_account), AMOUNT);
        TokenPaymentSimulator.Request memory request = _request(3);
        request.token = address(token);
        request.callData = abi.encodeCall(
            TestAccount.execute,
            (address(token), 0, abi.encodeCall(ApproveRaceToken.approve, (PAYMASTER, AMOUNT)))
        );
        assertTrue(_simulate(request).paid, "paid");
    }

    function test_tokenWithoutCode_isNotPaid() public {
        for (uint8 way = 1; way <= 3; way++) {
            TokenPaymentSimulator.Request memory request = _request(way);
            request.token = address(0xDEAD);
            request.amount = way == 1 ? 0 : AMOUNT;
            assertTrue(!_simulate(request).paid, "paid by nobody");
        }
    }

    function test_refusedRefund_isTheGreatestGas() public {
        _approve(AMOUNT);
        _token.setWhere(true, false);
        Quirk[4] memory quirks = [Quirk.ReturnsFalse, Quirk.RevertsShort, Quirk.Paused, Quirk.BurnsEverything];
        for (uint256 i = 0; i < quirks.length; i++) {
            _token.setQuirk(quirks[i]);
            TokenPaymentSimulator.Outcome memory outcome = _simulate(_request(1));
            assertTrue(outcome.paid, "paid");
            assertEq(outcome.refundGas, type(uint256).max, "refund refused");
        }
    }

    function test_hostileAccounts_areShown() public {
        _approve(AMOUNT);
        TokenPaymentSimulator.Request memory request = _request(1);
        request.callData = abi.encodeCall(TestAccount.burnEverything, ());
        TokenPaymentSimulator.Outcome memory outcome = _simulate(request);
        assertTrue(outcome.paid && !outcome.callsSucceeded && outcome.refundGas < 60_000, "burnt its limit only");
        request.callGasLimit = 40_000_000;
        vm.expectRevert(abi.encodeWithSelector(TokenPaymentSimulator.GasTooLow.selector, 40_000_000));
        SIMULATOR.simulate{gas: 30_000_000}(request);
        request.callData = "";
        assertTrue(_simulate(request).callsSucceeded, "empty call data calls nobody");
    }

    function test_undeployedAccount_isDeployedByItsFactory() public {
        TestAccountFactory factory = new TestAccountFactory();
        TokenPaymentSimulator.Request memory request = _request(3);
        request.sender = factory.addressOf(0);
        _token.mint(request.sender, AMOUNT);
        assertTrue(!_simulate(request).deployed, "no initCode");
        assertTrue(!_simulate(request).callsSucceeded, "nobody was called");
        request.initCode = abi.encodePacked(factory, abi.encodeCall(TestAccountFactory.create, (0)));
        TokenPaymentSimulator.Outcome memory outcome = _simulate(request);
        assertTrue(outcome.deployed && outcome.callsSucceeded && outcome.paid, "deployed, called, paid");

        bytes[4] memory bad = [
            abi.encodePacked(factory),
            bytes(hex"7702"),
            abi.encodePacked(address(0xDEAD), uint256(1)),
            abi.encodePacked(_account, abi.encodeCall(TestAccount.burnEverything, ()))
        ];
        for (uint256 i = 0; i < bad.length; i++) {
            request.initCode = bad[i];
            outcome = _simulate(request);
            assertTrue(!outcome.deployed && !outcome.callsSucceeded && !outcome.paid, "not deployed");
        }
    }

    function test_loopingFactory_burnsTheDeploymentGasOnly() public {
        TokenPaymentSimulator.Request memory request = _request(3);
        request.sender = address(0xABCD);
        request.initCode = abi.encodePacked(_account, abi.encodeCall(TestAccount.burnEverything, ()));
        uint256 before = gasleft();
        assertTrue(!_simulate(request).deployed, "not deployed");
        assertLe(before - gasleft(), 2_500_000, "the deployment's gas and little more");

        request.deploymentGas = 40_000_000;
        vm.expectRevert(abi.encodeWithSelector(TokenPaymentSimulator.GasTooLow.selector, 40_000_000));
        SIMULATOR.simulate{gas: 30_000_000}(request);
    }

    function test_factoryThatNeedsMoreThanTheDeploymentGas_deploysNothing() public {
        TestAccountFactory factory = new TestAccountFactory();
        TokenPaymentSimulator.Request memory request = _request(3);
        request.sender = factory.addressOf(0);
        request.initCode = abi.encodePacked(factory, abi.encodeCall(TestAccountFactory.create, (0)));
        request.deploymentGas = 50_000;
        assertTrue(!_simulate(request).deployed, "as on chain");
    }

    /// @dev Factories of v0.8 listen to the EntryPoint's SenderCreator only, and it to the EntryPoint only.
    function test_undeployedAccountOfV08_isDeployedThroughTheSenderCreator() public {
        address entryPoint = _deployV08("EntryPoint", "");
        ISimpleAccountFactory factory = ISimpleAccountFactory(_deployV08("SimpleAccountFactory", abi.encode(entryPoint)));
        TokenPaymentSimulator.Request memory request = _request(3);
        request.senderCreator = IEntryPointV08(entryPoint).senderCreator();
        request.sender = factory.getAddress(address(1), 0);
        request.initCode = abi.encodePacked(factory, abi.encodeCall(factory.createAccount, (address(1), 0)));
        request.callData = "";
        vm.etch(entryPoint, _runtimeCode("TokenPaymentSimulator"));
        assertTrue(TokenPaymentSimulator(entryPoint).simulate(request).deployed, "deployed");
    }

    function _deployV08(string memory name, bytes memory arguments) private returns (address) {
        string memory folder = "../node_modules/@account-abstraction/contracts-v08/artifacts/";
        string memory artifact = vm.readFile(string.concat(folder, name, ".json"));
        return _create(bytes.concat(vm.parseJsonBytes(artifact, ".bytecode"), arguments));
    }

    /// @dev Looking at balances first must not make the payment look cheaper than it is on chain.
    function test_paymentGas_isThatOfColdSlots() public {
        _approve(AMOUNT);
        uint256 shown = _simulate(_request(1)).paymentGas;
        vm.cool(address(_token));
        bytes memory call_ = abi.encodeCall(TestToken.transferFrom, (address(_account), PAYMASTER, AMOUNT));
        address token = address(_token);
        vm.prank(PAYMASTER);
        uint256 before = gasleft();
        (bool ok, ) = token.call(call_);
        uint256 cold = before - gasleft();
        assertTrue(ok, "paid");
        // The test's own steps around the call differ; a single slot would be 2,100.
        assertGe(shown + 1_000, cold, "not below");
        assertGe(cold + 1_000, shown, "not above");
    }
}
