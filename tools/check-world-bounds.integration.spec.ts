import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folder = mkdtempSync(join(tmpdir(), 'paymaster-worlds-'));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function check(world: string): { status: number | null; stdout: string } {
  const file = join(folder, 'some-world.ts');
  writeFileSync(file, world);
  return spawnSync(process.execPath, [join(__dirname, 'check-world-bounds.mjs'), '--file', file], { encoding: 'utf8' });
}

describe('check-world-bounds', () => {
  it.each([
    ["bounds: { feeFloorWei: '10000000000' },", 'feeFloorWei'],
    ["const chain = {\n  bounds: { 'maxCallGasLimit': '1' } };", 'maxCallGasLimit'],
    ['const ROOMY = { maxLiveSignaturesPerSender: 1_000 };', 'maxLiveSignaturesPerSender'],
    ['settings: { spendingBrake: false },', 'spendingBrake'],
    ["env: { RATE_LIMIT_PER_KEY_PER_SECOND: '0' },", 'RATE_LIMIT_PER_KEY_PER_SECOND'],
  ])('names the bound in %j', (world, name) => {
    expect(check(world)).toEqual(
      expect.objectContaining({ status: 1, stdout: expect.stringContaining(`sets ${name}`) as string }),
    );
  });

  it('accepts a bound whose comment says why', () => {
    const world = '// Own bound: it is what the suite is about.\nsettings: { spendingBrake: false },\n';
    expect(check(world)).toMatchObject({ status: 0, stdout: '' });
    expect(check(world.replace(': it is what the suite is about', ''))).toMatchObject({ status: 1 });
  });

  it('accepts a world that has what users have, and types and readers of bounds', () => {
    const world =
      "readonly feeFloorWei: bigint;\nconst cap = config.bounds.maxCallGasLimit;\nbounds: {}, name: 'local',\n";
    expect(check(world)).toMatchObject({ status: 0, stdout: '' });
  });
});
