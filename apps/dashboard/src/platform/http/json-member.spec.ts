import { memberIn, withMemberAsText } from './json-member';

const valueIn = (text: string): string | undefined => {
  const json = Buffer.from(text);
  const slice = memberIn(json, 'abi');
  return slice && json.toString('utf8', slice.start, slice.end);
};

describe('memberIn', () => {
  it.each<[string, string, string | undefined]>([
    ['a list', '{"a":1,"abi":[{"b":[]}],"c":2}', '[{"b":[]}]'],
    ['an object behind white space', ' {\n "abi" :\t{ "x": "}" } }', '{ "x": "}" }'],
    ['a string', '{"abi":"[\\"]","c":1}', '"[\\"]"'],
    ['a number', '{"abi": 12 ,"c":1}', '12 '],
    ['the last member', '{"abi":null}', 'null'],
    ['a text that ends early', '{"abi":[1,{', '[1,{'],
    ['a member of a member', '{"a":{"abi":[]}}', undefined],
    ['a value of that text', '{"a":"abi","b":["abi"]}', undefined],
    ['a list outside', '[{"abi":[]}]', undefined],
    ['no such member', '{"abis":[]}', undefined],
    ['an unclosed text', '{"abi', undefined],
  ])('finds it in %s', (_title, text, value) => {
    expect(valueIn(text)).toBe(value);
  });
});

describe('withMemberAsText', () => {
  it('makes a string of a list, with every character as it was', () => {
    const list = '[ {"name":"ä\\u00e4",\n"x":1.50} ]';
    const changed = withMemberAsText(Buffer.from(`{"name":"n","abi":${list},"z":[]}`), 'abi').toString('utf8');
    expect(JSON.parse(changed)).toEqual({ name: 'n', abi: list, z: [] });
  });

  it('leaves a string alone', () => {
    const json = Buffer.from('{"abi":"[]"}');
    expect(withMemberAsText(json, 'abi')).toBe(json);
  });
});
