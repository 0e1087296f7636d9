// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {IPaymaster} from "@account-abstraction/contracts-v07/interfaces/IPaymaster.sol";
import {PackedUserOperation} from "@account-abstraction/contracts-v07/interfaces/PackedUserOperation.sol";
import {IHybridPaymaster} from "../../src/interfaces/IHybridPaymaster.sol";
import {IPackedHybridPaymaster} from "../../src/interfaces/IPackedHybridPaymaster.sol";
import {Op} from "./Op.sol";
import {Version} from "./Version.sol";

interface IEntryPointPacked {
    function handleOps(PackedUserOperation[] calldata ops, address payable beneficiary) external;
    function getUserOpHash(PackedUserOperation calldata op) external view returns (bytes32);
}

abstract contract VersionPacked is Version {
    string private constant MEMBERS =
        "address entryPoint,uint8 mode,address sender,address delegate,uint256 nonce,bytes initCode,bytes callData,bytes32 accountGasLimits,uint256 preVerificationGas,bytes32 gasFees,uint128 paymasterVerificationGasLimit,uint128 paymasterPostOpGasLimit,uint48 validUntil,uint48 validAfter,address fundingWallet,uint32 feeMarkup,uint32 unaccountedGas";

    function toUserOperation(Op memory op) public view returns (PackedUserOperation memory u) {
        u.sender = op.sender;
        u.nonce = op.nonce;
        u.initCode = op.initCode;
        u.callData = op.callData;
        u.accountGasLimits = _pair(op.verificationGasLimit, op.callGasLimit);
        u.preVerificationGas = op.preVerificationGas;
        u.gasFees = _pair(op.maxPriorityFeePerGas, op.maxFeePerGas);
        u.paymasterAndData = paymasterAndData(op);
    }

    /// @notice The operation with the suffix by which EntryPoint v0.9 leaves the paymaster's signature out of its hash.
    function suffixed(Op memory op) public pure returns (Op memory) {
        op.signature = abi.encodePacked(op.signature, uint16(op.signature.length), bytes8(keccak256("PaymasterSignature")));
        return op;
    }

    function prefixOf(Op memory op) public view override returns (bytes memory) {
        return
            abi.encodePacked(
                address(paymaster),
                uint128(op.paymasterVerificationGasLimit),
                uint128(op.paymasterPostOpGasLimit)
            );
    }

    /// @notice What is shorter than an address has zeros behind it; nothing stays nothing.
    function paddedInitCode(bytes memory initCode) public pure returns (bytes memory padded) {
        padded = new bytes(initCode.length == 0 || initCode.length > 20 ? initCode.length : 20);
        for (uint256 i = 0; i < initCode.length; i++) padded[i] = initCode[i];
    }

    function structHash(Op memory op) public view override returns (bytes32) {
        bytes memory first = abi.encode(
            typeHash(op.mode, MEMBERS),
            address(entryPoint),
            op.mode,
            op.sender,
            delegateOf(op.sender),
            op.nonce,
            keccak256(paddedInitCode(op.initCode)),
            keccak256(op.callData),
            _pair(op.verificationGasLimit, op.callGasLimit)
        );
        bytes memory second = abi.encode(
            op.preVerificationGas,
            _pair(op.maxPriorityFeePerGas, op.maxFeePerGas),
            op.paymasterVerificationGasLimit,
            op.paymasterPostOpGasLimit,
            op.validUntil,
            op.validAfter,
            op.fundingWallet,
            op.feeMarkup,
            op.unaccountedGas
        );
        return keccak256(abi.encodePacked(first, second, tokenMembers(op)));
    }

    function getDigest(Op memory op) external view override returns (bytes32) {
        return IPackedHybridPaymaster(address(paymaster)).getDigest(toUserOperation(op));
    }

    function userOpHash(Op memory op) public view override returns (bytes32) {
        return IEntryPointPacked(address(entryPoint)).getUserOpHash(toUserOperation(op));
    }

    function prefundWei(Op memory op) public pure override returns (uint256) {
        uint256 gas = op.verificationGasLimit +
            op.callGasLimit +
            op.paymasterVerificationGasLimit +
            op.paymasterPostOpGasLimit +
            op.preVerificationGas;
        return gas * op.maxFeePerGas;
    }

    function minUnaccountedGas() external view override returns (uint256) {
        return IPackedHybridPaymaster(address(paymaster)).MIN_UNACCOUNTED_GAS();
    }

    function pack(Op memory op) public view override returns (bytes memory) {
        return
            abi.encodePacked(
                abi.encodePacked(
                    op.sender,
                    op.nonce,
                    _pair(op.verificationGasLimit, op.callGasLimit),
                    op.preVerificationGas,
                    _pair(op.maxPriorityFeePerGas, op.maxFeePerGas)
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
        PackedUserOperation memory u;
        u.sender = address(bytes20(slice(packed, 0, 20)));
        u.nonce = uint256(bytes32(slice(packed, 20, 32)));
        u.accountGasLimits = bytes32(slice(packed, 52, 32));
        u.preVerificationGas = uint256(bytes32(slice(packed, 84, 32)));
        u.gasFees = bytes32(slice(packed, 116, 32));
        uint256 at = 148;
        u.initCode = slice(packed, at, op.initCode.length);
        at += op.initCode.length;
        u.callData = slice(packed, at, op.callData.length);
        at += op.callData.length;
        u.paymasterAndData = slice(packed, at, packed.length - at);
        return abi.encodeCall(IPaymaster.validatePaymasterUserOp, (u, keccak256(packed), maxCost));
    }

    function handleOpsCall(Op[] memory ops) public view override returns (bytes memory) {
        PackedUserOperation[] memory all = new PackedUserOperation[](ops.length);
        for (uint256 i = 0; i < ops.length; i++) all[i] = toUserOperation(ops[i]);
        return abi.encodeCall(IEntryPointPacked.handleOps, (all, payable(BENEFICIARY)));
    }

    function postOpCall(
        bytes memory context,
        uint256 cost,
        uint256 feePerGas
    ) public pure override returns (bytes memory) {
        return abi.encodeCall(IPaymaster.postOp, (IPaymaster.PostOpMode.opSucceeded, context, cost, feePerGas));
    }

    function decodePostOp(
        bytes memory arguments
    ) public pure override returns (bytes memory context, uint256 cost, uint256 feePerGas) {
        (, context, cost, feePerGas) = abi.decode(arguments, (uint8, bytes, uint256, uint256));
    }

    function _pair(uint256 high, uint256 low) internal pure returns (bytes32) {
        return bytes32((high << 128) | low);
    }
}
