// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

/// @notice A contract that the paymaster sponsors calls of. What a call takes depends on what was done before.
contract SiphonTarget {
    bool private _isOff;

    function turn(bool isOff) external {
        _isOff = isOff;
    }

    /// @notice Takes hardly any gas, or all there is while it is turned off, as `assert` did before Solidity 0.8.
    function check() external view {
        if (_isOff) {
            assembly {
                invalid()
            }
        }
    }

    /// @param gasToBurn what the call takes, unless it is turned off
    function work(uint256 gasToBurn) external view {
        uint256 gasBefore = gasleft();
        if (_isOff) revert();
        while (gasBefore - gasleft() < gasToBurn) {}
    }
}

/**
 * @notice Deploys the cheapest account there can be: four bytes of code that answer zero, whatever they are asked. So it
 *         accepts any signature, and makes no call.
 */
contract SiphonFactory {
    bytes12 public constant CREATION_CODE = hex"6360205ff35f526004601cf3";

    /// @dev The call data is the salt.
    fallback() external {
        bytes12 code = CREATION_CODE;
        assembly {
            mstore(0, code)
            mstore(0, create2(0, 0, 12, calldataload(0)))
            return(0, 32)
        }
    }
}

/**
 * @notice Calls a contract with data of which only what does not repeat itself is in the transaction.
 * @dev Call data: the contract's address, then parts of `uint16 length, bytes literal, uint16 words, bytes32 word`: the
 *      literal, and after it the word so many times.
 */
contract SiphonInflater {
    fallback() external {
        assembly {
            let from := 20
            let to := 0
            for {} lt(from, calldatasize()) {} {
                let length := shr(240, calldataload(from))
                calldatacopy(to, add(from, 2), length)
                to := add(to, length)
                from := add(from, add(length, 2))
                let words := shr(240, calldataload(from))
                let word := calldataload(add(from, 2))
                for { let end := add(to, mul(32, words)) } lt(to, end) { to := add(to, 32) } { mstore(to, word) }
                from := add(from, 34)
            }
            if iszero(call(gas(), shr(96, calldataload(0)), 0, 0, to, 0, 0)) { revert(0, 0) }
        }
    }
}
