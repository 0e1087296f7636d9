import { NATS_URL_PATTERN, natsConnectionOptions } from './nats-connection';

describe('natsConnectionOptions', () => {
  it('hands over credentials and every server', () => {
    const natsUrl = 'nats://a:4222, nats://b:4222';
    expect(natsConnectionOptions({ natsUrl, natsUser: 'gateway', natsPassword: 'secret' }, 'x')).toMatchObject({
      servers: ['nats://a:4222', 'nats://b:4222'],
      user: 'gateway',
      pass: 'secret',
      name: 'x',
    });
  });

  it('asks for no credentials and no TLS that are not set', () => {
    const options = natsConnectionOptions({ natsUrl: 'nats://a:4222' }, 'x');
    expect(Object.keys(options)).not.toEqual(expect.arrayContaining(['user']));
    expect(Object.keys(options)).not.toEqual(expect.arrayContaining(['tls']));
  });

  it('insists on TLS for tls:// and for a CA', () => {
    expect(natsConnectionOptions({ natsUrl: 'tls://a:4222' }, 'x').tls).toEqual({});
    expect(natsConnectionOptions({ natsUrl: 'nats://a:4222', natsCaFile: '/ca.pem' }, 'x').tls).toEqual({
      caFile: '/ca.pem',
    });
  });

  it.each(['nats://user:secret@a:4222', 'nats://a:4222,nats://token@b:4222', 'http://a', '', 'nats://'])(
    'refuses %j and does not repeat it',
    (natsUrl) => {
      expect(NATS_URL_PATTERN.test(natsUrl)).toBe(false);
      expect(() => natsConnectionOptions({ natsUrl }, 'x')).toThrow(
        /^NATS_URL must be .*NATS_USER and NATS_PASSWORD\.$/,
      );
      expect(() => natsConnectionOptions({ natsUrl }, 'x')).not.toThrow(/secret|token@/);
    },
  );
});
