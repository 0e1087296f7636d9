// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {IStakeManager} from "@account-abstraction/contracts-v07/interfaces/IStakeManager.sol";
import {EntryPointStake} from "./EntryPointStake.sol";
import {FundingWallets} from "./FundingWallets.sol";
import {PaymasterDataParser} from "./PaymasterDataParser.sol";
import {SignerSet} from "./SignerSet.sol";

/**
 * @title HybridPaymasterCore
 * @notice What both modes of every EntryPoint version share, and all of sponsorship: check a signature, take the most
 *         the operation can cost from the funding wallet, and after the operation give back what it did not cost.
 *
 * What each guard answers
 *  - The digest covers every field of the operation but the account's signature, the paymaster's gas limits, the
 *    EntryPoint, the chain and this contract: nothing signed here can be replayed elsewhere or altered by a sender
 *    or a bundler (free gas limits drain the deposit through the unused-gas penalty).
 *  - The digest covers whose code the sender runs by EIP-7702, as the chain has it in validation: whoever sends the
 *    transaction can put any authorization of the sender into it, and the sender would run anything at the wallet's
 *    cost. The sender has code by then, so ERC-7562 (OP-041) allows to read it.
 *  - A well-formed signature of a wrong key runs the whole path and only sets SIG_FAILED: bundlers estimate gas with
 *    such a stub, and a shorter path would make them reserve too little. The EntryPoint refuses the operation.
 *  - Precharge before execution: the operation's own calls can't take away the money it will cost.
 *  - `unaccountedGas` has a floor: the deposit is shared, so an operation billed below its cost would be paid by
 *    the other wallets.
 *  - No clock, base fee, origin, balance, oracle or foreign call in validation (ERC-7562 OP-011, OP-012, STO-*).
 *  - Settlement calls nobody and can't revert: a reverting `postOp` would undo the user's call (v0.7, v0.8) or the
 *    whole bundle (v0.6).
 * The last two are sponsorship's; `TokenMode` says where it differs.
 */
abstract contract HybridPaymasterCore is FundingWallets, PaymasterDataParser, SignerSet, EIP712 {
    /// @dev What settlement knows of the operation.
    struct Precharge {
        /// @dev The EntryPoint's hash of the operation; names it in the events.
        bytes32 userOpHash;
        /// @dev The account that acts.
        address sender;
        /// @dev The wallet that pays.
        address fundingWallet;
        /// @dev Taken from the wallet in validation, wei.
        uint256 prechargeWei;
        /// @dev What of it is recorded as returnable until settlement, wei.
        uint256 strandedWei;
        /// @dev What the wallet pays per million of cost.
        uint256 feeMarkup;
        /// @dev Upper bound on the gas the EntryPoint takes after it measured `actualGasCost`.
        uint256 unaccountedGas;
    }

    /// @dev In the validation data: the EntryPoint refuses the operation (AA34).
    uint256 internal constant _SIG_FAILED = 1;
    /// @dev Of a context without a token payment.
    uint256 internal constant _SPONSORED_CONTEXT_LENGTH = 4 * 32;
    /// @dev The code of an account that delegates by EIP-7702 is this prefix and the delegate's address.
    uint256 private constant _DELEGATION_PREFIX = 0xef0100;
    /// @dev Bytes of that code.
    uint256 private constant _DELEGATION_LENGTH = 23;

    constructor(
        IStakeManager entryPoint_,
        address owner_,
        address[] memory signers_,
        uint256 withdrawalDelaySeconds_
    )
        Ownable(owner_)
        EntryPointStake(entryPoint_)
        FundingWallets(withdrawalDelaySeconds_)
        // A wallet that asks for its money when a key is added may execute in its whole window before the key counts.
        SignerSet(signers_, withdrawalDelaySeconds_ + WITHDRAWAL_WINDOW_SECONDS)
        EIP712("HybridPaymaster", "1")
    {}

    /// @dev Whose code the account runs by EIP-7702; zero where it does not delegate.
    function _delegateOf(address account) internal view returns (address delegate) {
        assembly ("memory-safe") {
            if eq(extcodesize(account), _DELEGATION_LENGTH) {
                // What is behind the end of the code is copied as zeros.
                extcodecopy(account, 0, 0, 32)
                let code := mload(0)
                if eq(shr(232, code), _DELEGATION_PREFIX) {
                    delegate := shr(96, shl(24, code))
                }
            }
        }
    }

    /**
     * @dev Says to the EntryPoint whether the signature is good, and when.
     * @param data The parsed paymaster data.
     * @param signature Over the digest, 65 bytes or 64 (EIP-2098).
     * @param structHash EIP-712 struct hash of the operation.
     */
    function _validationData(
        PaymasterData memory data,
        bytes calldata signature,
        bytes32 structHash
    ) internal view returns (uint256) {
        (uint256 activeFrom, bool isPaused) = _signer(_recover(_hashTypedDataV4(structHash), signature));
        if (isPaused) _signingIsPaused();
        return
            (activeFrom == 0 ? _SIG_FAILED : 0) |
            (data.validUntil << 160) |
            (_max(data.validAfter, activeFrom) << 208);
    }

    /**
     * @dev Takes the precharge.
     * @param data The parsed paymaster data.
     * @param userOpHash The EntryPoint's hash of the operation.
     * @param prefundWei What the EntryPoint reserved for the operation.
     * @param maxFeePerGas The operation's highest price per gas.
     * @return prechargeWei What was taken from the wallet.
     * @return strandedWei What of it is recorded as returnable until settlement.
     */
    function _precharge(
        PaymasterData memory data,
        bytes32 userOpHash,
        uint256 prefundWei,
        uint256 maxFeePerGas
    ) internal returns (uint256 prechargeWei, uint256 strandedWei) {
        // No overflow: the EntryPoint has taken the prefund from the deposit, 32 bits times 128 are 160, and the
        // greater precharge is never below the smaller.
        unchecked {
            prechargeWei = _markUp(prefundWei + data.unaccountedGas * maxFeePerGas, data.feeMarkup);
            strandedWei = prechargeWei - _markUp(prefundWei, data.feeMarkup);
        }
        _debit(data.fundingWallet, prechargeWei, strandedWei);
        emit UserOperationPrecharged(userOpHash, data.fundingWallet, prechargeWei);
    }

    /**
     * @dev Charges the wallet and gives back the rest of the precharge. The EntryPoint never takes more than the
     *      prefund and the precharge is never less, so capping the charge loses nothing.
     * @param precharge What validation took.
     * @param costWei Upper bound on what the EntryPoint takes for the operation.
     * @return chargedWei What the wallet paid, its markup included.
     */
    function _settle(Precharge memory precharge, uint256 costWei) internal returns (uint256 chargedWei) {
        chargedWei = _min(_markUp(costWei, precharge.feeMarkup), precharge.prechargeWei);
        uint256 refundedWei;
        uint256 feeWei;
        unchecked {
            refundedWei = precharge.prechargeWei - chargedWei;
            // Income is what certainly stays after the EntryPoint's part.
            feeWei = chargedWei - _min(costWei, chargedWei);
        }
        _credit(precharge.fundingWallet, refundedWei, precharge.strandedWei, feeWei);
        emit UserOperationSponsored(
            precharge.userOpHash,
            precharge.fundingWallet,
            precharge.sender,
            chargedWei,
            refundedWei,
            feeWei
        );
    }

    /**
     * @dev What `postOp` needs to know, in few words: the EntryPoint copies them several times for every operation.
     * @param billing What the version's `postOp` needs besides, 176 bits.
     */
    function _encodeContext(
        bytes32 userOpHash,
        address sender,
        uint256 billing,
        PaymasterData memory data,
        uint256 prechargeWei,
        uint256 strandedWei
    ) internal pure returns (bytes memory) {
        // `_debit` has bounded both amounts: 96 bits and 80.
        return
            abi.encode(
                userOpHash,
                (uint256(uint160(sender)) << 96) | prechargeWei,
                (uint256(uint160(data.fundingWallet)) << 96) | (data.feeMarkup << 32) | data.unaccountedGas,
                (strandedWei << 176) | billing
            );
    }

    /// @dev What `_encodeContext` wrote.
    function _decodeContext(
        bytes calldata context
    ) internal pure returns (Precharge memory precharge, uint256 billing) {
        uint256 payer = _uintAt(context, 32, 32);
        uint256 terms = _uintAt(context, 64, 32);
        uint256 amounts = _uintAt(context, 96, 32);
        precharge.userOpHash = bytes32(_uintAt(context, 0, 32));
        precharge.sender = address(uint160(payer >> 96));
        precharge.prechargeWei = uint96(payer);
        precharge.fundingWallet = address(uint160(terms >> 96));
        precharge.feeMarkup = uint32(terms >> 32);
        precharge.unaccountedGas = uint32(terms);
        precharge.strandedWei = amounts >> 176;
        billing = uint176(amounts);
    }

    /// @dev Two numbers of the operation in one; refuses what a gas limit or a price can't be.
    function _billing(uint256 first, uint256 second) internal pure returns (uint256) {
        if ((first | second) > type(uint88).max) _gasOutOfRange(first | second);
        return (first << 88) | second;
    }

    /// @dev What `_billing` joined.
    function _billingParts(uint256 billing) internal pure returns (uint256 first, uint256 second) {
        return (billing >> 88, uint88(billing));
    }

    /// @dev Who signed. Refuses what is no signature.
    function _recover(bytes32 digest, bytes calldata signature) private pure returns (address signer) {
        bytes32 r = bytes32(_uintAt(signature, 0, 32));
        bytes32 s = bytes32(_uintAt(signature, 32, 32));
        ECDSA.RecoverError recoverError;
        (signer, recoverError, ) = signature.length == _SIGNATURE_LENGTH
            ? ECDSA.tryRecover(digest, uint8(_uintAt(signature, 64, 1)), r, s)
            : ECDSA.tryRecover(digest, r, s);
        if (recoverError != ECDSA.RecoverError.NoError) _malformedSignature();
    }

    function _max(uint256 a, uint256 b) private pure returns (uint256) {
        return a > b ? a : b;
    }

    /// @dev Adds the markup and rounds up: rounding is paid by the wallet, never by the shared deposit. No amount of
    ///      ether times 21 bits overflows.
    function _markUp(uint256 amountWei, uint256 feeMarkup) internal pure returns (uint256) {
        unchecked {
            return (amountWei * feeMarkup + (MARKUP_UNIT - 1)) / MARKUP_UNIT;
        }
    }
}
