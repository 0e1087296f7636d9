import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

const MODULE = pathToFileURL(join(__dirname, 'temporary-files.mjs')).href;

/** A run of its own that ends with so many failures. @returns where its temporary files were */
function folderOfRun(failed: number): string {
  const script = `
    import { writeFileSync } from 'node:fs';
    import { tmpdir } from 'node:os';
    import { withTemporaryFiles } from '${MODULE}';
    await withTemporaryFiles(async () => {
      writeFileSync(tmpdir() + '/log', '');
      console.error(tmpdir());
      return { failed: ${failed} };
    });`;
  const { stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  return stderr.trim();
}

describe('withTemporaryFiles', () => {
  it('leaves nothing when no test failed', () => {
    const folder = folderOfRun(0);
    expect(folder).toContain('paymaster-test-');
    expect(existsSync(folder)).toBe(false);
  });

  it('keeps what a failed run wrote until the next run, and never takes what another run has', () => {
    const failed = folderOfRun(1);
    expect(existsSync(join(failed, 'log'))).toBe(true);
    const ours = join(dirname(failed), `paymaster-test-${process.getuid?.() ?? ''}-${process.pid}`);
    const isMade = mkdirSync(ours, { recursive: true }) !== undefined;
    folderOfRun(0);
    expect({ failed: existsSync(failed), ours: existsSync(ours) }).toEqual({ failed: false, ours: true });
    if (isMade) rmSync(ours, { recursive: true });
  });
});
