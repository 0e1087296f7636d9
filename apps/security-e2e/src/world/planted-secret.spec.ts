import { findSecrets } from './planted-secret';

const SECRET = { name: 'password', value: 'Pa/ss wo"rd:of@many+kinds' };
const KEY = { name: 'key', value: `0x${'9fA3'.repeat(16)}` };

describe('findSecrets', () => {
  it.each<[string, string]>([
    ['as it is', `the password is ${SECRET.value}!`],
    ['in JSON', JSON.stringify({ password: SECRET.value })],
    ['in a URL', `postgres://user:${encodeURIComponent(SECRET.value)}@host`],
    ['in hex', Buffer.from(SECRET.value).toString('hex').toUpperCase()],
    ['in base64', Buffer.from(SECRET.value).toString('base64')],
    ['in base64 of more', Buffer.from(`user:${SECRET.value}`).toString('base64')],
    ['in base64 of still more', Buffer.from(`a user:${SECRET.value} and so on`).toString('base64url')],
  ])('finds a secret %s', (_title, text) => {
    expect(findSecrets(text, [SECRET, KEY])[0]).toMatchObject({ secret: 'password' });
  });

  it.each<[string, string]>([
    ['in another case', KEY.value.toLowerCase()],
    ['without 0x', KEY.value.slice(2).toUpperCase()],
    ['as base64 of its bytes', Buffer.from(KEY.value.slice(2), 'hex').toString('base64')],
    ['as base64 of its digits', Buffer.from(KEY.value).toString('base64')],
  ])('finds a key %s', (_title, text) => {
    expect(findSecrets(text, [SECRET, KEY])[0]).toMatchObject({ secret: 'key' });
  });

  it('finds nothing in what holds neither, and does not repeat what it finds', () => {
    expect(findSecrets('the password is Pa/ss', [SECRET, KEY])).toEqual([]);
    expect(JSON.stringify(findSecrets(`it is ${SECRET.value}.`, [SECRET]))).not.toContain('many+kinds');
  });
});
