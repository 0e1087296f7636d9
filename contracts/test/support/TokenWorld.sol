// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {DemoPermitToken} from "../../src/demo/DemoPermitToken.sol";
import {Op} from "./Op.sol";
import {TokenAccount} from "./tokens/TokenAccount.sol";
import {OnV06, OnV07, OnV08, OnV09, World} from "./World.sol";

/// @notice A `World` whose account owns a token and pays with it, in each of the three ways.
abstract contract TokenWorld is World {
    uint8 internal constant ALLOWANCE = 1;
    uint8 internal constant PERMIT = 2;
    uint8 internal constant BATCH_APPROVAL = 3;

    uint256 internal constant ACCOUNT_KEY = 0xACC0;
    address internal constant RECEIVER = address(0xFEE5);
    uint256 internal constant TOKENS = 1e30;

    DemoPermitToken internal token;
    TokenAccount internal tokenAccount;

    function _prepare() internal virtual override {
        tokenAccount = TokenAccount(payable(_deploy("TokenAccount", abi.encode(vm.addr(ACCOUNT_KEY)))));
        token = DemoPermitToken(_deploy("DemoPermitToken", abi.encode("Test", "TST", 18)));
        token.mint(address(tokenAccount), TOKENS);
    }

    /// @dev An operation that can be paid for: the allowance is there, or comes with it.
    function _payableOp(uint8 way) internal returns (Op memory op) {
        op = _tokenOp(way);
        if (way == ALLOWANCE) {
            vm.prank(op.sender);
            IERC20(op.token).approve(address(paymaster), type(uint256).max);
        }
        if (way == PERMIT) op.permit = _permit(op.maxTokenCharge);
        if (way == BATCH_APPROVAL) op.callData = _approval(op.maxTokenCharge);
    }

    /// @dev Token mode's fields over `_op`. At this rate and premium one wei costs 3,060.0000003 base units.
    function _tokenOp(uint8 way) internal view returns (Op memory op) {
        op = _op();
        op.sender = address(tokenAccount);
        op.nonce = version.nonceOf(op.sender, 0);
        op.mode = 2;
        op.way = way;
        op.token = address(token);
        op.exchangeRate = 3_000_000_000_299_999_999_999;
        op.premium = 1_020_000;
        op.feeReceiver = RECEIVER;
        op.maxTokenCharge = 1e24;
        if (way == PERMIT) op.permit = new bytes(129);
        _setTokenGas(op, 60_000);
    }

    /// @dev As the gateway does, from the constants and the gas of the token's own calls. But the base is the contract's
    ///      floor, and gateways sign at least that.
    function _setTokenGas(Op memory op, uint256 tokenCallGas) internal view {
        op.unaccountedGas = uint32(version.raised(op, paymaster.TOKEN_POST_OP_BASE_GAS()) + tokenCallGas);
        op.paymasterPostOpGasLimit = paymaster.minTokenPostOpGas(op.unaccountedGas);
        op.paymasterVerificationGasLimit = _gasConstant("tokenValidationGas");
        // A test that leaves `postOp` little gas does not leave the pull as little.
        uint256 pullGas = tokenCallGas < 40_000 ? 40_000 : tokenCallGas;
        if (op.way != BATCH_APPROVAL) op.paymasterVerificationGasLimit += pullGas;
        if (op.way == PERMIT) op.paymasterVerificationGasLimit += _gasConstant("tokenPermitGas");
        if (_isV06()) {
            op.verificationGasLimit = op.paymasterVerificationGasLimit + 50_000;
            if (op.verificationGasLimit < op.paymasterPostOpGasLimit) {
                op.verificationGasLimit = op.paymasterPostOpGasLimit;
            }
        }
    }

    function _approval(uint256 amount) internal view returns (bytes memory) {
        address[] memory targets = new address[](2);
        bytes[] memory datas = new bytes[](2);
        (targets[0], datas[0]) = (address(token), abi.encodeCall(IERC20.approve, (address(paymaster), amount)));
        (targets[1], datas[1]) = (address(tokenAccount), abi.encodeWithSignature("write(uint256)", 1));
        return abi.encodeCall(TokenAccount.executeBatch, (targets, datas));
    }

    /// @dev Signed with the account's key, checked by the account (ERC-1271).
    function _permit(uint256 value) internal view returns (bytes memory) {
        uint256 deadline = block.timestamp + 1 hours;
        bytes32 structHash = keccak256(
            abi.encode(
                keccak256("Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)"),
                address(tokenAccount),
                address(paymaster),
                value,
                token.nonces(address(tokenAccount)),
                deadline
            )
        );
        bytes32 digest = keccak256(abi.encodePacked(hex"1901", token.DOMAIN_SEPARATOR(), structHash));
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(ACCOUNT_KEY, digest);
        return abi.encodePacked(value, deadline, r, s, v);
    }

    /// @dev What the paymaster holds of the token is at least what it owes.
    function _assertTokensCovered() internal view {
        uint256 owed = paymaster.tokenBalanceOf(address(token), RECEIVER) +
            paymaster.tokenBalanceOf(address(token), address(tokenAccount));
        assertLe(owed, token.balanceOf(address(paymaster)), "token ledger against tokens held");
    }
}

abstract contract TokenOnV06 is TokenWorld, OnV06 {
    function _prepare() internal virtual override(World, TokenWorld) {
        TokenWorld._prepare();
    }
}

abstract contract TokenOnV07 is TokenWorld, OnV07 {
    function _prepare() internal virtual override(World, TokenWorld) {
        TokenWorld._prepare();
    }
}

abstract contract TokenOnV08 is TokenWorld, OnV08 {
    function _prepare() internal virtual override(World, TokenWorld) {
        TokenWorld._prepare();
    }
}

abstract contract TokenOnV09 is TokenWorld, OnV09 {
    function _prepare() internal virtual override(World, TokenWorld) {
        TokenWorld._prepare();
    }
}
