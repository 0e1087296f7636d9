// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {IPackedHybridPaymaster} from "../../../src/interfaces/IPackedHybridPaymaster.sol";
import {Op, Outcome} from "../Op.sol";
import {TestAccount} from "../TestAccount.sol";
import {TokenOnV06, TokenOnV07, TokenOnV08, TokenOnV09, TokenWorld} from "../TokenWorld.sol";
import {TestToken} from "./TestToken.sol";
import {TokenAccount} from "./TokenAccount.sol";

/// @notice A token world for tokens of any behaviour, with other people's operations around the one under test.
abstract contract HostileWorld is TokenWorld {
    uint256 internal constant ENOUGH = 1e60;
    /// @dev What the payer owns of a token it was equipped with.
    uint256 internal constant OWNED = 1e50;

    error Probed(bool accepted);

    /// @dev Sender of the plain operations around the one under test.
    TestAccount internal neighbour;

    function _prepare() internal virtual override {
        super._prepare();
        neighbour = new TestAccount();
        paymaster.depositFor{value: 1000 ether}(WALLET_2);
    }

    /// @dev 3,000 whole tokens per ether, ten percent on top, no ceiling to speak of, room for dear tokens; not signed.
    function _hostileOp(uint8 way, address token_, uint8 decimals) internal view returns (Op memory op) {
        op = _tokenOp(way);
        op.token = token_;
        op.exchangeRate = uint192(3_000 * 10 ** decimals);
        op.premium = 1_100_000;
        op.maxTokenCharge = type(uint192).max;
        if (way == PERMIT) op.permit = _laxPermit(1);
        // A markup would hide an `unaccountedGas` that is too small.
        op.feeMarkup = 1_000_000;
        op.callGasLimit = 300_000;
        op.unaccountedGas = 300_000;
        op.paymasterVerificationGasLimit = 800_000;
        op.paymasterPostOpGasLimit = 800_000;
        if (_isV06()) op.verificationGasLimit = 900_000;
    }

    /// @dev A permit that `TestToken` takes once for each number.
    function _laxPermit(uint256 number) internal view returns (bytes memory) {
        return abi.encodePacked(ENOUGH, block.timestamp, number, bytes32("s"), uint8(27));
    }

    /// @dev What the operation needs beforehand: tokens, and an allowance for way allowance.
    function _equip(Op memory op) internal {
        TestToken(op.token).mint(op.sender, OWNED);
        if (op.way != ALLOWANCE) return;
        vm.prank(op.sender);
        TestToken(op.token).approve(address(paymaster), ENOUGH);
    }

    /// @dev Call data of one call, with the approval in front that way batch approval needs.
    function _calls(Op memory op, address target, bytes memory data) internal view returns (bytes memory) {
        uint256 first = op.way == BATCH_APPROVAL ? 1 : 0;
        address[] memory targets = new address[](first + 1);
        bytes[] memory datas = new bytes[](first + 1);
        targets[0] = op.token;
        datas[0] = abi.encodeCall(TestToken.approve, (address(paymaster), ENOUGH));
        targets[first] = target;
        datas[first] = data;
        return abi.encodeCall(TokenAccount.executeBatch, (targets, datas));
    }

    /// @dev Call data that does no harm.
    function _plainCalls(Op memory op) internal view returns (bytes memory) {
        return _calls(op, address(neighbour), abi.encodeCall(TestAccount.write, (7)));
    }

    /// @dev A sponsored operation of somebody else, on another wallet.
    function _neighbourOp(uint192 key, bytes memory callData) internal view returns (Op memory op) {
        op = _op();
        op.sender = address(neighbour);
        op.nonce = version.nonceOf(op.sender, key);
        op.fundingWallet = WALLET_2;
        op.callGasLimit = 300_000;
        op.callData = callData;
        return _signed(op);
    }

    function _bundle(Op memory op) internal pure returns (Op[] memory ops) {
        ops = new Op[](1);
        ops[0] = op;
    }

    function _bundle(Op memory first, Op memory second) internal pure returns (Op[] memory ops) {
        ops = new Op[](2);
        (ops[0], ops[1]) = (first, second);
    }

    /// @dev The operation, signed, between two of somebody else.
    function _between(Op memory op) internal view returns (Op[] memory ops) {
        bytes memory write = abi.encodeCall(TestAccount.write, (7));
        ops = new Op[](3);
        (ops[0], ops[1], ops[2]) = (_neighbourOp(1, write), _signed(op), _neighbourOp(2, write));
    }

    /// @dev Sends a bundle; no outcomes and the EntryPoint's reason when it is refused as a whole.
    function _attempt(Op[] memory ops) internal returns (Outcome[] memory outcomes, bytes memory reason) {
        try version.sendBundle(ops) returns (Outcome[] memory landed) {
            outcomes = landed;
        } catch (bytes memory data) {
            reason = data;
        }
    }

    /// @dev Whether validation takes the operation, neither by revert nor by SIG_FAILED; leaves nothing behind.
    function _wouldAccept(Op memory op) internal returns (bool) {
        return _wouldAccept(version.validateCall(op, version.prefundWei(op)));
    }

    function _wouldAccept(bytes memory validateCall) internal returns (bool accepted) {
        try this.probe(validateCall) {} catch (bytes memory result) {
            assertTrue(bytes4(result) == Probed.selector, "probed");
            accepted = result[35] == 0x01;
        }
    }

    /// @dev Undoes itself by reverting with its answer: thousands of snapshots would not fit into memory.
    function probe(bytes calldata validateCall) external {
        (bool ok, bytes memory result) = version.callAsEntryPoint(validateCall);
        if (!ok) revert Probed(false);
        (, uint256 validationData) = abi.decode(result, (bytes, uint256));
        revert Probed(uint160(validationData) == 0);
    }

    /// @dev The EntryPoint refused that operation because of the paymaster's validation, with that code.
    function _assertRefused(bytes memory reason, uint256 index, bytes4 code, string memory what) internal pure {
        assertEq(_failedIndex(reason), index, string.concat(what, ": whose fault"));
        assertTrue(_failedCode(reason) == code, string.concat(what, ": ", string(abi.encodePacked(code))));
    }

    /// @dev The same, whether validation reverted (AA33), ran out of gas (AA33, AA36, AA40) or set SIG_FAILED (AA34).
    function _assertRefused(bytes memory reason, uint256 index, string memory what) internal pure {
        assertEq(_failedIndex(reason), index, string.concat(what, ": whose fault"));
        bytes4 code = _failedCode(reason);
        bool inValidation = code == "AA33" || code == "AA34" || code == "AA36" || code == "AA40";
        assertTrue(inValidation, string.concat(what, ": refused in validation"));
    }

    function _failedIndex(bytes memory reason) private pure returns (uint256 index) {
        bytes4 selector = bytes4(reason);
        bool isFailedOp = selector == bytes4(keccak256("FailedOp(uint256,string)")) ||
            selector == bytes4(keccak256("FailedOpWithRevert(uint256,string,bytes)"));
        assertTrue(isFailedOp && reason.length > 100, "a FailedOp");
        assembly {
            index := mload(add(reason, 36))
        }
    }

    function _failedCode(bytes memory reason) private pure returns (bytes4 code) {
        assembly {
            // The string's text, behind the length its head points to.
            code := mload(add(add(reason, 68), mload(add(reason, 68))))
        }
    }

    /**
     * @dev The documented end of way batch approval when the charge fails after calls that succeeded: they are undone,
     *      and v0.6 settles in a second `postOp`, while later versions leave the precharge behind, recorded.
     */
    function _assertUndone(Op memory op, Outcome memory outcome, string memory what) internal view {
        assertTrue(!outcome.success && !outcome.paid, string.concat(what, ": undone and unpaid"));
        if (_isV06()) {
            assertTrue(outcome.settled && outcome.isDue, string.concat(what, ": due"));
            assertTrue(outcome.callsSucceeded, string.concat(what, ": although the calls succeeded"));
        } else {
            uint256 record = version.ceilMarkup(version.prefundWei(op), op.feeMarkup);
            uint256 unsettled = IPackedHybridPaymaster(address(paymaster)).unsettledOf(WALLET);
            assertEq(unsettled, record, string.concat(what, ": record"));
        }
    }

    /// @dev What the paymaster holds of a token is at least what it owes.
    function _assertCovered(address token_, string memory what) internal view {
        uint256 owed = paymaster.tokenBalanceOf(token_, RECEIVER) +
            paymaster.tokenBalanceOf(token_, address(tokenAccount));
        assertLe(owed, TestToken(token_).balanceOf(address(paymaster)), string.concat(what, ": tokens held"));
    }
}

abstract contract HostileOnV06 is HostileWorld, TokenOnV06 {
    function _prepare() internal virtual override(HostileWorld, TokenOnV06) {
        HostileWorld._prepare();
    }
}

abstract contract HostileOnV07 is HostileWorld, TokenOnV07 {
    function _prepare() internal virtual override(HostileWorld, TokenOnV07) {
        HostileWorld._prepare();
    }
}

abstract contract HostileOnV08 is HostileWorld, TokenOnV08 {
    function _prepare() internal virtual override(HostileWorld, TokenOnV08) {
        HostileWorld._prepare();
    }
}

abstract contract HostileOnV09 is HostileWorld, TokenOnV09 {
    function _prepare() internal virtual override(HostileWorld, TokenOnV09) {
        HostileWorld._prepare();
    }
}
