// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {IPaymaster} from "@account-abstraction/contracts-v07/interfaces/IPaymaster.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {PackedUserOperation} from "@account-abstraction/contracts-v07/interfaces/PackedUserOperation.sol";

/// @notice What the paymasters of this file share: a signature over the operation and their own data, v0.7.
abstract contract SignedFloor is IPaymaster {
    uint256 private constant _SIGNATURE_LENGTH = 65;

    address private immutable _ENTRY_POINT;

    constructor(address entryPoint) {
        _ENTRY_POINT = entryPoint;
    }

    modifier onlyEntryPoint() {
        require(msg.sender == _ENTRY_POINT, "not the EntryPoint");
        _;
    }

    /// @notice What the signer signs: every field of the operation but the account's signature, and the paymaster data
    ///         before the paymaster's own.
    function getDigest(PackedUserOperation calldata op) public view returns (bytes32) {
        return keccak256(abi.encodePacked(_operation(op), keccak256(_signed(op))));
    }

    function _operation(PackedUserOperation calldata op) private view returns (bytes memory) {
        return
            abi.encode(
                block.chainid,
                address(this),
                op.sender,
                op.sender.code.length,
                op.nonce,
                keccak256(op.initCode),
                keccak256(op.callData),
                op.accountGasLimits,
                op.preVerificationGas,
                op.gasFees
            );
    }

    function _signed(PackedUserOperation calldata op) private pure returns (bytes calldata) {
        return op.paymasterAndData[:op.paymasterAndData.length - _SIGNATURE_LENGTH];
    }

    function _signerOf(PackedUserOperation calldata op) internal view returns (address) {
        bytes calldata signature = op.paymasterAndData[op.paymasterAndData.length - _SIGNATURE_LENGTH:];
        return ecrecover(getDigest(op), uint8(signature[64]), bytes32(signature), bytes32(signature[32:]));
    }
}

/// @notice The least a verifying paymaster does: one signature of one key that can't be changed. It has no ledger.
contract VerifyingFloor is SignedFloor {
    address private immutable _SIGNER;

    constructor(address entryPoint, address signer) SignedFloor(entryPoint) {
        _SIGNER = signer;
    }

    function validatePaymasterUserOp(
        PackedUserOperation calldata op,
        bytes32,
        uint256
    ) external view onlyEntryPoint returns (bytes memory, uint256) {
        return ("", _signerOf(op) == _SIGNER ? 0 : 1);
    }

    function postOp(PostOpMode, bytes calldata, uint256, uint256) external {}
}

/**
 * @notice The least a sponsorship ledger does: a signer that can be taken away, a wallet that pays before the operation
 *         and gets the rest back after it, a mark that validation has run, one event. It has the paymaster data of
 *         ours.
 */
contract LedgerFloor is SignedFloor {
    uint256 private constant _WALLET = 65;
    uint256 private constant _UNACCOUNTED_GAS = 89;

    mapping(address signer => uint256) private _isSigner;
    mapping(address wallet => uint256) private _balanceWei;
    uint256 private transient _inFlight;

    event Charged(bytes32 indexed userOpHash, address indexed wallet, uint256 chargedWei);

    constructor(address entryPoint, address signer, address wallet, uint256 balanceWei) SignedFloor(entryPoint) {
        _isSigner[signer] = 1;
        _balanceWei[wallet] = balanceWei;
    }

    function validatePaymasterUserOp(
        PackedUserOperation calldata op,
        bytes32 userOpHash,
        uint256 maxCost
    ) external virtual onlyEntryPoint returns (bytes memory, uint256) {
        (address wallet, uint256 prechargeWei, uint256 unaccountedGas) = _take(op, maxCost);
        return (abi.encode(userOpHash, wallet, prechargeWei, unaccountedGas), _failed(op));
    }

    function postOp(
        PostOpMode,
        bytes calldata context,
        uint256 actualGasCost,
        uint256 feePerGas
    ) external virtual onlyEntryPoint {
        _charge(context, actualGasCost, feePerGas);
    }

    function _take(
        PackedUserOperation calldata op,
        uint256 maxCost
    ) internal returns (address wallet, uint256 prechargeWei, uint256 unaccountedGas) {
        wallet = address(bytes20(op.paymasterAndData[_WALLET:]));
        unaccountedGas = uint32(bytes4(op.paymasterAndData[_UNACCOUNTED_GAS:]));
        prechargeWei = maxCost + unaccountedGas * uint128(uint256(op.gasFees));
        _balanceWei[wallet] -= prechargeWei;
        _inFlight = 1;
    }

    function _failed(PackedUserOperation calldata op) internal view returns (uint256) {
        return 1 - _isSigner[_signerOf(op)];
    }

    function _charge(
        bytes calldata context,
        uint256 actualGasCost,
        uint256 feePerGas
    ) internal returns (uint256 chargedWei) {
        (bytes32 userOpHash, address wallet, uint256 prechargeWei, uint256 unaccountedGas) = abi.decode(
            context,
            (bytes32, address, uint256, uint256)
        );
        chargedWei = actualGasCost + unaccountedGas * feePerGas;
        _balanceWei[wallet] += prechargeWei - chargedWei;
        emit Charged(userOpHash, wallet, chargedWei);
    }
}

/// @notice `LedgerFloor` that also takes tokens by allowance before the operation, gives the rest back after it, and
///         remembers whose the others are.
contract TokenLedgerFloor is LedgerFloor {
    uint256 private constant _TOKEN = 94;
    uint256 private constant _RATE = 114;
    uint256 private constant _RECEIVER = 142;

    mapping(address token => mapping(address receiver => uint256)) private _booked;

    constructor(
        address entryPoint,
        address signer,
        address wallet,
        uint256 balanceWei
    ) LedgerFloor(entryPoint, signer, wallet, balanceWei) {}

    function validatePaymasterUserOp(
        PackedUserOperation calldata op,
        bytes32 userOpHash,
        uint256 maxCost
    ) external override onlyEntryPoint returns (bytes memory, uint256) {
        (address wallet, uint256 prechargeWei, uint256 unaccountedGas) = _take(op, maxCost);
        IERC20 token = IERC20(address(bytes20(op.paymasterAndData[_TOKEN:])));
        uint256 rate = uint192(bytes24(op.paymasterAndData[_RATE:]));
        require(token.transferFrom(op.sender, address(this), (prechargeWei * rate) / 1e18), "not paid");
        bytes memory context = abi.encode(userOpHash, wallet, prechargeWei, unaccountedGas);
        address receiver = address(bytes20(op.paymasterAndData[_RECEIVER:]));
        return (abi.encodePacked(context, abi.encode(token, rate, receiver, op.sender)), _failed(op));
    }

    function postOp(
        PostOpMode,
        bytes calldata context,
        uint256 actualGasCost,
        uint256 feePerGas
    ) external override onlyEntryPoint {
        uint256 charged = _charge(context, actualGasCost, feePerGas);
        (IERC20 token, uint256 rate, address receiver, address sender) = abi.decode(
            context[128:],
            (IERC20, uint256, address, address)
        );
        charged = (charged * rate) / 1e18;
        _booked[address(token)][receiver] += charged;
        uint256 prechargeWei = uint256(bytes32(context[64:]));
        require(token.transfer(sender, (prechargeWei * rate) / 1e18 - charged), "not returned");
    }
}
