#!/usr/bin/env node
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readArguments } from '../lib/arguments.mjs';

const HELP = `Usage: node tools/observability/prometheus-rule.mjs [--write]

Makes k8s/observability/prometheus-rule.yaml, which the Prometheus Operator reads, of alerts.yaml, which Prometheus
reads. Without --write it fails when the file is not what it would write.
`;

const FOLDER = join(import.meta.dirname, '../../k8s/observability');
const FILE = join(FOLDER, 'prometheus-rule.yaml');

const HEAD = `# Generated from alerts.yaml by tools/observability/prometheus-rule.mjs --write.
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: paymaster-platform
  labels:
    app.kubernetes.io/part-of: paymaster-platform
spec:
`;

const lines = readFileSync(join(FOLDER, 'alerts.yaml'), 'utf8').split('\n');
const rules = lines.filter((line) => !line.startsWith('#')).map((line) => (line === '' ? '' : `  ${line}`));
const text = HEAD + rules.join('\n');

const { write } = readArguments(HELP, { write: { type: 'boolean' } });
if (write) writeFileSync(FILE, text);
else if (readFileSync(FILE, 'utf8') !== text) {
  process.stderr.write('prometheus-rule.yaml is not what alerts.yaml says: run this with --write\n');
  process.exitCode = 1;
}
