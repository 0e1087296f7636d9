// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {IStakeManager} from "@account-abstraction/contracts-v07/interfaces/IStakeManager.sol";
import {IRefusals} from "../interfaces/IRefusals.sol";
import {Calldata} from "../layouts/Calldata.sol";
import {MEMBERS, SignedOperation} from "../layouts/SignedOperation.sol";
import {Precharge} from "../layouts/SponsoredContext.sol";
import {VersionTermsOf} from "../layouts/VersionTerms.sol";
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
 *  - The digest covers the chain, the EntryPoint, this contract, the paymaster's gas limits and every field of the
 *    operation except the account's signature: nothing signed here can be replayed elsewhere or altered by a sender or
 *    a bundler (free gas limits drain the deposit through the unused-gas penalty).
 *  - The digest covers whose code the sender runs by EIP-7702, as the chain has it in validation: whoever sends the
 *    transaction can put any authorization of the sender into it, and the sender would run anything at the wallet's
 *    cost. The sender has code by then, so ERC-7562 (OP-041) allows to read it.
 *  - A well-formed signature of a wrong key runs the whole path and only sets SIG_FAILED: bundlers estimate gas with
 *    such a stub, and a shorter path would make them reserve too little. The EntryPoint refuses the operation.
 *  - Precharge before execution: the operation's own calls can't take away the money it will cost.
 *  - `unaccountedGas` has a floor: the deposit is shared, so an operation billed below its cost would be paid by
 *    the other wallets.
 *  - No clock, base fee, origin, balance, oracle or foreign call in validation (ERC-7562 OP-011, OP-012, STO-*).
 *  - Settlement calls nobody and can't revert: a reverting `postOp` would undo the user's call (from v0.7 on) or, when
 *    the EntryPoint calls it for the second time, the whole bundle (v0.6).
 * The last two are sponsorship's; `TokenMode` says where it differs.
 */
abstract contract HybridPaymasterCore is FundingWallets, PaymasterDataParser, SignerSet, EIP712 {
    using Calldata for bytes;
    using SignedOperation for uint256[MEMBERS];

    // The validation data: bits 0 to 159 are 0 or `_SIG_FAILED`, 160 to 207 `validUntil`, 208 to 255 `validAfter`.
    /// @dev The EntryPoint refuses the operation (AA34).
    uint256 internal constant _SIG_FAILED = 1;
    uint256 private constant _VALID_UNTIL_BIT = 160;
    uint256 private constant _VALID_AFTER_BIT = 208;

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

    /**
     * @dev Says to the EntryPoint whether the signature is good, and when.
     * @param signed What the signature is for.
     * @param signature 65 bytes or 64 (EIP-2098).
     */
    function _validationData(
        uint256[MEMBERS] memory signed,
        bytes calldata signature
    ) internal view returns (uint256) {
        (uint256 activeFrom, bool isPaused) = _signer(_recover(_hashTypedDataV4(signed.structHash()), signature));
        if (isPaused) _refuse("PM signing paused", IRefusals.SigningIsPaused.selector);
        return
            (activeFrom == 0 ? _SIG_FAILED : 0) |
            (signed.validUntil() << _VALID_UNTIL_BIT) |
            (_max(signed.validAfter(), activeFrom) << _VALID_AFTER_BIT);
    }

    /**
     * @dev Takes the precharge.
     * @param signed The signed operation.
     * @param userOpHash The EntryPoint's hash of the operation.
     * @param prefundWei What the EntryPoint reserved for the operation.
     * @param maxFeePerGas The operation's highest price per gas.
     * @return prechargeWei What was taken from the wallet.
     * @return strandedWei What of it is recorded as returnable until settlement.
     */
    function _precharge(
        uint256[MEMBERS] memory signed,
        bytes32 userOpHash,
        uint256 prefundWei,
        uint256 maxFeePerGas
    ) internal returns (uint256 prechargeWei, uint256 strandedWei) {
        // No overflow: the EntryPoint has taken the prefund from the deposit, 32 bits times 128 are 160, and the
        // greater precharge is never below the smaller.
        unchecked {
            prechargeWei = _markUp(prefundWei + signed.unaccountedGas() * maxFeePerGas, signed.feeMarkup());
            strandedWei = prechargeWei - _markUp(prefundWei, signed.feeMarkup());
        }
        _debit(signed.fundingWallet(), prechargeWei, strandedWei);
        emit UserOperationPrecharged(userOpHash, signed.fundingWallet(), prechargeWei);
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
        emit UserOperationSponsored(precharge.userOpHash, precharge.fundingWallet, chargedWei, feeWei);
    }

    /// @dev Refuses a gas limit or a price that there can't be. Its bits are those of one number or of several.
    function _requireGasInRange(uint256 bits) internal pure {
        if (bits > VersionTermsOf.MAX_PART) _refuse("PM gas out of range", IRefusals.GasOutOfRange.selector, bits);
    }

    /// @dev Who signed. Refuses what is no signature.
    function _recover(bytes32 digest, bytes calldata signature) private pure returns (address signer) {
        bytes32 r = bytes32(signature.wordAt(0));
        bytes32 s = bytes32(signature.wordAt(32));
        ECDSA.RecoverError recoverError;
        (signer, recoverError, ) = signature.length == _SIGNATURE_LENGTH
            ? ECDSA.tryRecover(digest, uint8(signature.uintAt(64, 1)), r, s)
            : ECDSA.tryRecover(digest, r, s);
        if (recoverError != ECDSA.RecoverError.NoError) {
            _refuse("PM malformed signature", IRefusals.MalformedSignature.selector);
        }
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
