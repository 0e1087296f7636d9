import { parseDockerfile } from './dockerfile';

const parse = (text: string) => parseDockerfile(text);

describe('parseDockerfile', () => {
  it('reads stages, comments, continued lines and every instruction that is used', () => {
    const text = [
      '# a comment',
      'FROM node:20@sha256:ab AS build',
      'WORKDIR /workspace',
      'COPY package.json package-lock.json ./',
      'ENV A=1 B="two words"',
      'RUN npm ci \\',
      '  --omit=dev',
      'from build',
      'COPY --from=build /workspace/dist ./',
      'USER 10001:10001',
      'EXPOSE 3000 9000',
      'HEALTHCHECK --interval=10s --timeout=5s CMD ["node", "healthcheck.mjs"]',
      'CMD ["node", "main.js"]',
      'ARG VERSION=0.1.0',
      'ARG REVISION',
      'LABEL org.opencontainers.image.title="A title"',
    ].join('\n');
    expect(parse(text)).toEqual([
      {
        line: 2,
        from: 'node:20@sha256:ab',
        name: 'build',
        steps: [
          { line: 3, kind: 'WORKDIR', path: '/workspace' },
          { line: 4, kind: 'COPY', sources: ['package.json', 'package-lock.json'], target: './' },
          { line: 5, kind: 'ENV', values: { A: '1', B: 'two words' } },
          { line: 6, kind: 'RUN', command: 'npm ci --omit=dev' },
        ],
      },
      {
        line: 8,
        from: 'build',
        steps: [
          { line: 9, kind: 'COPY', from: 'build', sources: ['/workspace/dist'], target: './' },
          { line: 10, kind: 'USER', user: '10001:10001' },
          { line: 11, kind: 'EXPOSE', ports: ['3000', '9000'] },
          { line: 12, kind: 'HEALTHCHECK', command: ['node', 'healthcheck.mjs'] },
          { line: 13, kind: 'CMD', command: ['node', 'main.js'] },
          { line: 14, kind: 'ARG', name: 'VERSION', value: '0.1.0' },
          { line: 15, kind: 'ARG', name: 'REVISION', value: undefined },
          { line: 16, kind: 'LABEL', values: { 'org.opencontainers.image.title': 'A title' } },
        ],
      },
    ]);
  });

  it.each([
    ['nothing', '', 'there is no FROM'],
    ['an instruction before FROM', 'RUN true', 'RUN comes before FROM'],
    ['a variable in FROM', 'FROM $BASE', '"FROM $BASE"'],
    ['a platform in FROM', 'FROM --platform=x node', '"FROM --platform=x node"'],
    ['ADD', 'FROM a\nADD a b', 'line 2: ADD is not known'],
    ['ENTRYPOINT', 'FROM a\nENTRYPOINT ["node"]', 'ENTRYPOINT is not known'],
    ['SHELL', 'FROM a\nSHELL ["sh"]', 'SHELL is not known'],
    ['a mount', 'FROM a\nRUN --mount=type=secret,id=x true', 'RUN with flags'],
    ['another owner', 'FROM a\nCOPY --chown=1:1 a b', 'COPY --chown=1:1 is not known'],
    ['a pattern', 'FROM a\nCOPY *.json ./', 'COPY of *.json'],
    ['a way out of the context', 'FROM a\nCOPY ../secret ./', 'COPY of ../secret'],
    ['several files into no folder', 'FROM a\nCOPY a b c', 'ends in /'],
    ['a relative WORKDIR', 'FROM a\nWORKDIR app', 'WORKDIR app'],
    ['ENV in its old form', 'FROM a\nENV A 1', 'not a list of NAME=value'],
    ['a command in a shell', 'FROM a\nCMD node main.js', 'not a command in JSON'],
    ['no healthcheck', 'FROM a\nHEALTHCHECK NONE', 'HEALTHCHECK has no CMD'],
  ])('refuses %s', (_what, text, said) => {
    expect(() => parse(text)).toThrow(said);
  });
});
