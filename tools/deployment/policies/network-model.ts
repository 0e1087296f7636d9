import { BlockList } from 'node:net';
import type { Selector } from '../pod-spec';
import type { KubernetesObject } from '../render';
import { containersOf, ofKind, selects, workloadsOf, type Workload } from './policy';

interface Peer {
  podSelector?: Selector;
  namespaceSelector?: Selector;
  ipBlock?: { cidr: string; except?: string[] };
}

export interface Rule {
  from?: Peer[];
  to?: Peer[];
  ports?: Array<{ protocol?: string; port: number | string }>;
}

export interface NetworkPolicySpec {
  podSelector: Selector;
  policyTypes?: string[];
  ingress?: Rule[];
  egress?: Rule[];
}

interface Question {
  readonly direction: 'ingress' | 'egress';
  /** Whose policies are asked. */
  readonly workload: Workload;
  /** Whether a peer of a rule is the other side. */
  readonly isPeer: (peer: Peer) => boolean;
  /** By name and by number. */
  readonly port: ReadonlyArray<number | string>;
}

/** Pods of other namespaces that the policies speak of, by the labels that they have in a usual cluster. */
const NEIGHBOURS: Record<string, { namespace: string; labels: Record<string, string> }> = {
  'ingress-controller': { namespace: 'ingress-nginx', labels: { 'app.kubernetes.io/name': 'ingress-nginx' } },
  prometheus: { namespace: 'monitoring', labels: { 'app.kubernetes.io/name': 'prometheus' } },
  dns: { namespace: 'kube-system', labels: { 'k8s-app': 'kube-dns' } },
  stranger: { namespace: 'default', labels: { 'app.kubernetes.io/name': 'stranger' } },
  'stranger beside prometheus': { namespace: 'monitoring', labels: { 'app.kubernetes.io/name': 'grafana' } },
};

/** Ports that are tried at what is outside. */
const TRIED_PORTS = [22, 53, 80, 443, 5432, 6443, 8443, 8545];

/** What the network policies of an overlay let through: what a probe pod in each place would find out in a cluster. */
export class NetworkModel {
  private readonly workloads: readonly Workload[];
  private readonly policies: readonly NetworkPolicySpec[];

  constructor(objects: readonly KubernetesObject[]) {
    this.workloads = workloadsOf(objects);
    this.policies = ofKind<NetworkPolicySpec>(objects, 'NetworkPolicy').map(({ spec }) => spec);
  }

  /** Names of the workloads. */
  get pods(): string[] {
    return this.workloads.map(({ name }) => name);
  }

  podsOf(selector: Selector): string[] {
    return this.workloads.filter(({ labels }) => selects(selector, labels)).map(({ name }) => name);
  }

  /** The number of a port that a pod names; undefined when it has none. */
  portOf(pod: string, port: number | string): number | undefined {
    const workload = this.workload(pod);
    const ports = containersOf(workload).flatMap((container) => container.ports ?? []);
    return ports.find((each) => each.name === port || each.containerPort === port)?.containerPort;
  }

  /** Whether a pod may open a connection to an address outside. */
  reaches(pod: string, { address, port }: { address: string; port: number }): boolean {
    const isPeer = (peer: Peer): boolean => contains(peer.ipBlock, address);
    return this.allows({ direction: 'egress', workload: this.workload(pod), isPeer, port: [port] });
  }

  /** All that is possible, as `from -> to:port`. */
  allowances(): string[] {
    const outside = [
      { name: 'internet', address: '1.1.1.1' },
      { name: 'postgres', address: this.postgresAddress() },
    ];
    return this.workloads.flatMap((from) => [
      ...this.workloads.flatMap((to) => this.between(from, to)),
      ...outside.flatMap(({ name, address }) =>
        TRIED_PORTS.filter((port) => this.reaches(from.name, { address, port })).map(
          (port) => `${from.name} -> ${name}:${port}`,
        ),
      ),
      ...Object.entries(NEIGHBOURS).flatMap(([name, neighbour]) => [
        ...TRIED_PORTS.filter((port) =>
          this.allows({ direction: 'egress', workload: from, isPeer: isNeighbour(neighbour), port: [port] }),
        ).map((port) => `${from.name} -> ${name}:${port}`),
        ...portsOf(from)
          .filter((own) =>
            this.allows({
              direction: 'ingress',
              workload: from,
              isPeer: isNeighbour(neighbour),
              port: [own.name, own.containerPort],
            }),
          )
          .map((port) => `${name} -> ${from.name}:${port.name}`),
      ]),
    ]);
  }

  /** From one pod to another both have to agree: one lets it out, the other lets it in. */
  private between(from: Workload, to: Workload): string[] {
    return portsOf(to)
      .filter(({ name, containerPort }) => {
        const port = [name, containerPort];
        const isPeer = (workload: Workload) => (peer: Peer) =>
          peer.podSelector !== undefined &&
          peer.namespaceSelector === undefined &&
          selects(peer.podSelector, workload.labels);
        return (
          this.allows({ direction: 'egress', workload: from, isPeer: isPeer(to), port }) &&
          this.allows({ direction: 'ingress', workload: to, isPeer: isPeer(from), port })
        );
      })
      .map(({ name }) => `${from.name} -> ${to.name}:${name}`);
  }

  /** A pod that no policy selects is open to everything; otherwise some rule has to allow it. */
  private allows({ direction, workload, isPeer, port }: Question): boolean {
    const type = direction === 'ingress' ? 'Ingress' : 'Egress';
    const own = this.policies.filter(
      ({ podSelector, policyTypes }) => policyTypes?.includes(type) && selects(podSelector, workload.labels),
    );
    if (own.length === 0) return true;
    return own
      .flatMap((policy) => policy[direction] ?? [])
      .some((rule) => {
        const peers = rule.from ?? rule.to;
        return (!peers || peers.some(isPeer)) && (!rule.ports || rule.ports.some((each) => port.includes(each.port)));
      });
  }

  /** Where the policies expect Postgres: the one block that is not the internet. */
  private postgresAddress(): string {
    const blocks = this.policies.flatMap(({ egress = [] }) =>
      egress.flatMap(({ to = [] }) => to.flatMap(({ ipBlock }) => (ipBlock?.except ? [] : (ipBlock?.cidr ?? [])))),
    );
    return blocks[0]?.split('/')[0] ?? 'nowhere';
  }

  private workload(name: string): Workload {
    const found = this.workloads.find((each) => each.name === name);
    if (!found) throw new Error(`there is no workload ${name}`);
    return found;
  }
}

const portsOf = (workload: Workload): Array<{ name: string; containerPort: number }> =>
  containersOf(workload).flatMap((container) => container.ports ?? []);

const isNeighbour =
  ({ namespace, labels }: { namespace: string; labels: Record<string, string> }) =>
  ({ namespaceSelector, podSelector }: Peer): boolean =>
    namespaceSelector !== undefined &&
    selects(namespaceSelector, { 'kubernetes.io/metadata.name': namespace }) &&
    selects(podSelector ?? {}, labels);

function contains(block: Peer['ipBlock'], address: string): boolean {
  if (!block || address === 'nowhere' || block.cidr.includes(':')) return false;
  return within(block.cidr, address) && !(block.except ?? []).some((cidr) => within(cidr, address));
}

function within(cidr: string, address: string): boolean {
  const [network = '', bits] = cidr.split('/');
  const list = new BlockList();
  list.addSubnet(network, Number(bits), 'ipv4');
  return list.check(address);
}
