import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Type } from 'class-transformer';
import { IsInt, IsString, Length, Max, Min } from 'class-validator';
import { Env } from './env.decorator';
import { ConfigError, loadConfig } from './load-config';

class ExampleConfig {
  @Env('PORT', 'The port to listen on.')
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(65_535)
  readonly port: number = 3000;

  @Env('TOKEN_KEY', 'The key that protects tokens.', { secret: true })
  @IsString()
  @Length(4, 64)
  readonly tokenKey!: string;
}

const problemsOf = (env: Record<string, string>): readonly string[] => {
  try {
    loadConfig(ExampleConfig, env);
  } catch (error) {
    return (error as ConfigError).problems;
  }
  throw new Error('the configuration was accepted');
};

describe('loadConfig', () => {
  it('fills in defaults and converts what the class asks for', () => {
    expect(loadConfig(ExampleConfig, { TOKEN_KEY: 'abcd' })).toEqual({ port: 3000, tokenKey: 'abcd' });
    expect(loadConfig(ExampleConfig, { TOKEN_KEY: 'abcd', PORT: '80' }).port).toBe(80);
  });

  it('names every wrong variable with its description, but not its value', () => {
    const problems = problemsOf({ PORT: 'eighty', TOKEN_KEY: 'xyz' });
    expect(problems).toHaveLength(2);
    expect(problems[0]).toMatch(/^PORT .*The port to listen on\.\)$/);
    expect(problems[1]).toMatch(/^TOKEN_KEY .*The key that protects tokens\.\)$/);
    expect(problems.join()).not.toContain('xyz');
  });

  it('treats an empty variable as missing', () => {
    expect(problemsOf({ TOKEN_KEY: '' })[0]).toMatch(/^TOKEN_KEY must be/);
  });

  it('reads a secret from the file that <NAME>_FILE names', () => {
    const folder = mkdtempSync(join(tmpdir(), 'config-'));
    try {
      const file = join(folder, 'key');
      writeFileSync(file, 'from-file\n');
      expect(loadConfig(ExampleConfig, { TOKEN_KEY_FILE: file }).tokenKey).toBe('from-file');
      expect(problemsOf({ TOKEN_KEY_FILE: '/does/not/exist' })[0]).toMatch(/^TOKEN_KEY_FILE names a file/);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
