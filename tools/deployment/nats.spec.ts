import { parse } from 'yaml';
import { read } from './environment';
import { LAME_DUCK_SECONDS } from './policies/availability';

const conf = read('k8s/base/nats/nats.conf');
const users = [...conf.matchAll(/user: (\S+)/g)].map((match) => match[1] ?? '');
const passwords = [...conf.matchAll(/password: \$([A-Z_]+)/g)].map((match) => match[1] ?? '');

interface StatefulSet {
  spec: { template: { spec: { containers: Array<{ env: Array<{ name: string; value?: string }> }> } } };
}

describe('nats.conf', () => {
  it('has a user for each app, for the events that the dashboard reads, and for the job; who is one is told so', () => {
    expect(users).toEqual(['dashboard', 'paymaster-rpc', 'stream-maker', 'settlement', 'dashboard-events']);
    const compose = parse(read('docker/compose.yaml')) as { services: Record<string, { environment: object }> };
    for (const app of ['dashboard', 'paymaster-rpc', 'settlement']) {
      expect(read(`k8s/base/${app}/${app}.env`)).toContain(`NATS_USER=${app}\n`);
      expect(compose.services[app]?.environment).toMatchObject({ NATS_USER: app });
    }
    expect(read('k8s/base/dashboard/dashboard.env')).toContain('NATS_EVENTS_USER=dashboard-events\n');
    expect(compose.services['dashboard']?.environment).toMatchObject({ NATS_EVENTS_USER: 'dashboard-events' });
    expect(read('k8s/base/settlement/stream.job.yaml')).toMatch(/- name: NATS_USER\n +value: stream-maker\n/);
    expect(compose.services['make-stream']?.environment).toMatchObject({ NATS_USER: 'stream-maker' });
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

describe('server.conf', () => {
  const server = read('k8s/base/nats/server.conf');
  const secondsOf = (name: string): number => Number(new RegExp(`${name}: "(\\d+)s"`).exec(server)?.[1]);

  it('has the lame duck gone in the time that the check of grace periods counts on', () => {
    expect(secondsOf('lame_duck_grace_period') + secondsOf('lame_duck_duration')).toBe(LAME_DUCK_SECONDS);
  });

  it('lets the store hold the event stream, and the volume the store', () => {
    const streamBytes = Number(/# STREAM_MAX_BYTES=(\d+)/.exec(read('.env.example'))?.[1]);
    const storeBytes = Number(/max_file_store: (\d+)GB/.exec(server)?.[1]) * 1e9;
    const volumeBytes = Number(/storage: (\d+)Gi/.exec(read('k8s/base/nats/statefulset.yaml'))?.[1]) * 2 ** 30;
    expect(storeBytes).toBeGreaterThan(streamBytes * 1.5);
    expect(volumeBytes).toBeGreaterThan(storeBytes * 1.5);
  });
});
