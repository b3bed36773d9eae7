import assert from 'node:assert/strict';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { isRefusal } from '../../base/errors.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { configCopy } from './config-copy.ts';

async function copied(
  cli: string,
  files: Readonly<Record<string, string | Uint8Array>>,
): Promise<Readonly<Record<string, string>>> {
  await using dir = await tempDir();
  for (const [path, content] of Object.entries(files)) {
    const full = join(dir.path, path);
    await mkdir(dirname(full), { recursive: true });
    await writeFile(full, content);
  }
  return await configCopy({ cli, configDir: dir.path }); // before the folder is gone
}

describe('of the config_dir of a contained agent', () => {
  test('its texts are copied; settings, logins and histories are not', async () => {
    assert.deepEqual(
      await copied('claude', {
        'CLAUDE.md': 'be brief',
        'agents/tester.md': 'test',
        'skills/pdf/SKILL.md': 'read',
        'skills/pdf/logo.png': Uint8Array.of(0x89, 0x50, 0),
        'settings.json': '{"env":{"ANTHROPIC_BASE_URL":"http://x"}}',
        '.credentials.json': '{}',
        'projects/p/1.jsonl': 'said',
        'history.jsonl': 'said',
      }),
      {
        '.claude/CLAUDE.md': 'be brief',
        '.claude/agents/tester.md': 'test',
        '.claude/skills/pdf/SKILL.md': 'read',
      },
    );
  });

  const others: readonly (readonly [cli: string, from: string, to: string])[] = [
    ['codex', 'AGENTS.md', '.codex/AGENTS.md'],
    ['codex', 'prompts/a.md', '.codex/prompts/a.md'],
    ['gemini', '.gemini/GEMINI.md', '.gemini/GEMINI.md'],
    ['copilot', 'agents/a.md', '.copilot/agents/a.md'],
    ['opencode', 'AGENTS.md', '.config/opencode/AGENTS.md'],
  ];
  for (const [cli, from, to] of others)
    test(`${cli} finds ${from} where it looks for it`, async () => {
      assert.deepEqual(await copied(cli, { [from]: 'text', 'auth.json': '{}' }), { [to]: 'text' });
    });

  test('nothing is copied for other programs, and nothing where no folder is named', async () => {
    assert.deepEqual(await copied('custom', { 'AGENTS.md': 'text' }), {});
    assert.deepEqual(await configCopy({ cli: 'claude' }), {});
    assert.deepEqual(await configCopy({ cli: 'claude', configDir: '/nonexistent' }), {});
  });

  test('links inside lead nowhere, so a text can not bring a key along', async () => {
    await using dir = await tempDir();
    await mkdir(join(dir.path, 'agents'));
    await writeFile(join(dir.path, 'key'), 'secret');
    await symlink('../key', join(dir.path, 'agents/a.md'));
    assert.deepEqual(await configCopy({ cli: 'claude', configDir: dir.path }), {});
  });

  test('more than an agent is given at once is refused', async () => {
    await assert.rejects(
      copied('claude', { 'CLAUDE.md': 'x'.repeat(1_000_001) }),
      (error) =>
        isRefusal(error, 'config.unreadable') && /CLAUDE\.md is too large/.test(error.message),
    );
  });
});
