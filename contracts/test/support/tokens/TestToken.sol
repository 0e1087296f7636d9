// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

/**
 * @notice A plain ERC-20 to derive bad ones from. Anyone mints, and anyone permits what the owner did not sign: with
 *         each `r` once, which stands for the nonce. What a permit's signature is worth is the token's business.
 */
contract TestToken {
    uint8 public immutable decimals;
    mapping(address account => uint256) internal _balances;
    mapping(address owner => mapping(address spender => uint256)) internal _allowances;

    mapping(address owner => mapping(bytes32 r => bool)) private _usedPermits;

    event Transfer(address indexed from, address indexed to, uint256 amount);
    event Approval(address indexed owner, address indexed spender, uint256 amount);

    error BalanceTooLow(address account, uint256 balance, uint256 amount);
    error AllowanceTooLow(address owner, uint256 allowed, uint256 amount);

    error PermitUsed(bytes32 r);

    constructor(uint8 decimals_) {
        decimals = decimals_;
    }

    function mint(address account, uint256 amount) external {
        _balances[account] += amount;
    }

    function approve(address spender, uint256 amount) external virtual returns (bool) {
        _approve(msg.sender, spender, amount);
        return true;
    }

    function permit(
        address owner,
        address spender,
        uint256 amount,
        uint256 deadline,
        uint8,
        bytes32 r,
        bytes32
    ) external virtual {
        require(block.timestamp <= deadline);
        if (_usedPermits[owner][r]) revert PermitUsed(r);
        _usedPermits[owner][r] = true;
        _approve(owner, spender, amount);
    }

    function transfer(address to, uint256 amount) external virtual returns (bool) {
        _move(msg.sender, to, amount);
        return true;
    }

    function transferFrom(address from, address to, uint256 amount) external virtual returns (bool) {
        _spendAllowance(from, amount);
        _move(from, to, amount);
        return true;
    }

    function balanceOf(address account) public view virtual returns (uint256) {
        return _balances[account];
    }

    function allowance(address owner, address spender) external view returns (uint256) {
        return _allowances[owner][spender];
    }

    function _approve(address owner, address spender, uint256 amount) internal {
        _allowances[owner][spender] = amount;
        emit Approval(owner, spender, amount);
    }

    function _spendAllowance(address from, uint256 amount) internal {
        uint256 allowed = _allowances[from][msg.sender];
        if (allowed < amount) revert AllowanceTooLow(from, allowed, amount);
        if (allowed != type(uint256).max) _allowances[from][msg.sender] = allowed - amount;
    }

    function _move(address from, address to, uint256 amount) internal virtual {
        uint256 balance = _balances[from];
        if (balance < amount) revert BalanceTooLow(from, balance, amount);
        _balances[from] = balance - amount;
        _balances[to] += amount;
        emit Transfer(from, to, amount);
    }
}
