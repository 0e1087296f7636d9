// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {LibClone} from "apps/paymaster-rpc-e2e/clients/node_modules/solady/src/utils/LibClone.sol";
import {WebAuthn} from "apps/paymaster-rpc-e2e/clients/node_modules/solady/src/utils/WebAuthn.sol";

// Accounts whose own code is in no npm package. A client computes their address, encodes their calls and signs for them
// as it does on a public chain; these contracts do what the real ones do with that, and nothing else.

interface IEntryPoint {
    function getNonce(address sender, uint192 key) external view returns (uint256);
}

/// Validates a signature of its owner and makes the calls of the families that stand-ins are needed for.
contract StandInAccount {
    struct Call {
        address target;
        uint256 value;
        bytes data;
    }

    /// The fields of both versions that are read, at the same places: sender and nonce come first, then other things.
    struct OperationV06 {
        address sender;
        uint256 nonce;
        bytes initCode;
        bytes callData;
        uint256 callGasLimit;
        uint256 verificationGasLimit;
        uint256 preVerificationGas;
        uint256 maxFeePerGas;
        uint256 maxPriorityFeePerGas;
        bytes paymasterAndData;
        bytes signature;
    }

    struct OperationV07 {
        address sender;
        uint256 nonce;
        bytes initCode;
        bytes callData;
        bytes32 accountGasLimits;
        uint256 preVerificationGas;
        bytes32 gasFees;
        bytes paymasterAndData;
        bytes signature;
    }

    address private constant ENTRY_POINT_V06 = 0x5FF137D4b0FDCD49DcA30c7CF57E578a026d2789;
    address private constant ENTRY_POINT_V07 = 0x0000000071727De22E5E9d8BAf0edAc6f37da032;

    address private owner;
    /// Where in a signature the 65 bytes of its owner's key are.
    uint256 private signatureAt;

    error NotFromEntryPoint();
    error AlreadyInitialized();
    error NoOwner();

    receive() external payable {}

    modifier onlyEntryPoint() {
        if (msg.sender != ENTRY_POINT_V06 && msg.sender != ENTRY_POINT_V07) revert NotFromEntryPoint();
        _;
    }

    function standIn(address owner_, uint256 signatureAt_) external {
        if (owner != address(0)) revert AlreadyInitialized();
        if (owner_ == address(0)) revert NoOwner();
        owner = owner_;
        signatureAt = signatureAt_;
    }

    function validateUserOp(OperationV06 calldata op, bytes32 hash, uint256 missingFunds)
        external
        onlyEntryPoint
        returns (uint256)
    {
        pay(missingFunds);
        return validate(op.signature, hash);
    }

    function validateUserOp(OperationV07 calldata op, bytes32 hash, uint256 missingFunds)
        external
        onlyEntryPoint
        returns (uint256)
    {
        pay(missingFunds);
        return validate(op.signature, hash);
    }

    /// What the proxies of LightAccount 1 call first; its factory says the rest.
    function initialize(address) external {}

    /// Biconomy V2.
    function nonce(uint192 key) external view returns (uint256) {
        return IEntryPoint(ENTRY_POINT_V06).getNonce(address(this), key);
    }

    /// Nexus 1.2.
    function accountId() external pure returns (string memory) {
        return "biconomy.nexus.1.2.0";
    }

    /// What the EntryPoint wants of an account without a paymaster.
    function pay(uint256 missingFunds) private {
        if (missingFunds == 0) return;
        (bool paid,) = msg.sender.call{value: missingFunds}("");
        (paid); // The EntryPoint looks.
    }

    /// 0, or 1 for SIG_FAILED: the owner has signed the hash itself, or as a message.
    function validate(bytes calldata signature, bytes32 hash) internal view virtual returns (uint256) {
        if (signature.length < signatureAt + 65) return 1;
        bytes calldata own = signature[signatureAt:signatureAt + 65];
        (bytes32 r, bytes32 s, uint8 v) = (bytes32(own[:32]), bytes32(own[32:64]), uint8(own[64]));
        if (ecrecover(hash, v, r, s) == owner) return 0;
        bytes32 message = keccak256(abi.encodePacked("\x19Ethereum Signed Message:\n32", hash));
        return ecrecover(message, v, r, s) == owner ? 0 : 1;
    }

    function execute(address target, uint256 value, bytes calldata data) external onlyEntryPoint {
        call(target, value, data);
    }

    /// Biconomy V2.
    function execute_ncC(address target, uint256 value, bytes calldata data) external onlyEntryPoint {
        call(target, value, data);
    }

    /// Kernel v2.
    function execute(address target, uint256 value, bytes calldata data, uint8) external onlyEntryPoint {
        call(target, value, data);
    }

    function executeBatch(address[] calldata targets, bytes[] calldata data) external onlyEntryPoint {
        for (uint256 i; i < targets.length; i++) call(targets[i], 0, data[i]);
    }

    function executeBatch(address[] calldata targets, uint256[] calldata values, bytes[] calldata data)
        external
        onlyEntryPoint
    {
        for (uint256 i; i < targets.length; i++) call(targets[i], values[i], data[i]);
    }

    /// Biconomy V2.
    function executeBatch_y6U(address[] calldata targets, uint256[] calldata values, bytes[] calldata data)
        external
        onlyEntryPoint
    {
        for (uint256 i; i < targets.length; i++) call(targets[i], values[i], data[i]);
    }

    function executeBatch(Call[] calldata calls) external onlyEntryPoint {
        for (uint256 i; i < calls.length; i++) call(calls[i].target, calls[i].value, calls[i].data);
    }

    /// ERC-7579: a call, or a batch of calls.
    function execute(bytes32 mode, bytes calldata execution) external onlyEntryPoint {
        if (mode[0] == 0x01) {
            Call[] memory calls = abi.decode(execution, (Call[]));
            for (uint256 i; i < calls.length; i++) call(calls[i].target, calls[i].value, calls[i].data);
        } else {
            call(address(bytes20(execution[:20])), uint256(bytes32(execution[20:52])), execution[52:]);
        }
    }

    function call(address target, uint256 value, bytes memory data) private {
        (bool success, bytes memory returned) = target.call{value: value}(data);
        if (!success) {
            assembly {
                revert(add(returned, 32), mload(returned))
            }
        }
    }
}

/// Makes an account for whatever call, at an address that depends on the arguments of the call.
contract StandInFactory {
    address private immutable IMPLEMENTATION = address(new StandInAccount());
    bytes4 private immutable VIEW;
    uint256 private immutable OWNER_AT;
    uint256 private immutable SIGNATURE_AT;

    /// @param viewSelector the function that says the address and makes nothing; zero where there is none
    /// @param ownerAt where in a call the 20 bytes of the owner are
    /// @param signatureAt where in a signature of such an account its owner's 65 bytes are
    constructor(bytes4 viewSelector, uint256 ownerAt, uint256 signatureAt) {
        VIEW = viewSelector;
        OWNER_AT = ownerAt;
        SIGNATURE_AT = signatureAt;
    }

    fallback(bytes calldata data) external returns (bytes memory) {
        bytes32 salt = keccak256(data[4:]);
        // The proxy of most of these families: clients compute addresses from its code.
        address account = LibClone.predictDeterministicAddressERC1967(IMPLEMENTATION, salt, address(this));
        if (account.code.length == 0 && (VIEW == 0 || bytes4(data) != VIEW)) {
            LibClone.createDeterministicERC1967(IMPLEMENTATION, salt);
            address owner = address(bytes20(data[OWNER_AT:OWNER_AT + 20]));
            StandInAccount(payable(account)).standIn(owner, SIGNATURE_AT);
        }
        return abi.encode(account);
    }
}

/// An account of Coinbase's Smart Wallet whose owner has a passkey.
contract StandInPasskeyAccount is StandInAccount {
    struct SignatureWrapper {
        uint256 ownerIndex;
        bytes signatureData;
    }

    bytes32 private x;
    bytes32 private y;

    function standIn(bytes32 x_, bytes32 y_) external {
        if (x != 0) revert AlreadyInitialized();
        (x, y) = (x_, y_);
    }

    function validate(bytes calldata signature, bytes32 hash) internal view override returns (uint256) {
        SignatureWrapper memory wrapper = abi.decode(signature, (SignatureWrapper));
        WebAuthn.WebAuthnAuth memory auth = abi.decode(wrapper.signatureData, (WebAuthn.WebAuthnAuth));
        return WebAuthn.verify(abi.encode(hash), false, auth, x, y) ? 0 : 1;
    }
}

/// Of Coinbase's Smart Wallet: the first owner has a key or a passkey.
contract StandInCoinbaseFactory {
    address private immutable OF_KEY = address(new StandInAccount());
    address private immutable OF_PASSKEY = address(new StandInPasskeyAccount());
    /// `abi.encode(SignatureWrapper)` of 65 bytes.
    uint256 private constant SIGNATURE_AT = 128;

    function getAddress(bytes[] calldata owners, uint256 nonce) public view returns (address) {
        return LibClone.predictDeterministicAddressERC1967(implementationOf(owners), saltOf(owners, nonce), address(this));
    }

    function createAccount(bytes[] calldata owners, uint256 nonce) external returns (address account) {
        account = getAddress(owners, nonce);
        if (account.code.length > 0) return account;
        LibClone.createDeterministicERC1967(implementationOf(owners), saltOf(owners, nonce));
        bytes calldata owner = owners[0];
        if (owner.length == 64) {
            StandInPasskeyAccount(payable(account)).standIn(bytes32(owner[:32]), bytes32(owner[32:]));
        } else {
            StandInAccount(payable(account)).standIn(address(bytes20(owner[12:])), SIGNATURE_AT);
        }
    }

    function implementationOf(bytes[] calldata owners) private view returns (address) {
        return owners[0].length == 64 ? OF_PASSKEY : OF_KEY;
    }

    function saltOf(bytes[] calldata owners, uint256 nonce) private pure returns (bytes32) {
        return keccak256(abi.encode(owners, nonce));
    }
}

/// Kernel's meta factory: has the factory that its caller names make the account.
contract StandInMetaFactory {
    function deployWithFactory(address factory, bytes calldata data, bytes32 salt) external returns (address account) {
        (bool success, bytes memory returned) =
            factory.call(abi.encodeWithSignature("createAccount(bytes,bytes32)", data, salt));
        require(success, "no account");
        return abi.decode(returned, (address));
    }
}

/// Makes accounts of proxies whose code clients compute addresses from.
abstract contract StandInProxies {
    function make(bytes memory code, bytes32 salt, address owner, uint256 signatureAt)
        internal
        returns (address account)
    {
        assembly {
            account := create2(0, add(code, 32), mload(code), salt)
        }
        require(account != address(0), "no account");
        StandInAccount(payable(account)).standIn(owner, signatureAt);
    }
}

/// Biconomy V2.
contract StandInBiconomyFactory is StandInProxies {
    bytes private proxyCode;

    /// @param proxyCode_ creation code with its argument
    constructor(bytes memory proxyCode_) {
        proxyCode = proxyCode_;
    }

    function deployCounterFactualAccount(address module, bytes calldata setup, uint256 index)
        external
        returns (address)
    {
        address handler = 0x0bBa6d96BD616BedC6BFaa341742FD43c60b83C1;
        bytes memory init = abi.encodeWithSignature("init(address,address,bytes)", handler, module, setup);
        bytes32 salt = keccak256(abi.encodePacked(keccak256(init), index));
        // `initForSmartAccount(address owner)`; a signature is `abi.encode(bytes signature, address module)`.
        return make(proxyCode, salt, address(bytes20(setup[16:36])), 96);
    }
}

/// LightAccount 1.
contract StandInLightFactory is StandInProxies {
    address private immutable IMPLEMENTATION = address(new StandInAccount());
    bytes private proxyCode;

    /// @param proxyCode_ creation code without its arguments
    constructor(bytes memory proxyCode_) {
        proxyCode = proxyCode_;
    }

    function createAccount(address owner, uint256 salt) external returns (address) {
        bytes memory init = abi.encodeWithSignature("initialize(address)", owner);
        return make(abi.encodePacked(proxyCode, abi.encode(IMPLEMENTATION, init)), bytes32(salt), owner, 0);
    }
}

/// ModularAccount 2, whose client asks how it validates: by its owner and nothing else.
contract StandInModularAccount is StandInAccount {
    struct ValidationData {
        uint8 flags;
        bytes25[] validationHooks;
        bytes25[] executionHooks;
        bytes4[] selectors;
    }

    function getValidationData(bytes24) external pure returns (ValidationData memory data) {}
}

/// The factory of ModularAccount 2, whose owner is part of its code.
contract StandInModularFactory is StandInProxies {
    address private constant IMPLEMENTATION = 0x000000000000c5A9089039570Dd36455b5C07383;

    function createSemiModularAccount(address owner, uint256 salt) external returns (address) {
        bytes memory code = LibClone.initCodeERC1967(IMPLEMENTATION, abi.encodePacked(owner));
        // Behind two bytes that say who validates: the owner, with a key.
        return make(code, keccak256(abi.encodePacked(owner, salt, type(uint32).max)), owner, 2);
    }
}

/// A published Safe, as far as the stand-ins around it call it.
interface ISafe {
    function setup(
        address[] calldata owners,
        uint256 threshold,
        address to,
        bytes calldata data,
        address fallbackHandler,
        address paymentToken,
        uint256 payment,
        address paymentReceiver
    ) external;
    function enableModule(address module) external;
    function checkSignatures(bytes32 hash, bytes calldata data, bytes calldata signatures) external view;
    function execTransactionFromModuleReturnData(address to, uint256 value, bytes calldata data, uint8 operation)
        external
        returns (bool success, bytes memory returned);
}

/// What the stand-ins around a published Safe have in common.
abstract contract StandInForSafe {
    bytes32 private constant DOMAIN = keccak256("EIP712Domain(uint256 chainId,address verifyingContract)");
    /// A signature starts with the times between which it is valid. Clients leave them zero: always.
    uint256 internal constant TIMES = 12;

    /// A Safe appends its caller's address to what it hands to its fallback handler.
    modifier onlyFrom(address allowed) {
        require(address(bytes20(msg.data[msg.data.length - 20:])) == allowed, "another caller");
        _;
    }

    /// What the owners of a Safe sign.
    function typedHash(address module, bytes32 structHash) internal view returns (bytes32) {
        bytes32 domain = keccak256(abi.encode(DOMAIN, block.chainid, module));
        return keccak256(abi.encodePacked(hex"1901", domain, structHash));
    }

    function callFromSafe(address to, uint256 value, bytes memory data, uint8 operation) internal {
        (bool success, bytes memory returned) =
            ISafe(msg.sender).execTransactionFromModuleReturnData(to, value, data, operation);
        if (!success) {
            assembly {
                revert(add(returned, 32), mload(returned))
            }
        }
    }
}

/// Safe's 4337 module 0.2, of EntryPoint v0.6.
contract StandInSafeModule is StandInForSafe {
    address private constant ENTRY_POINT = 0x5FF137D4b0FDCD49DcA30c7CF57E578a026d2789;
    bytes32 private constant SAFE_OP = keccak256(
        "SafeOp(address safe,uint256 nonce,bytes initCode,bytes callData,uint256 callGasLimit,uint256 verificationGasLimit,uint256 preVerificationGas,uint256 maxFeePerGas,uint256 maxPriorityFeePerGas,bytes paymasterAndData,uint48 validAfter,uint48 validUntil,address entryPoint)"
    );

    /// 0, or 1 for SIG_FAILED.
    function validateUserOp(StandInAccount.OperationV06 calldata op, bytes32, uint256)
        external
        view
        onlyFrom(ENTRY_POINT)
        returns (uint256)
    {
        bytes32 hash = typedHash(address(this), structHash(op));
        try ISafe(msg.sender).checkSignatures(hash, "", op.signature[TIMES:]) {
            return 0;
        } catch {
            return 1;
        }
    }

    function executeUserOpWithErrorString(address to, uint256 value, bytes calldata data, uint8 operation)
        external
        onlyFrom(ENTRY_POINT)
    {
        callFromSafe(to, value, data, operation);
    }

    function structHash(StandInAccount.OperationV06 calldata op) private pure returns (bytes32) {
        bytes memory what = abi.encode(SAFE_OP, op.sender, op.nonce, keccak256(op.initCode), keccak256(op.callData));
        bytes memory gas = abi.encode(
            op.callGasLimit, op.verificationGasLimit, op.preVerificationGas, op.maxFeePerGas, op.maxPriorityFeePerGas
        );
        bytes memory rest = abi.encode(keccak256(op.paymasterAndData), 0, 0, ENTRY_POINT);
        return keccak256(bytes.concat(what, gas, rest));
    }
}

/// The ERC-7579 adapter and its launchpad, of EntryPoint v0.7.
abstract contract StandInForSafe7579 is StandInForSafe {
    address internal constant ENTRY_POINT = 0x0000000071727De22E5E9d8BAf0edAc6f37da032;
    bytes32 private constant SAFE_OP = keccak256(
        "SafeOp(address safe,uint256 nonce,bytes initCode,bytes callData,uint128 verificationGasLimit,uint128 callGasLimit,uint256 preVerificationGas,uint128 maxPriorityFeePerGas,uint128 maxFeePerGas,bytes paymasterAndData,uint48 validAfter,uint48 validUntil,address entryPoint)"
    );

    function structHash(StandInAccount.OperationV07 calldata op) internal pure returns (bytes32) {
        (bytes32 limits, bytes32 fees) = (op.accountGasLimits, op.gasFees);
        bytes memory what = abi.encode(SAFE_OP, op.sender, op.nonce, keccak256(op.initCode), keccak256(op.callData));
        bytes memory gas = abi.encode(limits >> 128, limits << 128 >> 128, op.preVerificationGas, fees >> 128, fees << 128 >> 128);
        bytes memory rest = abi.encode(keccak256(op.paymasterAndData), 0, 0, ENTRY_POINT);
        return keccak256(bytes.concat(what, gas, rest));
    }
}

/// Safe's ERC-7579 adapter.
contract StandInSafe7579 is StandInForSafe7579 {
    /// 0, or 1 for SIG_FAILED: of an account that is set up.
    function validateUserOp(StandInAccount.OperationV07 calldata op, bytes32, uint256)
        external
        view
        onlyFrom(ENTRY_POINT)
        returns (uint256)
    {
        bytes32 hash = typedHash(address(this), structHash(op));
        try ISafe(msg.sender).checkSignatures(hash, "", op.signature[TIMES:]) {
            return 0;
        } catch {
            return 1;
        }
    }

    /// From the launchpad, which is the account then, or later from the EntryPoint: a call, or a batch of calls.
    function execute(bytes32 mode, bytes calldata execution) external {
        address caller = address(bytes20(msg.data[msg.data.length - 20:]));
        require(caller == msg.sender || caller == ENTRY_POINT, "another caller");
        if (mode[0] == 0x01) {
            StandInAccount.Call[] memory calls = abi.decode(execution, (StandInAccount.Call[]));
            for (uint256 i; i < calls.length; i++) callFromSafe(calls[i].target, calls[i].value, calls[i].data, 0);
        } else {
            callFromSafe(address(bytes20(execution[:20])), uint256(bytes32(execution[20:52])), execution[52:], 0);
        }
    }
}

/// The launchpad of Safe's ERC-7579 adapter: the code of a proxy until its first operation makes it a Safe.
contract StandInLaunchpad is StandInForSafe7579 {
    struct Module {
        address module;
        bytes initData;
    }

    struct Setup {
        address singleton;
        address[] owners;
        uint256 threshold;
        address setupTo;
        bytes setupData;
        address safe7579;
        Module[] validators;
        bytes callData;
    }

    /// The proxy's first slot: whose code it runs.
    address private singleton;
    /// Far from the slots of a Safe.
    mapping(address account => bytes32) private setupHash;

    function preValidationSetup(bytes32 hash, address, bytes calldata) external {
        require(setupHash[address(this)] == 0, "set up already");
        setupHash[address(this)] = hash;
    }

    /// 0, or 1 for SIG_FAILED: the owner has to sign.
    function validateUserOp(StandInAccount.OperationV07 calldata op, bytes32, uint256) external view returns (uint256) {
        require(msg.sender == ENTRY_POINT && bytes4(op.callData) == this.setupSafe.selector, "not to be set up");
        Setup memory setup = abi.decode(op.callData[4:], (Setup));
        bytes memory heads = abi.encode(
            setup.singleton,
            setup.owners,
            setup.threshold,
            setup.setupTo,
            setup.setupData,
            setup.safe7579,
            setup.validators
        );
        require(keccak256(heads) == setupHash[address(this)], "another setup");
        bytes calldata own = op.signature[TIMES:TIMES + 65];
        bytes32 hash = typedHash(setup.safe7579, structHash(op));
        address signer = ecrecover(hash, uint8(own[64]), bytes32(own[:32]), bytes32(own[32:64]));
        return signer == setup.owners[0] ? 0 : 1;
    }

    function setupSafe(Setup calldata setup) external {
        require(msg.sender == ENTRY_POINT, "another caller");
        singleton = setup.singleton;
        ISafe(address(this)).setup(
            setup.owners,
            setup.threshold,
            setup.setupTo,
            setup.setupData,
            setup.safe7579,
            address(0),
            0,
            address(0)
        );
        (bool success, bytes memory returned) = setup.safe7579.call(bytes.concat(setup.callData, bytes20(address(this))));
        if (!success) {
            assembly {
                revert(add(returned, 32), mload(returned))
            }
        }
    }

    /// By delegatecall of the Safe while it is set up.
    function initSafe7579(
        address safe7579,
        Module[] calldata,
        Module[] calldata,
        Module[] calldata,
        address[] calldata,
        uint8
    ) external {
        ISafe(address(this)).enableModule(safe7579);
    }
}
