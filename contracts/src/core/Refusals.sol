// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

/**
 * @title Refusals
 * @notice How an operation is refused outright (a revert, unlike a wrong signer): in validation, and in `postOp` when it
 *         can't charge the sender. `IRefusals` says what each refusal means.
 * @dev EntryPoint v0.6 relays only `Error(string)`, later versions relay any revert data. So each refusal is given in
 *      both forms, where it happens: as a short string, at most 31 bytes, and as an error with its arguments.
 */
abstract contract Refusals {
    function _refuse(bytes32 short, bytes4 errorSelector) internal pure {
        _revert(short, abi.encodeWithSelector(errorSelector));
    }

    function _refuse(bytes32 short, bytes4 errorSelector, uint256 argument) internal pure {
        _revert(short, abi.encodeWithSelector(errorSelector, argument));
    }

    function _refuse(bytes32 short, bytes4 errorSelector, uint256 argument, uint256 argument2) internal pure {
        _revert(short, abi.encodeWithSelector(errorSelector, argument, argument2));
    }

    function _refuse(bytes32 short, bytes4 errorSelector, address token, uint256 amount) internal pure {
        _revert(short, abi.encodeWithSelector(errorSelector, token, amount));
    }

    /// @dev Reverts, always, with the form that the version's EntryPoint relays.
    function _revert(bytes32 short, bytes memory encodedError) internal pure virtual;
}
