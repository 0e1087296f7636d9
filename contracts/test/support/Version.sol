// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {IStakeManager} from "@account-abstraction/contracts-v07/interfaces/IStakeManager.sol";
import {IHybridPaymaster} from "../../src/interfaces/IHybridPaymaster.sol";
import {Op, Outcome} from "./Op.sol";
import {TestBase} from "./TestBase.sol";
import {Vm} from "./Vm.sol";

interface INonces {
    function getNonce(address sender, uint192 key) external view returns (uint256);
}

/**
 * @notice One EntryPoint version with its paymaster: the real EntryPoint bytecode, and the version's packing, digest
 *         and money formulas written a second time, independently of contracts/src.
 */
abstract contract Version is TestBase {
    address public constant BUNDLER = address(0xB0B);
    address public constant BENEFICIARY = address(0xBE4EF);
    bytes32 internal constant DOMAIN_TYPEHASH =
        keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)");

    IStakeManager public entryPoint;
    IHybridPaymaster public paymaster;

    constructor(address owner, address[] memory signers, uint256 delay) {
        string memory artifact = vm.readFile(
            string.concat("../node_modules/@account-abstraction/contracts-", name(), "/artifacts/EntryPoint.json")
        );
        entryPoint = IStakeManager(_create(vm.parseJsonBytes(artifact, ".bytecode")));
        paymaster = newPaymaster(owner, signers, delay);
    }

    /// @notice Deploys what the build yields for the version; reverts as the constructor does.
    function newPaymaster(
        address owner,
        address[] memory signers,
        uint256 delay
    ) public returns (IHybridPaymaster) {
        return paymaster = deploy(entryPoint, owner, signers, delay);
    }

    function deploy(
        IStakeManager at,
        address owner,
        address[] memory signers,
        uint256 delay
    ) public returns (IHybridPaymaster) {
        bytes memory contractName = bytes(string.concat("HybridPaymaster", name()));
        contractName[15] = "V";
        return IHybridPaymaster(_deploy(string(contractName), abi.encode(at, owner, signers, delay)));
    }

    function name() public pure virtual returns (string memory);
    function prefixOf(Op memory op) public view virtual returns (bytes memory);
    function structHash(Op memory op) public view virtual returns (bytes32);
    function getDigest(Op memory op) external view virtual returns (bytes32);
    function userOpHash(Op memory op) public view virtual returns (bytes32);
    function prefundWei(Op memory op) public pure virtual returns (uint256);
    /// @notice The cost to bill, by the architecture page's formulas.
    function costWei(Op memory op, uint256 toldCostWei, uint256 feePerGas) public view virtual returns (uint256);
    function minUnaccountedGas() external view virtual returns (uint256);
    /// @notice The operation's fields in a row, variable ones last, without the account's signature.
    function pack(Op memory op) public view virtual returns (bytes memory);
    /// @notice Calldata of `validatePaymasterUserOp` for a packed operation.
    function validateCallOf(bytes memory packed, Op memory op, uint256 maxCost) public view virtual returns (bytes memory);
    function handleOpsCall(Op[] memory ops) public view virtual returns (bytes memory);
    function postOpCall(bytes memory context, uint256 cost, uint256 feePerGas) public view virtual returns (bytes memory);
    function decodePostOp(
        bytes memory arguments
    ) public view virtual returns (bytes memory context, uint256 cost, uint256 feePerGas);

    function isV06() external pure returns (bool) {
        return keccak256(bytes(name())) == keccak256("v06");
    }

    function paymasterData(Op memory op) public pure returns (bytes memory) {
        return
            abi.encodePacked(
                op.mode,
                op.validUntil,
                op.validAfter,
                op.fundingWallet,
                op.feeMarkup,
                op.unaccountedGas,
                op.mode == 2 ? tokenFields(op) : bytes(""),
                op.signature
            );
    }

    function tokenFields(Op memory op) public pure returns (bytes memory) {
        return
            abi.encodePacked(
                wayByte(op),
                op.token,
                op.exchangeRate,
                op.premium,
                op.feeReceiver,
                op.maxTokenCharge,
                op.permit
            );
    }

    function wayByte(Op memory op) public pure returns (uint8) {
        return op.gasQuarters * 16 + op.way;
    }

    /// @notice A gas constant of token mode as the operation's way byte raises it, rounded up.
    function raised(Op memory op, uint256 gas) public pure returns (uint256) {
        uint256 quarters = gas * (4 + op.gasQuarters);
        return quarters / 4 + (quarters % 4 == 0 ? 0 : 1);
    }

    /// @notice The name and the members token mode's struct differs by, around the version's own members.
    function typeHash(uint8 mode, string memory members) public pure returns (bytes32) {
        if (mode != 2) return keccak256(abi.encodePacked("SponsoredUserOperation(", members, ")"));
        return
            keccak256(
                abi.encodePacked(
                    "TokenPaidUserOperation(",
                    members,
                    ",uint8 way,address token,uint192 exchangeRate,uint32 premium,address feeReceiver,",
                    "uint192 maxTokenCharge,bytes permit)"
                )
            );
    }

    /// @notice Whose code an account runs by EIP-7702, zero where it does not delegate.
    function delegateOf(address account) public view returns (address delegate) {
        try this.revertWithDelegateOf(account) {} catch (bytes memory reason) {
            return abi.decode(reason, (address));
        }
    }

    /// @dev An account that a reverted call looked at is as cold as before: signing must not make a bundle cheaper.
    function revertWithDelegateOf(address account) external view {
        bytes memory code = account.code;
        bool delegates = code.length == 23 && code[0] == 0xef && code[1] == 0x01 && code[2] == 0x00;
        bytes memory answer = abi.encode(delegates ? address(bytes20(slice(code, 3, 20))) : address(0));
        assembly {
            revert(add(answer, 32), mload(answer))
        }
    }

    function tokenMembers(Op memory op) public pure returns (bytes memory) {
        if (op.mode != 2) return "";
        return
            abi.encode(
                wayByte(op),
                op.token,
                op.exchangeRate,
                op.premium,
                op.feeReceiver,
                op.maxTokenCharge,
                keccak256(op.permit)
            );
    }

    /// @notice Nothing where the account pays for itself: mode 0.
    function paymasterAndData(Op memory op) public view returns (bytes memory) {
        if (op.mode == 0) return "";
        return bytes.concat(prefixOf(op), paymasterData(op));
    }

    function digest(Op memory op) public view returns (bytes32) {
        bytes32 domain = keccak256(
            abi.encode(DOMAIN_TYPEHASH, keccak256("HybridPaymaster"), keccak256("1"), block.chainid, address(paymaster))
        );
        return keccak256(abi.encodePacked(hex"1901", domain, structHash(op)));
    }

    function sign(Op memory op, uint256 key) public view returns (Op memory) {
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(key, digest(op));
        op.signature = abi.encodePacked(r, s, v);
        return op;
    }

    function prechargeWei(Op memory op) public pure returns (uint256) {
        return ceilMarkup(prefundWei(op) + uint256(op.unaccountedGas) * op.maxFeePerGas, op.feeMarkup);
    }

    function ceilMarkup(uint256 amount, uint256 markup) public pure returns (uint256) {
        uint256 product = amount * markup;
        return product / 1e6 + (product % 1e6 == 0 ? 0 : 1);
    }

    /// @notice What an amount of wei costs in the operation's token, by long multiplication and division.
    function inTokens(Op memory op, uint256 amountWei) public pure returns (uint256) {
        uint256 rate = uint256(op.exchangeRate) * op.premium;
        uint256 unit = 1e24;
        // amount * rate, with the amount in two parts of at most 64 bits, so that nothing overflows below 2^128 wei.
        require(amountWei < 1 << 128, "amount");
        uint256 high = amountWei >> 64;
        uint256 low = amountWei & type(uint64).max;
        uint256 quotient = (rate / unit) * amountWei;
        uint256 rest = rate % unit;
        uint256 highPart = high * rest;
        quotient += (highPart / unit) << 64;
        uint256 remainder = ((highPart % unit) << 64) + low * rest;
        return quotient + remainder / unit + (remainder % unit == 0 ? 0 : 1);
    }

    function validateCall(Op memory op, uint256 maxCost) public view returns (bytes memory) {
        return validateCallOf(pack(op), op, maxCost);
    }

    /// @notice Calls validation as the EntryPoint, without its checks around it.
    function callAsEntryPoint(bytes memory data) public returns (bool ok, bytes memory result) {
        vm.prank(address(entryPoint));
        (ok, result) = address(paymaster).call(data);
    }

    /// @notice Validates as the EntryPoint; a refusal bubbles up.
    function validate(Op memory op) public returns (bytes memory context, uint256 validationData) {
        (bool ok, bytes memory result) = callAsEntryPoint(validateCall(op, prefundWei(op)));
        if (!ok) {
            assembly {
                revert(add(result, 32), mload(result))
            }
        }
        return abi.decode(result, (bytes, uint256));
    }

    /// @notice Whether validation takes the operation: neither a revert nor SIG_FAILED.
    function isAccepted(Op memory op) external returns (bool) {
        (bool ok, bytes memory result) = callAsEntryPoint(validateCall(op, prefundWei(op)));
        if (!ok) return false;
        (, uint256 validationData) = abi.decode(result, (bytes, uint256));
        return uint160(validationData) == 0;
    }

    function nonceOf(address sender, uint192 key) public view returns (uint256) {
        return INonces(address(entryPoint)).getNonce(sender, key);
    }

    function depositWei() public view returns (uint256) {
        return entryPoint.balanceOf(address(paymaster));
    }

    /// @notice Sends a bundle with that gas limit; a refusal of the EntryPoint bubbles up.
    function sendWithGas(Op[] memory ops, uint256 gasLimit) public {
        bytes memory call_ = handleOpsCall(ops);
        // What a test read before must not make the bundle cheaper than on a chain.
        vm.cool(address(paymaster));
        vm.cool(address(entryPoint));
        vm.prank(BUNDLER, BUNDLER);
        (bool ok, bytes memory result) = address(entryPoint).call{gas: gasLimit}(call_);
        if (!ok) {
            assembly {
                revert(add(result, 32), mload(result))
            }
        }
    }

    function sendBundle(Op[] memory ops) public returns (Outcome[] memory outcomes) {
        return sendBundleWithGas(ops, 50_000_000);
    }

    /// @notice Sends a bundle with that gas limit and reads what became of it.
    /// @dev forge records the logs of reverted calls too: of an undone `postOp` the balances tell, not the outcome.
    function sendBundleWithGas(Op[] memory ops, uint256 gasLimit) public returns (Outcome[] memory outcomes) {
        vm.recordLogs();
        sendWithGas(ops, gasLimit);
        return _outcomes(ops);
    }

    function send(Op memory op) external returns (Outcome memory) {
        Op[] memory ops = new Op[](1);
        ops[0] = op;
        return sendBundle(ops)[0];
    }

    /**
     * @notice Sends an operation and also reads what `postOp` was told.
     * @dev forge's recorder warms every slot before it is written, so gas is less than on a chain: good for comparing
     *      formulas, not for measuring.
     */
    function sendTraced(Op memory op) external returns (Outcome memory outcome) {
        Op[] memory ops = new Op[](1);
        ops[0] = op;
        vm.recordLogs();
        vm.startStateDiffRecording();
        sendWithGas(ops, 50_000_000);
        Vm.AccountAccess[] memory accesses = vm.stopAndReturnStateDiff();
        outcome = _outcomes(ops)[0];
        for (uint256 i = 0; i < accesses.length; i++) {
            bytes memory data = accesses[i].data;
            if (!_isPostOp(accesses[i].account, data)) continue;
            outcome.postOpCalls += 1;
            (outcome.context, outcome.toldCostWei, outcome.toldFeePerGas) = decodePostOp(slice(data, 4, data.length - 4));
        }
    }

    function slice(bytes memory data, uint256 start, uint256 length) public pure returns (bytes memory part) {
        require(start + length <= data.length, "slice");
        part = new bytes(length);
        assembly {
            mcopy(add(part, 32), add(add(data, 32), start), length)
        }
    }

    /// @notice The data cut to a length, or filled up to it.
    function resized(bytes memory data, uint256 length) public pure returns (bytes memory part) {
        if (length <= data.length) return slice(data, 0, length);
        part = bytes.concat(data, new bytes(length - data.length));
        for (uint256 i = data.length; i < length; i++) part[i] = 0x55;
    }

    function _isPostOp(address account, bytes memory data) private view returns (bool) {
        return account == address(paymaster) && data.length >= 4 && bytes4(data) == bytes4(postOpCall("", 0, 0));
    }

    function _outcomes(Op[] memory ops) private returns (Outcome[] memory outcomes) {
        outcomes = new Outcome[](ops.length);
        for (uint256 i = 0; i < ops.length; i++) outcomes[i].userOpHash = userOpHash(ops[i]);
        Vm.Log[] memory logs = vm.getRecordedLogs();
        for (uint256 i = 0; i < logs.length; i++) {
            for (uint256 j = 0; j < ops.length; j++) {
                if (logs[i].topics.length < 2 || logs[i].topics[1] != outcomes[j].userOpHash) continue;
                _read(logs[i], outcomes[j]);
            }
        }
    }

    function _read(Vm.Log memory log, Outcome memory outcome) private view {
        if (
            log.emitter == address(entryPoint) &&
            log.topics[0] == keccak256("UserOperationEvent(bytes32,address,address,uint256,bool,uint256,uint256)")
        ) {
            (, outcome.success, outcome.takenWei, ) = abi.decode(log.data, (uint256, bool, uint256, uint256));
        }
        if (
            log.emitter == address(entryPoint) &&
            log.topics[0] == keccak256("PostOpRevertReason(bytes32,address,uint256,bytes)")
        ) {
            // forge also records the events of frames that were undone.
            (outcome.postOpReverted, outcome.settled, outcome.paid, outcome.isDue) = (true, false, false, false);
            (outcome.chargedWei, outcome.refundedWei, outcome.feeWei) = (0, 0, 0);
            (outcome.chargedTokens, outcome.refundedTokens, outcome.refundKept) = (0, 0, 0);
        }
        if (
            log.emitter == address(paymaster) &&
            log.topics[0] == keccak256("UserOperationSponsored(bytes32,address,uint256,uint256)")
        ) {
            outcome.settled = true;
            (outcome.chargedWei, outcome.feeWei) = abi.decode(log.data, (uint256, uint256));
            outcome.refundedWei = outcome.prechargedWei - outcome.chargedWei;
        }
        if (
            log.emitter == address(paymaster) &&
            log.topics[0] == keccak256("UserOperationPrecharged(bytes32,address,uint256)")
        ) {
            outcome.prechargedWei = abi.decode(log.data, (uint256));
        }
        if (log.emitter == address(paymaster)) _readTokenEvent(log, outcome);
    }

    function _readTokenEvent(Vm.Log memory log, Outcome memory outcome) private pure {
        if (
            log.topics[0] == keccak256("UserOperationPaidInToken(bytes32,address,address,address,uint256,uint256)")
        ) {
            outcome.paid = true;
            (, outcome.chargedTokens, outcome.refundedTokens) = abi.decode(log.data, (address, uint256, uint256));
        }
        if (log.topics[0] == keccak256("TokenPaymentDue(bytes32,address,address,uint256,bool)")) {
            outcome.isDue = true;
            (outcome.dueTokens, outcome.callsSucceeded) = abi.decode(log.data, (uint256, bool));
        }
        if (log.topics[0] == keccak256("TokenRefundKept(bytes32,address,address,uint256)")) {
            outcome.refundKeptFor = address(uint160(uint256(log.topics[3])));
            outcome.refundKept = abi.decode(log.data, (uint256));
        }
    }
}
