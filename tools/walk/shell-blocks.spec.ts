import { spawnSync } from 'node:child_process';
import { shellBlocks, walkScript } from './shell-blocks';

const PAGE = `# Page

## First, and 'quoted'

\`\`\`sh
VALUE=1
\`\`\`

\`\`\`yaml
never: run
\`\`\`

## Second

\`\`\`sh
echo "value $VALUE"
\`\`\`

And then:

\`\`\`sh
echo more
\`\`\`
`;

const walk = (page: string) => spawnSync('bash', ['-c', walkScript(shellBlocks(page))], { encoding: 'utf8' });

describe('walking through a page', () => {
  it('runs its sh blocks in one shell, and nothing else', () => {
    expect(walk(PAGE)).toMatchObject({
      status: 0,
      stdout: "\n== First, and 'quoted'\n\n== Second\nvalue 1\nmore\n\n== walked to the end\n",
    });
  });

  it('ends with the first command that fails', () => {
    const { status, stdout } = walk(PAGE.replace('VALUE=1', 'VALUE=$(false)'));
    expect(status).not.toBe(0);
    expect(stdout).toBe("\n== First, and 'quoted'\n");
  });
});
