import { factoryOf, initCodeOf } from './user-operation';
import { randomAddress, userOperationV06Builder, userOperationV07Builder } from './testing';

describe('factoryOf', () => {
  it('splits a v0.6 initCode after the factory address', () => {
    const factory = randomAddress();
    const operation = userOperationV06Builder().with('initCode', `${factory}abcd`).build();
    expect(factoryOf(operation)).toEqual({ factory, factoryData: '0xabcd' });
  });

  it('is undefined for a deployed account of either shape', () => {
    expect(factoryOf(userOperationV06Builder().build())).toBeUndefined();
    expect(factoryOf(userOperationV07Builder().build())).toBeUndefined();
  });
});

describe('initCodeOf', () => {
  it('joins factory and data as the packed operation does', () => {
    const factory = randomAddress();
    const operation = userOperationV07Builder().with('factory', factory).with('factoryData', '0x1234').build();
    expect(initCodeOf(operation)).toBe(`${factory}1234`);
  });
});
