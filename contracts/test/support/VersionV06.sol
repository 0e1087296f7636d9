// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {IPaymaster} from "@account-abstraction/contracts-v06/interfaces/IPaymaster.sol";
import {UserOperation} from "@account-abstraction/contracts-v06/interfaces/UserOperation.sol";
import {IHybridPaymaster} from "../../src/interfaces/IHybridPaymaster.sol";
import {IHybridPaymasterV06} from "../../src/interfaces/IHybridPaymasterV06.sol";
import {Op} from "./Op.sol";
import {Version} from "./Version.sol";

interface IEntryPointV06 {
    function handleOps(UserOperation[] calldata ops, address payable beneficiary) external;
    function getUserOpHash(UserOperation calldata op) external view returns (bytes32);
}

contract VersionV06 is Version {
    string private constant MEMBERS =
        "address entryPoint,uint8 mode,address sender,address delegate,uint256 nonce,bytes initCode,bytes callData,uint256 callGasLimit,uint256 verificationGasLimit,uint256 preVerificationGas,uint256 maxFeePerGas,uint256 maxPriorityFeePerGas,uint48 validUntil,uint48 validAfter,address fundingWallet,uint32 feeMarkup,uint32 unaccountedGas";

    constructor(address owner, address[] memory signers, uint256 delay) Version(owner, signers, delay) {}

    function name() public pure override returns (string memory) {
        return "v06";
    }

    function toUserOperation(Op memory op) public view returns (UserOperation memory u) {
        u.sender = op.sender;
        u.nonce = op.nonce;
        u.initCode = op.initCode;
        u.callData = op.callData;
        u.callGasLimit = op.callGasLimit;
        u.verificationGasLimit = op.verificationGasLimit;
        u.preVerificationGas = op.preVerificationGas;
        u.maxFeePerGas = op.maxFeePerGas;
        u.maxPriorityFeePerGas = op.maxPriorityFeePerGas;
        u.paymasterAndData = paymasterAndData(op);
    }

    function prefixOf(Op memory) public view override returns (bytes memory) {
        return abi.encodePacked(address(paymaster));
    }

    function structHash(Op memory op) public view override returns (bytes32) {
        bytes memory first = abi.encode(
            typeHash(op.mode, MEMBERS),
            address(entryPoint),
            op.mode,
            op.sender,
            delegateOf(op.sender),
            op.nonce,
            keccak256(op.initCode),
            keccak256(op.callData),
            op.callGasLimit
        );
        bytes memory second = abi.encode(
            op.verificationGasLimit,
            op.preVerificationGas,
            op.maxFeePerGas,
            op.maxPriorityFeePerGas,
            op.validUntil,
            op.validAfter,
            op.fundingWallet,
            op.feeMarkup,
            op.unaccountedGas
        );
        return keccak256(abi.encodePacked(first, second, tokenMembers(op)));
    }

    function getDigest(Op memory op) external view override returns (bytes32) {
        return IHybridPaymasterV06(address(paymaster)).getDigest(toUserOperation(op));
    }

    function userOpHash(Op memory op) public view override returns (bytes32) {
        return IEntryPointV06(address(entryPoint)).getUserOpHash(toUserOperation(op));
    }

    function prefundWei(Op memory op) public pure override returns (uint256) {
        return (op.callGasLimit + 3 * op.verificationGasLimit + op.preVerificationGas) * op.maxFeePerGas;
    }

    function costWei(Op memory op, uint256 toldCostWei, uint256) public view override returns (uint256) {
        uint256 price = op.maxPriorityFeePerGas + block.basefee;
        if (op.maxFeePerGas == op.maxPriorityFeePerGas || price > op.maxFeePerGas) price = op.maxFeePerGas;
        return toldCostWei + op.unaccountedGas * price;
    }

    function minUnaccountedGas() external view override returns (uint256) {
        return IHybridPaymasterV06(address(paymaster)).MIN_UNACCOUNTED_GAS();
    }

    function pack(Op memory op) public view override returns (bytes memory) {
        return
            abi.encodePacked(
                abi.encodePacked(
                    op.sender,
                    op.nonce,
                    op.callGasLimit,
                    op.verificationGasLimit,
                    op.preVerificationGas,
                    op.maxFeePerGas,
                    op.maxPriorityFeePerGas
                ),
                op.initCode,
                op.callData,
                paymasterAndData(op)
            );
    }

    function validateCallOf(
        bytes memory packed,
        Op memory op,
        uint256 maxCost
    ) public pure override returns (bytes memory) {
        UserOperation memory u;
        (u.sender, u.nonce, u.callGasLimit) = (
            address(bytes20(slice(packed, 0, 20))),
            uint256(bytes32(slice(packed, 20, 32))),
            uint256(bytes32(slice(packed, 52, 32)))
        );
        u.verificationGasLimit = uint256(bytes32(slice(packed, 84, 32)));
        u.preVerificationGas = uint256(bytes32(slice(packed, 116, 32)));
        u.maxFeePerGas = uint256(bytes32(slice(packed, 148, 32)));
        u.maxPriorityFeePerGas = uint256(bytes32(slice(packed, 180, 32)));
        uint256 at = 212;
        u.initCode = slice(packed, at, op.initCode.length);
        at += op.initCode.length;
        u.callData = slice(packed, at, op.callData.length);
        at += op.callData.length;
        u.paymasterAndData = slice(packed, at, packed.length - at);
        return abi.encodeCall(IPaymaster.validatePaymasterUserOp, (u, keccak256(packed), maxCost));
    }

    function handleOpsCall(Op[] memory ops) public view override returns (bytes memory) {
        UserOperation[] memory all = new UserOperation[](ops.length);
        for (uint256 i = 0; i < ops.length; i++) all[i] = toUserOperation(ops[i]);
        return abi.encodeCall(IEntryPointV06.handleOps, (all, payable(BENEFICIARY)));
    }

    function postOpCall(bytes memory context, uint256 cost, uint256) public pure override returns (bytes memory) {
        return abi.encodeCall(IPaymaster.postOp, (IPaymaster.PostOpMode.opSucceeded, context, cost));
    }

    function decodePostOp(
        bytes memory arguments
    ) public pure override returns (bytes memory context, uint256 cost, uint256 feePerGas) {
        (, context, cost) = abi.decode(arguments, (uint8, bytes, uint256));
        feePerGas = 0;
    }
}
