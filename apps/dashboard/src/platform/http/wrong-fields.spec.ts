import { CreatePaymasterDto } from '../../programs/paymasters/create-paymaster.dto';
import { RegisterTokenDto } from '../../programs/tokens/token.dto';
import { UpdateWhitelistDto } from '../../programs/smart-contracts/smart-contract.dto';
import { RequestPipe } from './request.pipe';

const pipe = new RequestPipe();
const messageOf = (metatype: new () => object, body: object): Promise<string> =>
  pipe.transform(body, { type: 'body', metatype }).then(
    () => 'no error',
    (error: Error) => error.message,
  );

describe('the message about a body', () => {
  it('names every wrong field of a new paymaster, in the order of the document', async () => {
    expect(await messageOf(CreatePaymasterDto, {})).toBe(
      'name must be a string; type must be a string; chainId must be an integer number; version must be a string',
    );
    expect(await messageOf(CreatePaymasterDto, { name: '', type: 'HYBRID', chainId: 1, version: '3' })).toBe(
      'name must be 1 to 100 characters long; version must be one of the following values: 1.0.0, 1.1.0, 2.0.0',
    );
  });

  it('is the sentence of the document alone, where that has one', async () => {
    const fixed = 'whitelistedMethods must be an array';
    expect(await messageOf(UpdateWhitelistDto, { whitelistedMethods: 'mint', address: '0x' })).toBe(fixed);
  });

  it('names fields of fields and unknown ones, and ten in all', async () => {
    const message = await messageOf(RegisterTokenDto, { address: 1, price: { feed: { heartbeatSeconds: 0 } }, b: 1 });
    expect(message.split('; ')).toEqual([
      'property b should not exist',
      'address must be a string',
      'price.feed: address must be a string',
      'price.feed: heartbeatSeconds must not be less than 1',
    ]);
    const many = Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`f${index}`, 1]));
    const ofMany = await messageOf(RegisterTokenDto, many);
    expect(ofMany.split('; ')).toHaveLength(11);
    expect(ofMany).toMatch(/; and 1992 more$/);
  });
});
