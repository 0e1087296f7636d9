import { actorName } from './actor-name';

const ADA = '7ea9dae1-9a06-4c17-a4fb-7728177b76d3';
const NAMELESS = '11111111-9a06-4c17-a4fb-7728177b76d3';
const known = {
  members: [
    { personId: ADA, name: 'Ada', walletAddress: null },
    { personId: NAMELESS, name: '', walletAddress: '0xab' },
  ],
  tokens: [{ tokenId: '1f0c3a5e-9a06-4c17-a4fb-7728177b76d3', name: 'CI' }],
};

it.each([
  ['a person', { personId: ADA, tokenIdPrefix: null }, 'Ada (7ea9dae1)'],
  ['a person without a name', { personId: NAMELESS, tokenIdPrefix: null }, '0xab (11111111)'],
  ['a person who is not known', { personId: `99999999${ADA}`, tokenIdPrefix: null }, 'the person 99999999'],
  ['a token', { personId: null, tokenIdPrefix: '1f0c3a5e' }, 'the auth token “CI” (1f0c3a5e)'],
  ['a token that was ended', { personId: null, tokenIdPrefix: 'aaaaaaaa' }, 'the auth token aaaaaaaa'],
  ['neither', { personId: null, tokenIdPrefix: null }, 'the operator of this installation'],
])('actorName names %s', (_, actor, name) => {
  expect(actorName(actor, known)).toBe(name);
});
