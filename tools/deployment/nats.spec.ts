import { parse } from 'yaml';
import { read } from './environment';

const conf = read('k8s/base/nats/nats.conf');
const users = [...conf.matchAll(/user: (\S+)/g)].map((match) => match[1]);
const passwords = [...conf.matchAll(/password: \$([A-Z_]+)/g)].map((match) => match[1] ?? '');

interface StatefulSet {
  spec: { template: { spec: { containers: Array<{ env: Array<{ name: string; value?: string }> }> } } };
}

describe('nats.conf', () => {
  it('has a user for each app, and the apps are told to be it', () => {
    expect(users).toEqual(['dashboard', 'paymaster-rpc', 'settlement']);
    const compose = parse(read('docker/compose.yaml')) as { services: Record<string, { environment: object }> };
    for (const user of users) {
      expect(read(`k8s/base/${user}/${user}.env`)).toContain(`NATS_USER=${user}\n`);
      expect(compose.services[user ?? '']?.environment).toMatchObject({ NATS_USER: user });
    }
  });

  it('finds each password in its environment, in quotes', () => {
    const compose = parse(read('docker/compose.yaml')) as { services: { nats: { entrypoint: string[] } } };
    const [container] = (parse(read('k8s/base/nats/statefulset.yaml')) as StatefulSet).spec.template.spec.containers;
    expect(passwords).toHaveLength(users.length);
    for (const name of passwords) {
      expect(container?.env.find((each) => each.name === name)?.value).toMatch(/^"\$\([A-Z_]+\)"$/);
      expect(compose.services.nats.entrypoint.join('\n')).toMatch(new RegExp(`export ${name}="\\\\".*\\\\""`));
    }
  });
});
