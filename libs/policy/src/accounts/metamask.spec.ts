import { AbiCoder, concat, Interface } from 'ethers';
import type { Address, Hex } from '@paymaster/domain';
import { randomAddress, randomHex } from '@paymaster/domain/testing';
import * as encode from '../testing/encode-calls';
import { accountImplementationOf, compileKnownImplementations } from './known-implementations';
import { knownDelegate } from './known-delegates';
import { compileKnownFactories, explainUnknownSetup } from './known-factories';

const FACTORY: Address = '0x69aa2f9fe1572f1b640e1bbc512f5c3a734fc77c';
const HYBRID: Address = '0x48dbe696a4d990079e039489ba2053b36e8ffec4';
const MULTI_SIG: Address = '0x56a9edb16a0105eb5a4c54f4c062e2868844f3a7';
/** `ERC1967Proxy` of @metamask/delegation-abis 2.0.0 dist/bytecode. */
const CREATION_CODE =
  '0x60806040526040516103f03803806103f08339810160408190526100229161025e565b61002c8282610033565b5050610341565b61003c82610091565b6040516001600160a01b038316907fbc7cd75a20ee27fd9adebab32041f755214dbc6bffa90cc0225b39da2e5c2d3b905f90a280511561008557610080828261010c565b505050565b61008d61017f565b5050565b806001600160a01b03163b5f036100cb57604051634c9c8ce360e01b81526001600160a01b03821660048201526024015b60405180910390fd5b7f360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc80546001600160a01b0319166001600160a01b0392909216919091179055565b60605f80846001600160a01b0316846040516101289190610326565b5f60405180830381855af49150503d805f8114610160576040519150601f19603f3d011682016040523d82523d5f602084013e610165565b606091505b5090925090506101768583836101a0565b95945050505050565b341561019e5760405163b398979f60e01b815260040160405180910390fd5b565b6060826101b5576101b0826101ff565b6101f8565b81511580156101cc57506001600160a01b0384163b155b156101f557604051639996b31560e01b81526001600160a01b03851660048201526024016100c2565b50805b9392505050565b80511561020f5780518082602001fd5b604051630a12f52160e11b815260040160405180910390fd5b634e487b7160e01b5f52604160045260245ffd5b5f5b8381101561025657818101518382015260200161023e565b50505f910152565b5f806040838503121561026f575f80fd5b82516001600160a01b0381168114610285575f80fd5b60208401519092506001600160401b03808211156102a1575f80fd5b818501915085601f8301126102b4575f80fd5b8151818111156102c6576102c6610228565b604051601f8201601f19908116603f011681019083821181831017156102ee576102ee610228565b81604052828152886020848701011115610306575f80fd5b61031783602083016020880161023c565b80955050505050509250929050565b5f825161033781846020870161023c565b9190910192915050565b60a38061034d5f395ff3fe6080604052600a600c565b005b60186014601a565b6050565b565b5f604b7f360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc546001600160a01b031690565b905090565b365f80375f80365f845af43d5f803e8080156069573d5ff35b3d5ffdfea2646970667358221220fd2cc92935c943d341edacaf5318a0b9ab0185ce62ef72e95ab393ef358730c464736f6c63430008170033';

const contracts = new Interface([
  'function deploy(bytes bytecode, bytes32 salt)',
  'function initialize(address owner, string[] keyIds, uint256[] x, uint256[] y)',
  'function initialize(address[] signers, uint256 threshold)',
  'function transferOwnership(address owner)',
]);
const hybrid = (...keys: string[]) =>
  contracts.encodeFunctionData('initialize(address,string[],uint256[],uint256[])', [
    randomAddress(),
    keys,
    keys.map(() => 2n ** 255n),
    keys.map(() => 1n),
  ]);
const multiSig = () => contracts.encodeFunctionData('initialize(address[],uint256)', [[randomAddress()], 1]);
const proxy = (implementation: string, initialization: string, creation = CREATION_CODE) =>
  concat([creation, AbiCoder.defaultAbiCoder().encode(['address', 'bytes'], [implementation, initialization])]);
const deploy = (code: string) => contracts.encodeFunctionData('deploy', [code, randomHex(32)]);
const explain = (factoryData: string) => explainUnknownSetup(compileKnownFactories().get(FACTORY)!, factoryData as Hex);

describe('MetaMask', () => {
  it.each([
    ['a key', HYBRID, hybrid()],
    ['a key and passkeys', HYBRID, hybrid('first', 'a name that is longer than a word of thirty-two bytes')],
    ['several keys', MULTI_SIG, multiSig()],
  ])('should be deployed for %s', (_title, implementation, initialization) => {
    expect(explain(deploy(proxy(implementation, initialization)))).toBeUndefined();
  });

  it('should not be deployed with any other code, although the factory would', () => {
    const other = randomAddress();
    expect(explain(deploy(proxy(other, hybrid())))).toContain(other);
    for (const code of [
      '0x',
      randomHex(64),
      CREATION_CODE,
      proxy(HYBRID, hybrid(), CREATION_CODE.replace('5f355f', '5f365f').replace('365f80', '365f81')),
      `${proxy(HYBRID, hybrid())}00`,
      proxy(HYBRID, hybrid()).slice(0, -2),
    ]) {
      expect(explain(deploy(code))).toEqual(expect.any(String));
    }
  });

  it('should not be deployed with any other call, which its constructor would make as the account', () => {
    const other = contracts.encodeFunctionData('transferOwnership', [randomAddress()]);
    // Without a call anybody may initialize it.
    for (const initialization of ['0x', other, `${hybrid()}00`, `${multiSig()}00`, hybrid().slice(0, -2)]) {
      expect(explain(deploy(proxy(HYBRID, initialization)))).toEqual(expect.any(String));
      expect(explain(deploy(proxy(MULTI_SIG, initialization)))).toEqual(expect.any(String));
    }
    expect(explain(deploy(proxy(HYBRID, multiSig())))).toContain('initialization');
    expect(explain(deploy(proxy(MULTI_SIG, hybrid())))).toContain('initialization');
  });

  it('should name the fields that it reads', () => {
    expect(encode.fieldsOf(deploy(proxy(HYBRID, hybrid())), explain)).toBe(
      'offset of code, salt, code, offset of initialization',
    );
    expect(encode.fieldsOf(proxy(HYBRID, hybrid()), (code) => explain(deploy(code)), CREATION_CODE.length)).toBe(
      'implementation, offset of initialization, initialization',
    );
    expect(encode.fieldsOf(hybrid('first'), (init) => explain(deploy(proxy(HYBRID, init))))).toBe(
      'owner, offset of key ids, offset of x, offset of y, key ids, key id, x, y',
    );
    expect(encode.fieldsOf(multiSig(), (init) => explain(deploy(proxy(MULTI_SIG, init))))).toBe(
      'offset of signers, threshold, signers',
    );
  });

  it('should not be deployed by what is not exactly this call', () => {
    const good = deploy(proxy(HYBRID, hybrid()));
    for (const bad of ['0x', good.slice(0, 10), good.slice(0, -2), `${good}00`, good.replace('4af63f02', '4af63f03')]) {
      expect(explain(bad)).toEqual(expect.any(String));
    }
  });

  it('should be known behind the proxy that is in its creation code, and as a delegate', () => {
    const code: Hex = `0x${CREATION_CODE.slice(CREATION_CODE.indexOf('60806040', 10))}`;
    const known = compileKnownImplementations();
    const ask = (implementation: Address) => accountImplementationOf({ code, implementation, known }).known;
    expect([ask(HYBRID), ask(MULTI_SIG), ask(randomAddress())]).toEqual([true, true, false]);
    const delegate = knownDelegate('0x63c0c19a282a1B52b07dD5a65b58948A07DAE32B');
    expect([...(delegate?.shapes ?? [])]).toEqual(['none', 'executeTuple', 'erc7579Execute']);
  });
});
