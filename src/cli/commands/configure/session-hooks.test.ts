import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { CommandOutput } from '../../../../test/support/cli-harness.ts';
import { inProcessCli } from '../../../../test/support/cli-harness.ts';
import { tempDir } from '../../../../test/support/temp-dir.ts';
import type { CliContext } from '../../cli-context.ts';

const SETTINGS = '{\n  // mine\n  "model": "opus"\n}\n';

async function fixture() {
  const cli = await inProcessCli();
  const user = await tempDir();
  const file = join(user.path, '.claude', 'settings.json');
  await mkdir(join(file, '..'));
  await writeFile(file, SETTINGS);
  const env = { SUPERVISOR_HOME: cli.dir, HOME: user.path };
  const say = (words: string, more: Partial<CliContext> = {}): Promise<CommandOutput> =>
    cli.say(['hook', ...words.split(' ')], { env, ...more });
  return {
    ...{ say, file, user: user.path, project: cli.project },
    [Symbol.asyncDispose]: async () => {
      await cli[Symbol.asyncDispose]();
      await user[Symbol.asyncDispose]();
    },
  };
}

describe('supervisor hook', () => {
  test('shows the change, asks, and changes nothing if the answer is no', async () => {
    await using at = await fixture();
    const asked: string[] = [];
    const confirm = async (question: string): Promise<boolean> => {
      asked.push(question);
      return false;
    };
    const { out, code } = await at.say('install claude --folder team', { confirm });
    assert.notEqual(code, 0);
    assert.match(out, /\+ {4}"PostToolUse": \[/);
    assert.deepEqual(asked, [`Change ${at.file}?`]);
    assert.equal(await readFile(at.file, 'utf8'), SETTINGS);
  });

  test('does not ask where nothing can answer, and says how to continue', async () => {
    await using at = await fixture();
    const { err, code } = await at.say('install claude --folder team');
    assert.equal(code, 2);
    assert.match(err, /--yes/);
  });

  test('installs, lists and removes', async () => {
    await using at = await fixture();
    const installed = await at.say('install claude --folder team --role coder --yes');
    assert.match(installed.out, /The hook is installed: /);
    assert.match(installed.err, /team has no active\.json yet/);
    const text = await readFile(at.file, 'utf8');
    assert.match(text, new RegExp(`hook take claude --folder ${at.project}/team --role coder`));
    assert.match((await at.say('list')).out, /^claude: \S+settings\.json\n$/);
    assert.match((await at.say('remove claude --yes')).out, /The hook is removed/);
    assert.equal(await readFile(at.file, 'utf8'), SETTINGS);
    assert.equal((await at.say('list')).out, 'No hook is installed.\n');
    assert.match((await at.say('remove claude --yes')).out, /No hook is installed/);
  });

  test('says that a file has lost its hook', async () => {
    await using at = await fixture();
    await at.say('install claude --folder team --yes');
    await writeFile(at.file, SETTINGS);
    assert.match((await at.say('list')).out, /the file has lost it/);
  });

  test('refuses a role that would leave the folder, and an unknown CLI', async () => {
    await using at = await fixture();
    for (const words of ['install claude --role ../x --yes', 'install vim --yes'])
      assert.equal((await at.say(words)).code, 2);
    assert.equal(await readFile(at.file, 'utf8'), SETTINGS);
  });
});

describe('an installed hook', () => {
  const input = (tool: string, nth: number, more: object = {}): string =>
    JSON.stringify({
      ...{ session_id: 's', tool_name: tool, tool_input: { command: `echo ${nth}` } },
      ...{ tool_response: { stdout: `${nth}` }, ...more },
    });

  test('reads and writes nothing without an organization', async () => {
    await using at = await fixture();
    await mkdir(join(at.project, 'team', 'roles'), { recursive: true });
    const said = await at.say('take claude --folder team --role coder', {
      stdin: async () => input('Bash', 1),
    });
    assert.deepEqual(
      [said, await readdir(join(at.project, 'team'))],
      [{ code: 0, out: '', err: '' }, ['roles']],
    );
  });

  test('never disturbs its session, whatever it is given', async () => {
    await using at = await fixture();
    const team = join(at.project, 'team');
    await mkdir(team);
    for (const active of ['{"org_id": "t"}', 'broken'])
      for (const text of ['', 'no JSON', '[]', '{}', '{"tool_name": 7}', input('Bash', 1)]) {
        await writeFile(join(team, 'active.json'), active);
        const { code, out } = await at.say(`take claude --folder ${team} --role coder`, {
          stdin: async () => text,
        });
        assert.deepEqual([code, out], [0, '']);
      }
  });

  test('reports on the interval of the role, and when calls fail', async () => {
    await using at = await fixture();
    const team = join(at.project, 'team');
    await mkdir(join(team, 'roles'), { recursive: true });
    await writeFile(join(team, 'active.json'), '{"org_id": "t"}');
    await writeFile(join(team, 'roles', 'coder.json'), '{"role_id": "coder"}');
    const turns: string[] = [];
    for (let nth = 1; nth <= 10; nth += 1) {
      const more = nth > 6 ? { tool_response: { is_error: true, stderr: 'Exit code 1' } } : {};
      await at.say(`take claude --folder ${team} --role coder`, {
        stdin: async () => input('Bash', nth, more),
      });
      const text = await readFile(join(team, 'reports', 'coder_latest.json'), 'utf8');
      const { status, time } = JSON.parse(text);
      turns.push(`${time.turns_elapsed} ${status.pace_level}`);
    }
    assert.deepEqual([...new Set(turns)], ['1 primary', '6 primary', '9 alternate']);
  });
});
