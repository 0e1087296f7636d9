import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ImageBuilder } from './build-stages';

let folder: string;
let context: string;
const said: string[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'paymaster-image-spec-'));
  context = join(folder, 'context');
  said.length = 0;
  put('.dockerignore', '*\n!src\n**/*.spec.ts\n');
  put('src/main.js', 'main');
  put('src/main.spec.ts', 'spec');
  put('secret', 'secret');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function put(path: string, content: string): void {
  const file = join(context, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}

async function build(app: string, lines: string[], builder = new ImageBuilder()) {
  put(`docker/${app}.Dockerfile`, lines.join('\n'));
  return builder.build({ app, context, folder: join(folder, 'build'), say: (line) => said.push(line) });
}

const STAGES = [
  'FROM base:1 AS build',
  'WORKDIR /workspace',
  'COPY src src',
  'ENV WORD=built',
  'RUN mkdir dist && echo "$WORD $USER" > dist/made.txt',
  'FROM base:1',
  'WORKDIR /app',
  'COPY --from=build /workspace/dist ./',
  'ENV PORT=3000',
  'USER 10001:10001',
  'HEALTHCHECK CMD ["node", "healthcheck.mjs"]',
  'CMD ["node", "main.js"]',
];

describe('ImageBuilder', () => {
  it('makes the last stage of what the stages before it made, knowing nothing of this machine', async () => {
    const { root, ...image } = await build('a', STAGES);
    expect(image).toEqual({
      workdir: '/app',
      env: { PORT: '3000' },
      user: '10001:10001',
      command: ['node', 'main.js'],
      healthcheck: ['node', 'healthcheck.mjs'],
    });
    expect(readFileSync(join(root, 'app/made.txt'), 'utf8')).toBe('built \n');
    expect(existsSync(join(root, 'workspace'))).toBe(false);
    expect(existsSync(join(folder, 'build/a-0-build/workspace/src/main.js'))).toBe(true);
    expect(existsSync(join(folder, 'build/a-0-build/workspace/src/main.spec.ts'))).toBe(false);
  });

  it('makes a stage that two files have in common once', async () => {
    const builder = new ImageBuilder();
    await build('a', STAGES, builder);
    await build('b', STAGES, builder);
    expect(said.filter((line) => line.includes('RUN mkdir'))).toHaveLength(1);
    expect(said).toContain('same  b build: is made already');
  });

  it.each([
    ['COPY secret ./', '.dockerignore keeps it out'],
    ['COPY nothing ./', 'there is no such file'],
    ['COPY --from=nowhere /a ./', 'there is no stage nowhere'],
    ['RUN rm -rf /usr/local/bin/npm && true', 'would be a path of this machine'],
    ['RUN echo why >&2; exit 3', 'exit code 3\nwhy'],
  ])('fails at %s', async (line, message) => {
    await expect(build('a', ['FROM base:1', 'WORKDIR /app', line])).rejects.toThrow(message);
  });

  it('leaves out what only takes files of the base away, and says so', async () => {
    await build('a', ['FROM base:1', 'RUN rm -rf /no/such/path /nor/this']);
    expect(said[0]).toContain('left out');
  });
});
